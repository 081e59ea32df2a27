/**
 * A model that does what its user said last, in the four dialects that agents
 * speak: `CALL tool {…}` calls a tool once, `SLOW` begins an answer that never
 * comes, the first time, and otherwise it says what it heard so far.
 *
 * @module
 */
import {
  answerPlain,
  type Asked,
  callOf,
  dialectOf,
  resultsOf,
} from "./dialects.ts";

/** A model that listens on loopback. */
export interface ToldModel extends AsyncDisposable {
  /** Its address, without a path. */
  readonly url: string;
  /** How many conversations hang on it, and wait. */
  readonly slow: () => number;
}

/**
 * In a prompt, or in the recap of a lost conversation. Qwen joins what was said
 * in several pieces by spaces, once it continues a conversation.
 */
const ORDER_REGEXP =
  /(?:^|(?<=\. ))(?:You were told: )?(?<order>CALL (?<tool>\w+) (?<args>\{.*\})|SLOW .*)$/gm;
/** Before each prompt Gemini asks which model is to have it. */
const CHOICE =
  '{"complexity_reasoning":"none","complexity_score":1,"reasoning":"none","model_choice":"flash"}';

/** Starts it. */
export function startToldModel(): ToldModel {
  const held = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const wasSlow = new Set<string>();
  let answers = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const plain = answerPlain(request);
      if (plain !== undefined) return plain;
      const { pathname } = new URL(request.url);
      const dialect = dialectOf(pathname);
      if (dialect === undefined) return Response.json({});
      const body = await request.json().catch(() => ({}));
      const asked = dialect.read(body);
      const id = `call_${++answers}`;
      // Titles and summaries are asked for without our tools.
      if (!asked.tools.some((name) => name.includes("root_record"))) {
        return dialect.write({ id, text: CHOICE }, body, pathname);
      }
      const orders = ordersOf(asked);
      const last = orders.at(-1);
      const { order = "", tool = "", args = "{}" } = last ?? {};
      if (order.startsWith("SLOW") && !wasSlow.has(order)) {
        wasSlow.add(order);
        const begun = { id, text: "Wait", isBegun: true };
        return await hold(dialect.write(begun, body, pathname), held);
      }
      const isAnswered = asked.entries.at(-1)?.kind === "result";
      const call = tool === "" || isAnswered
        ? undefined
        : callOf(asked, tool, JSON.parse(args));
      const text = isAnswered
        ? `DONE ${resultsOf(asked).at(-1)}`
        : tool !== "" && call === undefined
        ? `NO TOOL ${tool}`
        : `HEARD ${orders.map(({ order }) => order).join(" / ")}`;
      return dialect.write({ id, call, text }, body, pathname);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    slow: () => held.size,
    async [Symbol.asyncDispose]() {
      for (const controller of held) controller.close();
      await server.shutdown();
    },
  };
}

interface Order {
  readonly order?: string;
  readonly tool?: string;
  readonly args?: string;
}

function ordersOf({ entries }: Asked): readonly Order[] {
  return entries.filter(({ kind }) => kind === "said")
    .flatMap(({ text }) => [...text.matchAll(ORDER_REGEXP)])
    .map(({ groups }) => groups ?? {});
}

/** An answer that begins, and says no more until its client leaves. */
async function hold(
  begun: Response,
  held: Set<ReadableStreamDefaultController<Uint8Array>>,
): Promise<Response> {
  const bytes = await begun.bytes();
  let own: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      own = controller;
      held.add(own);
      own.enqueue(bytes);
    },
    cancel: () => void held.delete(own),
  });
  return new Response(body, { headers: begun.headers });
}
