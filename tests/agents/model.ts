/**
 * A model that follows a script, in the four dialects that agents speak: it
 * calls one tool after the other, whatever the answers are, and then says that
 * it is done. What it was shown and told is kept for the test.
 *
 * @module
 */
import { answerPlain, callOf, dialectOf, resultsOf } from "./dialects.ts";

/** A step of the script: a tool by its own name, and its arguments. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A scripted model that listens on loopback. */
export interface Model extends AsyncDisposable {
  /** Its address, without a path. */
  readonly url: string;
  /** Names of the tools that it was shown last. */
  readonly shown: () => readonly string[];
  /** What the tools answered, as the agent told it. */
  readonly results: () => readonly string[];
}

/** Starts a model that follows the steps in each conversation. */
export function startModel(steps: readonly Step[]): Model {
  let shown: readonly string[] = [];
  let results: readonly string[] = [];
  let calls = 0;
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
      const answers = resultsOf(asked);
      // Titles and summaries are asked for without our tools.
      const ours = asked.tools.some((name) => /root_|_memory/.test(name));
      const step = steps[answers.length];
      if (ours) {
        shown = asked.tools;
        if (answers.length >= results.length) results = answers;
      }
      return dialect.write(
        {
          id: `call_${++calls}`,
          call: ours && step !== undefined
            ? callOf(asked, step.tool, step.args)
            : undefined,
          text: "All steps are done.",
        },
        body,
        pathname,
      );
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    shown: () => shown,
    results: () => results,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
