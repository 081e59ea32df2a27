import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ask } from "../../fleet/elicitations/ask.ts";
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { createMessage } from "../../fleet/queue/manage.ts";
import { updateTitle } from "../../fleet/actions/edits.ts";
import { startSession } from "../../fleet/sessions/start.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  type BrowserPage,
  HAS_BROWSER,
  openBrowser,
  untilTrue,
} from "../support/browser.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
import { says } from "../support/says.ts";
import { openSite, type Site } from "../support/site.ts";

const HOSTILE = `"></textarea><script>document.title = "owned"</script>` +
  `<img src=/x onerror="document.title='owned'"></li></ol></main>\u202e`;

interface Case {
  readonly name: string;
  readonly run: (site: Site, people: PeopleFile) => Promise<void>;
}

const cases: Case[] = [];

function inBrowser(name: string, run: Case["run"]): void {
  cases.push({ name, run });
}

/** A session whose turn is queued. */
async function start(site: Site, title = "Plant"): Promise<number> {
  const { session } = await startSession(fleetOf(site.endpoint.services), {
    agentRoot: "gardener",
    agentRuntime: "command",
    title,
    prompt: "Plant the tulips",
    drivenBy: "runner",
    withToken: false,
  });
  return session.id;
}

async function open(page: BrowserPage, site: Site, id: number): Promise<void> {
  await page.goto(`${site.origin}/sessions/${id}`);
  await untilTrue(page, "live.textContent === 'Live.'");
}

async function queued(site: Site, id: number): Promise<unknown[]> {
  const rows = await site.db.read<{ content: string }>(
    `select content from enqueued_messages
     where session_id = $1 and status = 'pending' order by position`,
    [id],
  );
  return rows.map(({ content }) => content);
}

inBrowser(
  "what is said comes as it is said, and reads the same loaded anew",
  async (site, people) => {
    const id = await start(site);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    await using bob = await site.visitSignedIn({}, people.keys.bob);
    await open(ann.page, site, id);
    match(await ann.page.innerText("#standing"), /Queued/);
    await leaseTurn(site.db, id);
    await untilTrue(
      ann.page,
      "document.getElementById('standing').innerText.includes('Running')",
    );
    await says(site.db, id, [
      ["spawned", { pid: 7 }],
      ["text", { text: "I look" }],
      ["text", { text: "around.\n\t1. Beds" }],
      ["tool", { toolCallId: "1", title: "Read beds.txt", status: "pending" }],
    ]);
    await untilTrue(
      ann.page,
      // A command writes lines.
      String.raw`transcript.innerText.includes('I look\naround.\n\t1. Beds')`,
    );
    await open(bob.page, site, id);
    await says(site.db, id, [
      ["tool", {
        toolCallId: "1",
        status: "completed",
        content: [
          { type: "content", content: { type: "text", text: "three beds" } },
          {
            type: "diff",
            path: "beds.txt",
            oldText: "one\ntwo",
            newText: "one\n2",
          },
        ],
      }],
      ["plan", {
        entries: [{ content: "Dig", status: "completed" }, {
          content: "Plant",
          status: "pending",
        }],
      }],
      ["text", { text: "All is" }],
      ["text", { text: "planted." }],
    ]);
    for (const { page } of [ann, bob]) {
      await untilTrue(
        page,
        String.raw`transcript.innerText.includes('All is\nplanted.')`,
      );
    }
    await endTurn(site.db, id);
    for (const { page } of [ann, bob]) {
      await untilTrue(
        page,
        "document.getElementById('standing').innerText.includes('At rest')",
      );
    }
    const read = (page: BrowserPage) =>
      page.evaluate(
        `[...transcript.children].map((one) => one.textContent.replace(/\\s+/g, " "))`,
      );
    const [live, other] = [await read(ann.page), await read(bob.page)];
    deepEqual(live, other);
    match(live.join("\n"), /Turn 1: Start.*Plant the tulips/);
    match(live.join("\n"), /Done.*Read beds.txt.*three beds/);
    match(live.join("\n"), /taken out: −two.*added: \+2/);
    match(live.join("\n"), /✓ done: Dig.*◦ to do: Plant/);
    await ann.page.goto(`${site.origin}/sessions/${id}`);
    deepEqual(await read(ann.page), live);
    deepEqual([...ann.incidents, ...bob.incidents], []);
  },
);

inBrowser(
  "a person tells it something in their name, edits, moves, deletes and sends now",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await open(page, site, id);
    for (const words of ["first", "second", "third"]) {
      await page.fill("#tell", words);
      await page.click(".tell button[value=queue]");
      await page.waitForURL(/#queue$/);
      await untilTrue(
        page,
        `document.getElementById('queue').innerText.includes('${words}')`,
      );
    }
    deepEqual(await queued(site, id), ["first", "second", "third"]);
    const row = (words: string, wish: string) =>
      `#queue li:has(bdi:text-is("${words}")) button[value=${wish}]`;
    await page.click(row("third", "up"));
    await page.waitForLoadState();
    deepEqual(await queued(site, id), ["first", "third", "second"]);
    await page.click(row("first", "delete"));
    await page.waitForLoadState();
    deepEqual(await queued(site, id), ["third", "second"]);
    await page.click('#queue li:has(bdi:text-is("second")) summary');
    await page.fill(
      '#queue li:has(bdi:text-is("second")) textarea',
      `second, ${HOSTILE}\nline`,
    );
    await page.click(row("second", "edit"));
    await page.waitForLoadState();
    const [, edited] = await queued(site, id);
    equal(edited, `second, ${HOSTILE}\nline`);
    await page.click("#queue li:nth-child(2) button[value=now]");
    await page.waitForLoadState();
    deepEqual((await queued(site, id))[0], edited);
    const [command] = await site.db.read("select kind from turn_commands");
    deepEqual(command, { kind: "interrupt" });
    const said = await site.db.read(
      "select author, channel, content from human_messages order by id offset 0",
    );
    deepEqual(
      said,
      ["first", "second", "third"].map((content) => ({
        author: "ann",
        channel: "web_ui",
        content,
      })),
    );
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "what one person does is on the other's page, and what somebody writes is kept",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await createMessage(site.endpoint.services, UNRESTRICTED, id, {
      content: "from a program",
    });
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    await using bob = await site.visitSignedIn({}, people.keys.bob);
    for (const { page } of [ann, bob]) await open(page, site, id);
    await ann.page.click("#queue summary");
    await ann.page.fill("#queue textarea", "half a thou");
    await bob.page.fill("#tell", "hello from bob");
    await bob.page.click(".tell button[value=queue]");
    await bob.page.waitForURL(/#queue$/);
    await untilTrue(
      ann.page,
      "document.getElementById('standing').innerText.includes('Running')",
    );
    equal(
      await ann.page.evaluate(
        "document.querySelector('#queue textarea').value",
      ),
      "half a thou",
    );
    // The message is said meanwhile: the edit is refused, and says why.
    await site.db.write("delete from enqueued_messages where content = $1", [
      "from a program",
    ]);
    await ann.page.click("#queue button[value=edit]");
    await ann.page.waitForLoadState();
    match(
      await ann.page.innerText('[role="alert"]'),
      /not in the queue.*Nothing was changed/,
    );
    equal(
      await ann.page.evaluate("document.getElementById('tell').value"),
      "half a thou",
    );
    match(await ann.page.innerText("#queue"), /hello from bob/);
    deepEqual([...ann.incidents, ...bob.incidents], []);
  },
);

inBrowser(
  "a question is answered by a form made of its schema",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await open(page, site, id);
    await ask(fleetOf(site.endpoint.services), UNRESTRICTED, id, {
      message: `Which bed? ${HOSTILE}`,
      requestId: "q1",
      requestedSchema: {
        type: "object",
        properties: {
          bed: { type: "string", enum: ["north", "south"], title: HOSTILE },
          depth: { type: "integer", description: "In cm", multipleOf: 4 },
          water: { type: "boolean", default: true },
          "<b>note</b>": { type: "string" },
          tools: {
            type: "array",
            items: { type: "string", enum: ["spade", "rake"] },
          },
        },
        required: ["bed", "depth"],
      },
    });
    await untilTrue(page, "document.querySelector('#questions form') !== null");
    equal(await page.title(), `#${id} Plant · Rootcellar`);
    await page.selectOption("#questions select", "south");
    await page.fill("#questions input[type=number]", "11");
    await page.fill("#questions textarea", HOSTILE);
    await page.click("#questions input[value=rake]");
    await page.click("#questions button[value=accept]");
    // What is refused stays as it was written, and what is live leaves it alone.
    await page.waitForURL(/\/questions\/\d+$/);
    match(
      await page.innerText('[role="alert"]'),
      /depth: Must be multiple of 4/,
    );
    await createMessage(fleetOf(site.endpoint.services), UNRESTRICTED, id, {
      content: "Then water",
    });
    await untilTrue(page, "queue.innerText.includes('Then water')");
    await page.fill("#questions input[type=number]", "12");
    await page.click("#questions button[value=accept]");
    await page.waitForURL(/\/sessions\/\d+$/);
    await untilTrue(
      page,
      "document.getElementById('standing').innerText.includes('Running')",
    );
    const [row] = await site.db.read(
      "select status, response_content from elicitations",
    );
    deepEqual(row, {
      status: "accept",
      response_content: {
        bed: "south",
        depth: 12,
        water: true,
        "<b>note</b>": HOSTILE,
        tools: ["rake"],
      },
    });
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "it is paused, goes on, gets other names, is forked, archived with what would be lost, and comes back",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await open(page, site, id);
    await page.click("#standing button[value=pause]");
    await page.waitForLoadState();
    match(await page.innerText("#standing"), /Pausing/);
    await endTurn(site.db, id);
    await untilTrue(
      page,
      "document.querySelector('#standing button[value=restart]') !== null",
    );
    for (
      const [field, value] of [
        ["title", "Roses"],
        ["goal", "All roses bloom"],
        [
          "notes",
          HOSTILE,
        ],
        ["model", "small"],
      ] as const
    ) {
      await page.click("#h-settings ~ details > summary");
      await page.fill(`#${field}`, value);
      await page.click(`button[value=${field}]`);
      await page.waitForLoadState();
    }
    const [row] = await site.db.read(
      "select title, goal, session_notes, config from sessions where id = $1",
      [id],
    );
    deepEqual(row, {
      title: "Roses",
      goal: "All roses bloom",
      session_notes: HOSTILE,
      config: { model: "small" },
    });
    equal(await page.title(), `#${id} Roses · Rootcellar`);
    await page.click("#standing button[value=restart]");
    await page.waitForLoadState();
    match(await page.innerText("#standing"), /Queued/);
    await createMessage(site.endpoint.services, UNRESTRICTED, id, {
      content: HOSTILE,
    });
    await page.click("#standing a");
    await page.waitForURL(/\/archive$/);
    match(await page.innerText("main"), /Messages that were not said: 1/);
    await createMessage(site.endpoint.services, UNRESTRICTED, id, {
      content: "later",
    });
    await page.click("main form button");
    await page.waitForLoadState();
    match(
      await page.innerText('[role="alert"]'),
      /It changed since you looked/,
    );
    match(await page.innerText("main"), /later/);
    await page.click("main form button");
    await page.waitForURL(/\/sessions\/\d+$/);
    match(await page.innerText("#standing"), /Archived/);
    await page.click("#standing button[value=unarchive]");
    await page.waitForLoadState();
    match(await page.innerText("#standing"), /At rest/);
    await page.click("#standing button[value=fork]");
    await page.waitForLoadState();
    equal(await page.title(), `#${id + 1} Fork of Roses · Rootcellar`);
    equal(
      await page.evaluate("document.querySelectorAll('.family .node').length"),
      2,
    );
    match(
      await page.innerText("#particulars"),
      new RegExp(`from session ${id}, after its turn 1`),
    );
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "it is forked after any turn of its transcript, without scripts as well, and not after one that waits",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await says(site.db, id, [["text", { text: "Planted" }]]);
    await endTurn(site.db, id);
    await createMessage(fleetOf(site.endpoint.services), UNRESTRICTED, id, {
      content: "Water them",
    });
    await using ann = await site.visitSignedIn(
      { javaScriptEnabled: false },
      people.keys.ann,
    );
    const { page } = ann;
    await leaseTurn(site.db, id);
    await says(site.db, id, [["text", { text: "Watering" }]]);
    await page.goto(`${site.origin}/sessions/${id}`);
    match(
      await page.innerText("#transcript"),
      /Fork after turn 1[^]*Fork after turn 2/,
    );
    // The second is leased, and its message not yet with its agent.
    await page.click("text=Fork after turn 2");
    await page.waitForLoadState();
    match(await page.innerText("[role=alert]"), /fork it after an earlier one/);
    await page.click("text=Fork after turn 1");
    await page.waitForURL(`${site.origin}/sessions/${id + 1}`);
    match(
      await page.innerText("#particulars"),
      new RegExp(`from session ${id}, after its turn 1`),
    );
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "a reader sees all of it and has no form; without scripts everybody has every form",
  async (site, people) => {
    const id = await start(site);
    await using rita = await site.visitSignedIn({}, people.keys.rita);
    await open(rita.page, site, id);
    equal(
      await rita.page.evaluate("document.querySelectorAll('main form').length"),
      0,
    );
    match(await rita.page.innerText("main"), /may read and change nothing/);
    for (const path of ["do", "tell", "messages/1", "questions/1", "archive"]) {
      equal(
        await rita.page.evaluate(
          `fetch('/sessions/${id}/${path}', { method: 'POST',
           body: new URLSearchParams({ do: 'pause' }) }).then((one) => one.status)`,
        ),
        403,
        path,
      );
    }
    await using ann = await site.visitSignedIn(
      { javaScriptEnabled: false },
      people.keys.ann,
    );
    const { page } = ann;
    await page.goto(`${site.origin}/sessions/${id}`);
    await page.fill("#tell", "no script");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#queue$/);
    deepEqual(await queued(site, id), ["no script"]);
    await page.goto(`${site.origin}/sessions/999999`);
    match(await page.innerText("main"), /There is no session 999999/);
    deepEqual(rita.incidents, []);
  },
);

inBrowser(
  "hostile words of agents, tools and files stay words, and the page is accessible and fits in every look",
  async (site, people) => {
    const id = await start(site, HOSTILE.slice(0, 100));
    await leaseTurn(site.db, id);
    await says(site.db, id, [
      ["text", { text: HOSTILE }],
      ["thought", { text: `**${HOSTILE}** [a](javascript:alert(1))` }],
      ["tool", {
        toolCallId: HOSTILE,
        title: HOSTILE,
        kind: HOSTILE,
        status: HOSTILE,
        rawInput: { [HOSTILE]: HOSTILE },
        content: [
          { type: "content", content: { type: "text", text: HOSTILE } },
          {
            type: "diff",
            path: HOSTILE,
            oldText: HOSTILE,
            newText: "x\n".repeat(20),
          },
          { type: HOSTILE },
        ],
      }],
      ["plan", { entries: [{ content: HOSTILE, status: HOSTILE }, 7] }],
      ["notice", { text: HOSTILE }],
      ["stderr", { text: HOSTILE }],
      [HOSTILE.slice(0, 90), { any: HOSTILE }],
      ["ended", { outcome: HOSTILE, detail: HOSTILE }],
    ]);
    await site.db.write(
      `update turns set git_after = $2::text::jsonb where session_id = $1`,
      [
        id,
        JSON.stringify({
          branch: HOSTILE,
          after: "abc",
          dirty: [HOSTILE],
          dirty_count: 1,
          unpushed: 2,
        }),
      ],
    );
    await ask(fleetOf(site.endpoint.services), UNRESTRICTED, id, {
      message: HOSTILE,
      requestedSchema: {
        type: "object",
        properties: { [HOSTILE]: { type: "object", title: HOSTILE } },
      },
    });
    const other = await start(site);
    await site.db.write(
      "update sessions set parent_session_id = $1 where id = $2",
      [
        id,
        other,
      ],
    );
    await createMessage(site.endpoint.services, UNRESTRICTED, id, {
      content: HOSTILE,
    });
    for (const look of LOOKS) {
      await using visitor = await site.visitSignedIn(look, people.keys.ann);
      const { page } = visitor;
      await open(page, site, id);
      await updateTitle(
        site.endpoint.services,
        UNRESTRICTED,
        id,
        HOSTILE.slice(0, 100),
      );
      equal(
        await page.evaluate(
          "document.querySelectorAll('main :is(script, img, b:not(pre b))').length",
        ),
        0,
      );
      ok((await page.title()).startsWith(`#${id} "></textarea>`));
      await assertAccessible(visitor, "/session", look);
      await page.goto(`${site.origin}/sessions/${id}/archive`);
      await assertAccessible(visitor, "/session/archive", look);
    }
  },
);

Deno.test({
  name: `the page of a session in a browser${BROWSER_SKIP_NOTE}`,
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await openBrowser();
    for (const { name, run } of cases) {
      await t.step(name, async () => {
        await using people = await makePeople();
        await using site = await openSite(browser, { usersFile: people.path });
        await run(site, people);
      });
    }
  },
});
