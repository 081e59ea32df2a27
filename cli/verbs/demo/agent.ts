/**
 * The agent of the demo: a program of the runtime `command`, with no model and
 * nothing but what every program gets.
 *
 * As a parent it starts a helper, sleeps until that is done, and reads what it
 * wrote; as a helper it counts thirsty plants. Its runner starts it from a file
 * of its own, so it imports nothing.
 *
 * @module
 */
const url = Deno.env.get("ROOTCELLAR_URL") ?? "";
const token = Deno.env.get("ROOTCELLAR_TOKEN") ?? "";
const session = Deno.env.get("ROOTCELLAR_SESSION") ?? "";

type Data = Readonly<Record<string, unknown>>;

async function call(name: string, args: Data): Promise<Data> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  const { result, error } = await response.json();
  if (result === undefined || result.isError === true) {
    throw new Error(result?.content?.[0]?.text ?? JSON.stringify(error));
  }
  return result.structuredContent ?? {};
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function archive(): Promise<void> {
  say("I am done, and archive myself");
  await call("action_session", { action: "archive", session_id: session });
}

async function help(): Promise<void> {
  const page = await call("search_root_records", {
    collection: "plants",
    filter: { thirsty: true },
  });
  const data = { thirsty: page.total };
  await call("put_root_record", { collection: "visits", key: "count", data });
  say(`I count ${page.total} thirsty plants, and write that down`);
  await archive();
}

async function report(): Promise<void> {
  const { record } = await call("get_root_record", {
    collection: "visits",
    key: "count",
  }) as { readonly record: Data };
  say(`My helper wrote ${JSON.stringify(record.data)}`);
  await archive();
}

async function delegate(): Promise<void> {
  const { session_id: helper } = await call("start_session", {
    agent_root: "gardener",
    title: "Helper",
    prompt: "Count the thirsty plants",
    parent_session_id: Number(session),
  });
  say(`I start session ${helper} to count, and sleep until it is done`);
  try {
    await call("wake_me_up_when_session_changes_state", {
      watched_session_id: helper,
      event_names: ["session_archived", "session_failed"],
      prompt: "Your helper is done",
    });
  } catch (error) {
    if (!String(error).includes("archived already")) throw error;
    await report(); // It was faster than that.
  }
}

const prompt = await new Response(Deno.stdin.readable).text();
if (prompt.includes("Count the thirsty plants")) await help();
else if (prompt.includes("Your helper is done")) await report();
else await delegate();
