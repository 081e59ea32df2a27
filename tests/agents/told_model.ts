/**
 * A model in Gemini's dialect that does what the last words of its user say:
 * `CALL tool {…}` calls a tool once, `SLOW` says something and then nothing
 * more, the first time, and anything else is answered with what was said so far.
 *
 * @module
 */

/** A model that listens on loopback. */
export interface ToldModel extends AsyncDisposable {
  /** Its address, without a path. */
  readonly url: string;
  /** How many conversations hang on it, and wait. */
  readonly slow: () => number;
}

interface Part {
  readonly text?: string;
  readonly functionCall?: object;
  readonly functionResponse?: { readonly response: unknown };
}

interface Request {
  readonly contents?: readonly {
    readonly role: string;
    readonly parts?: readonly Part[];
  }[];
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
}

const USAGE = {
  promptTokenCount: 1500,
  candidatesTokenCount: 25,
  totalTokenCount: 1525,
};

/** Starts it. */
export function startToldModel(): ToldModel {
  const held = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const wasSlow = new Set<string>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body: Request = await request.json().catch(() => ({}));
      const { pathname } = new URL(request.url);
      if (pathname.includes("countTokens")) {
        return Response.json({ totalTokens: 10 });
      }
      const isStream = pathname.includes("streamGenerateContent");
      const last = lastWords(body);
      if (isStream && last.includes("SLOW") && !wasSlow.has(last)) {
        wasSlow.add(last);
        return streamOf(
          new ReadableStream({
            start(controller) {
              held.add(controller);
              controller.enqueue(encode({ text: "Wait" }));
            },
            cancel() {
              held.clear();
            },
          }),
        );
      }
      // Before each prompt it asks which model is to have it.
      const part = isStream ? partFor(body, last) : {
        text:
          '{"complexity_reasoning":"none","complexity_score":1,"reasoning":"none","model_choice":"flash"}',
      };
      return isStream
        ? streamOf(new Blob([encode(part, "STOP")]).stream())
        : Response.json(answerOf(part, "STOP"));
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

function partFor(body: Request, last: string): Part {
  const [, tool = "", args = ""] = /CALL (\w+) (\{.*\})/.exec(last) ?? [];
  if (tool === "") return { text: `HEARD ${textsOf(body).join(" / ")}` };
  const answered = body.contents?.at(-1)?.parts
    ?.find(({ functionResponse }) => functionResponse !== undefined);
  if (answered !== undefined) {
    return {
      text: `DONE ${JSON.stringify(answered.functionResponse?.response)}`,
    };
  }
  const name = (body.tools ?? [])
    .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    .find((one) => one.name.endsWith(tool))?.name;
  return name === undefined
    ? { text: `NO TOOL ${tool}` }
    : { functionCall: { name, args: JSON.parse(args) } };
}

function textsOf({ contents = [] }: Request): readonly string[] {
  return contents.filter(({ role }) => role === "user")
    .flatMap(({ parts = [] }) => parts)
    .flatMap(({ text }) => text === undefined ? [] : [text]);
}

function lastWords(body: Request): string {
  return textsOf(body).at(-1)?.trim().split("\n").at(-1) ?? "";
}

function answerOf(part: Part, finishReason?: string): object {
  return {
    candidates: [{
      index: 0,
      content: { role: "model", parts: [part] },
      ...(finishReason === undefined ? {} : { finishReason }),
    }],
    ...(finishReason === undefined ? {} : { usageMetadata: USAGE }),
  };
}

function encode(part: Part, finishReason?: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(
    `data: ${JSON.stringify(answerOf(part, finishReason))}\n\n`,
  );
}

function streamOf(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, {
    headers: { "content-type": "text/event-stream" },
  });
}
