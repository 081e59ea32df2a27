import { equal, ok, rejects } from "node:assert/strict";
import { collect, ending } from "./ending.ts";

function start(script: string) {
  const child = new Deno.Command("sh", {
    args: ["-c", script],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stderr = collect(child.stderr);
  const stdout = collect(child.stdout);
  const all = Promise.all([child.status, stdout.ended, stderr.ended]);
  return { child, stdout, stderr, all };
}

Deno.test("a process that does not end is killed, and the failure says what it said", async () => {
  const { child, stderr, all } = start(
    "echo wörds >&2; exec tail -f /dev/null",
  );
  const deadline = performance.now() + 120_000;
  while (!stderr.text().includes("\n")) {
    ok(performance.now() < deadline, "It said nothing");
    await new Promise((resolve) => setTimeout(resolve));
  }
  await rejects(
    ending(child, {
      what: "tail",
      work: all,
      seen: stderr.text,
      limitMs: 20,
    }),
    /^Error: Not within 20 ms: tail\nwörds/,
  );
  const [{ signal }] = await all;
  equal(signal, "SIGKILL");
});

Deno.test("a process that ends is waited for, and its output is whole", async () => {
  const { child, stdout, all } = start("echo one; echo two");
  const [{ code }] = await ending(child, {
    what: "echo",
    work: all,
    seen: () => "",
  });
  equal(code, 0);
  equal(stdout.text(), "one\ntwo\n");
});
