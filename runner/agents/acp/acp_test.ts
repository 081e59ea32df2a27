import { deepEqual, equal, match, ok } from "node:assert/strict";
import type {
  LeasedTurn,
  TurnDurations,
} from "../../../fleet/turns/protocol.ts";
import { HAS_SWEEP } from "../../process/marker.ts";
import { fakeRuntime } from "../../testdata/fake_runtime.ts";
import {
  ProtocolServer,
  type ServedTurn,
} from "../../testdata/protocol_server.ts";
import { startRunner, type TestRunner } from "../../testdata/test_runner.ts";
import type { Profile } from "./profile.ts";

const ignore = !HAS_SWEEP;

/** A server, a runner, and the fake agent. */
class Bench implements AsyncDisposable {
  readonly server: ProtocolServer;
  readonly #home = Deno.makeTempDirSync({ prefix: "rootcellar-fake-" });
  #runner: TestRunner | undefined;
  #turns = 0;

  constructor(durations: Partial<TurnDurations> = {}) {
    this.server = new ProtocolServer(durations);
  }

  /** Starts the runner; `env` tells the agent how to be. */
  async start(
    env: Readonly<Record<string, string>> = {},
    given: Partial<Profile> = {},
  ): Promise<this> {
    await this.#runner?.[Symbol.asyncDispose]();
    this.#runner = await startRunner({
      server: this.server.url,
      runtimes: [fakeRuntime(this.#home, env, given)],
      env: { PATH: Deno.env.get("PATH") ?? "", ...Deno.env.toObject() },
    });
    return this;
  }

  /** Queues a turn. */
  begin(prompt: string, given: Partial<LeasedTurn> = {}): ServedTurn {
    return this.server.queue({
      turn_id: ++this.#turns,
      runtime: "fake",
      prompt,
      ...given,
    });
  }

  /** Carries out a turn. */
  async run(
    prompt: string,
    given: Partial<LeasedTurn> = {},
  ): Promise<ServedTurn> {
    const turn = this.begin(prompt, given);
    await this.server.until(() => turn.isOver);
    return turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner?.[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    await Deno.remove(this.#home, { recursive: true });
  }
}

/** Words of the agent, joined. */
function said(turn: ServedTurn): string {
  return turn.texts().join("");
}

function conversationOf(turn: ServedTurn): string {
  return String(turn.ends[0]?.conversation_id);
}

Deno.test({
  name:
    "a turn over ACP: words, thoughts, unknown updates and noise are kept, use is read, the conversation named before the prompt",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = await bench.run(
      "say Hello there\nthink hm\nunknown\nnoise\nusage 100 20\ncost 0.25",
    );
    equal(said(turn), "Hello there");
    deepEqual(turn.texts("thought"), ["hm"]);
    const raw = JSON.stringify(
      turn.events.filter(({ kind }) => kind === "raw").map(({ payload }) =>
        payload
      ),
    );
    match(raw, /from_the_future/);
    match(raw, /this is no JSON/);
    const kinds = turn.kinds();
    ok(kinds.indexOf("conversation") < kinds.indexOf("delivered"));
    ok(kinds.indexOf("spawned") < kinds.indexOf("delivered"));
    const [end] = turn.ends;
    equal(end?.outcome, "done");
    deepEqual(end?.usage, [{
      request_key: `${conversationOf(turn)}:1.1`,
      model: "small",
      input_tokens: 100,
      output_tokens: 20,
      cache_read_tokens: 5,
      cache_write_tokens: null,
      reported_usd: 0.25,
      is_partial: false,
    }]);
  },
});

Deno.test({
  name:
    "[behaviour 16] the next turn continues the conversation by its id in a fresh process; costs are told apart",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const first = await bench.run("cost 0.25");
    const second = await bench.run("recall\ncost 0.5", {
      conversation_id: conversationOf(first),
    });
    equal(said(second), "3 turns");
    equal(conversationOf(second), conversationOf(first));
    equal(second.ends[0]?.usage[0]?.reported_usd, 0.5);
  },
});

Deno.test({
  name: "an agent that only loads has its history left out of the turn",
  ignore,
  async fn() {
    await using bench = await new Bench().start({
      FAKE_AGENT_CAPS: "load,http,options",
    });
    const first = await bench.run("say earlier words");
    const second = await bench.run("recall", {
      conversation_id: conversationOf(first),
    });
    equal(said(second), "3 turns");
  },
});

Deno.test({
  name:
    "[behaviour 17] a conversation that is gone begins anew once, with the recap and a visible break",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = await bench.run("say on", {
      conversation_id: "no-such",
      recap: "say recap",
    });
    equal(said(turn), "recapon");
    const notice = turn.events.find(({ payload }) => payload.is_break === true);
    match(String(notice?.payload.text), /no-such could not be continued/);
    ok(conversationOf(turn) !== "no-such");
  },
});

Deno.test({
  name: "a fork's conversation begins with what was said to its source",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = await bench.run("say on", { recap: "say recap" });
    equal(said(turn), "recapon");
    const notice = turn.events.find(({ payload }) => payload.is_break === true);
    match(String(notice?.payload.text), /begins here, with a recap/);
  },
});

Deno.test({
  name:
    "[behaviour 18] what it must know of itself is system text where the agent takes it, else the first block",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    match(said(await bench.run("system")), /You are session 1/);
    await bench.start({ FAKE_AGENT_CAPS: "resume,http,options" });
    const turn = await bench.run("recall", { system_text: "say I am told" });
    equal(said(turn), "I am told1 turns");
  },
});

Deno.test({
  name:
    "the mode that asks and the model are set; what a root allows decides, once, by kind",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const all = await bench.run("mode\ntool other {}", { model: "large" });
    match(said(all), /^ask/);
    equal(all.ends[0]?.usage[0]?.model, "large");
    const statuses = (turn: ServedTurn) =>
      turn.events.filter(({ kind }) => kind === "tool")
        .map(({ payload }) => payload.status);
    deepEqual(statuses(all), ["pending", "completed"]);
    const read = await bench.run("tool other {}", { permission: "read" });
    deepEqual(statuses(read), ["pending", "failed"]);
    const own = await bench.run("tool rootcellar_put {}", {
      permission: "read",
    });
    deepEqual(statuses(own), ["pending", "completed"]);
    const asked = await bench.run("tool other {}\nelicit", {
      permission: "ask",
    });
    deepEqual(statuses(asked), ["pending", "failed"]);
    match(said(asked), /"decline"/);
    // Only the number of the call is told, as Codex does it.
    await bench.start({
      FAKE_AGENT_QUIRKS: "id_only",
      FAKE_AGENT_CAPS: "http",
    });
    const older = await bench.run("mode\ntool rootcellar_put {}", {
      permission: "read",
    });
    match(said(older), /^ask/);
    deepEqual(statuses(older), ["pending", "completed"]);
  },
});

Deno.test({
  name:
    "errors are classes by code and field; a limit parks with its time, and is no failure",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const ends = [];
    for (
      const prompt of [
        "error -32603 overloaded",
        "error -32603 rate_limit",
        "error -32603 billing_error",
        "error -32603 something_new",
        "stop refusal",
        "stop something_new",
        "crash",
        "die",
      ]
    ) {
      const { ends: [end] } = await bench.run(prompt);
      ends.push([end?.outcome, end?.class, end?.usage[0]?.input_tokens]);
    }
    deepEqual(ends, [
      ["failed", "overloaded", null],
      ["failed", "overloaded", null],
      ["failed", "billing", null],
      ["failed", "agent_error", null],
      ["failed", "refused", null],
      ["failed", "agent_error", null],
      ["failed", "crashed", null],
      ["failed", "crashed", null],
    ]);
    const { ends: [limited] } = await bench.run("limit");
    deepEqual([limited?.outcome, limited?.class], ["parked", "usage_limit"]);
    ok(Math.abs(Number(limited?.parked_ms) - 600_000) < 60_000);
    deepEqual(
      limited?.limits?.windows.map((
        { name, utilization },
      ) => [name, utilization]),
      [
        ["five_hour", 1],
      ],
    );
    await bench.start({ FAKE_AGENT_QUIRKS: "auth" });
    equal((await bench.run("say x")).ends[0]?.class, "auth_required");
    await bench.start({ FAKE_AGENT_CAPS: "v2" });
    match(
      (await bench.run("say x")).ends[0]?.detail ?? "",
      /speaks version 2 of the protocol/,
    );
  },
});

/** Steps of a turn, and whether the agent has its message by then. */
const STEPS = [
  ["initialize", false],
  ["session/new", false],
  ["session/set_config_option", false],
  ["session/prompt", true],
] as const;

Deno.test({
  name:
    "[behaviour 4] an agent that dies at any step has crashed, with or without its message, and leaves nothing",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    for (const [method, isDelivered] of STEPS) {
      await bench.start({ FAKE_AGENT_QUIRKS: `dies at ${method}` });
      const turn = await bench.run("say x");
      const [end] = turn.ends;
      deepEqual([end?.outcome, end?.class], ["failed", "crashed"], method);
      match(String(end?.detail), /with exit code 9/, method);
      equal(turn.kinds().includes("delivered"), isDelivered, method);
      equal(end?.killed_leftovers, 0, method);
    }
    // A conversation whose agent dies is not lost: the next turn has it again.
    await bench.start();
    const { ends: [first] } = await bench.run("say x");
    const conversation_id = String(first?.conversation_id);
    await bench.start({ FAKE_AGENT_QUIRKS: "dies at session/resume" });
    const turn = await bench.run("say y", { conversation_id });
    deepEqual([turn.ends[0]?.class, turn.ends[0]?.conversation_id], [
      "crashed",
      conversation_id,
    ]);
    // Its answer counts, whatever becomes of it afterwards.
    await bench.start({
      FAKE_AGENT_CAPS: "resume,http,options,close",
      FAKE_AGENT_QUIRKS: "dies at session/close",
    });
    equal((await bench.run("say z")).ends[0]?.outcome, "done");
  },
});

Deno.test({
  name:
    "[behaviour 14] an agent that goes silent at any step is ended as hung, and leaves nothing",
  ignore,
  async fn() {
    await using bench = new Bench({
      silence_ms: 300,
      interrupt_ms: 200,
      terminate_ms: 200,
    });
    for (const [method, isDelivered] of STEPS) {
      await bench.start({ FAKE_AGENT_QUIRKS: `mute at ${method}` });
      const turn = await bench.run("say x");
      const [end] = turn.ends;
      deepEqual([end?.outcome, end?.class], ["failed", "hung"], method);
      // One that is slow to start may have been ended before it got there.
      ok(isDelivered || !turn.kinds().includes("delivered"), method);
      equal(end?.killed_leftovers, 0, method);
    }
  },
});

Deno.test({
  name:
    "[behaviour 15] a cancelled turn ends by the agent's own word, its use unknown and not 0",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = bench.begin("say up\nhang");
    await bench.server.until(() => said(turn) === "up");
    turn.commands = [{ id: 8, kind: "interrupt" }];
    bench.server.change();
    await bench.server.until(() => turn.isOver);
    const [end] = turn.ends;
    equal(end?.outcome, "interrupted");
    equal(end?.commands[0]?.how, "asked");
    equal(end?.usage[0]?.input_tokens, null);
    equal(end?.usage[0]?.is_partial, true);
  },
});

Deno.test({
  name:
    "[behaviour 14] an agent that ignores everything after its answer is ended, and its turn counts",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = await bench.run("slowexit\ngrandchild\nsay done");
    equal(turn.ends[0]?.outcome, "done");
    ok((turn.ends[0]?.killed_leftovers ?? 0) >= 1);
  },
});

Deno.test({
  name:
    "the token is in no argument; it is in the environment only of an agent that puts it in by itself",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const token = "rct_1_canary";
    const plain = await bench.run("argv\nenv ROOTCELLAR_TOKEN\nservers", {
      token,
    });
    match(said(plain), /^unset\[.*"Bearer rct_1_canary"/);
    await bench.start({}, { expandsVariables: true });
    const expanding = await bench.run("argv\nservers", { token });
    ok(!said(expanding).includes(token));
    match(said(expanding), /Bearer \$\{ROOTCELLAR_TOKEN\}/);
  },
});

Deno.test({
  name:
    "a flood of updates arrives whole and in order, and what comes late does no harm",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = await bench.run("flood 5000\nlate");
    equal(
      said(turn).replace(/late$/, ""),
      Array.from({ length: 5_000 }, (_, n) => `${n + 1}`).join(""),
    );
  },
});

Deno.test({
  name:
    "an agent that does not call the server's tools in time is said so, and taken back when it does",
  ignore,
  async fn() {
    await using bench = await new Bench({ reach_ms: 0 }).start();
    const turn = bench.begin("hang");
    const hears = async (words: RegExp) =>
      await bench.server.until(() =>
        turn.texts("notice").some((text) => words.test(String(text)))
      );
    await hears(/^mcp_unreachable: .*within 0 ms of its start; look at/);
    turn.hasCalledMcp = true;
    await hears(/^The agent has reached Rootcellar's tools$/);
    turn.commands = [{ id: 3, kind: "stop" }];
    bench.server.change();
    await bench.server.until(() => turn.isOver);
    equal(turn.ends[0]?.class, null);
    const said = turn.texts("notice").filter((text) =>
      /mcp_unreachable/.test(String(text))
    );
    equal(said.length, 1);
  },
});

Deno.test({
  name:
    "a turn that failed without the server's tools has that as its class, but for one whose failure has a cause of its own",
  ignore,
  async fn() {
    await using bench = await new Bench({ reach_ms: 0, silence_ms: 500 })
      .start();
    const hung = await bench.run("hang");
    deepEqual([hung.ends[0]?.outcome, hung.ends[0]?.class], [
      "failed",
      "mcp_unreachable",
    ]);
    match(
      hung.ends[0]?.detail ?? "",
      /It ended as hung: The agent said nothing/,
    );
    const crashed = await bench.run("crash");
    equal(crashed.ends[0]?.class, "mcp_unreachable");
    const refused = await bench.run("stop refusal");
    equal(refused.ends[0]?.class, "refused");
    const well = bench.begin("hang");
    well.hasCalledMcp = true;
    await bench.server.until(() => well.isOver);
    equal(well.ends[0]?.class, "hung");
    deepEqual(well.texts("notice"), []);
  },
});

Deno.test({
  name: "an agent that still has its time is not judged by it",
  ignore,
  async fn() {
    await using bench = await new Bench().start();
    const turn = await bench.run("crash");
    equal(turn.ends[0]?.class, "crashed");
    deepEqual(turn.texts("notice"), []);
  },
});
