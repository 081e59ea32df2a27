import { deepEqual, equal, match } from "node:assert/strict";
import { startSession } from "../../fleet/sessions/start.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import {
  FIREFOX_SKIP_NOTE,
  HAS_FIREFOX,
  KEYS,
  openFirefox,
} from "../support/firefox.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { makePeople } from "../support/people.ts";
import { says } from "../support/says.ts";
import { serveSite } from "../support/site.ts";

const LIVE = "document.getElementById('live')?.textContent === 'Live.'";

Deno.test({
  name:
    `in Firefox, without a mouse: a person signs in, finds a session on the board, reads what it says and tells it something${FIREFOX_SKIP_NOTE}`,
  ignore: !HAS_FIREFOX,
  async fn() {
    await using people = await makePeople();
    await using site = await serveSite({ usersFile: people.path });
    await using page = await openFirefox();
    const { session: { id } } = await startSession(
      fleetOf(site.endpoint.services),
      {
        agentRoot: "gardener",
        agentRuntime: "command",
        title: "Plant",
        prompt: "Plant the tulips",
        drivenBy: "runner",
        withToken: false,
      },
    );
    await page.goto(`${site.origin}/board`);
    equal(await page.evaluate("location.pathname"), "/sign_in");
    await page.focus("input[name=key]");
    await page.press(`${people.keys.ann}${KEYS.enter}`);
    await page.untilTrue(`location.pathname === '/board' && ${LIVE}`);
    await leaseTurn(site.db, id);
    await page.untilTrue(
      `document.getElementById('s${id}').innerText.includes('Running')`,
    );
    await page.press(`j${KEYS.enter}`);
    await page.untilTrue(
      `location.pathname === '/sessions/${id}' && ${LIVE}`,
    );
    await says(site.db, id, [["text", { text: "I dig <b>deep</b>" }]]);
    await page.untilTrue("transcript.innerText.includes('I dig <b>deep</b>')");
    await endTurn(site.db, id);
    await page.untilTrue(
      "document.getElementById('standing').innerText.includes('At rest')",
    );
    await page.focus("#tell");
    await page.press(`Water them, too${KEYS.tab}${KEYS.enter}`);
    await page.untilTrue("location.hash === '#queue'");
    match(
      String(
        await page.evaluate("document.getElementById('queue').innerText"),
      ),
      /Water them, too/,
    );
    deepEqual(
      await site.db.read(
        `select m.author, m.content from human_messages m where m.session_id = $1`,
        [id],
      ),
      [{ author: "ann", content: "Water them, too" }],
    );
    deepEqual(page.incidents, []);
  },
});
