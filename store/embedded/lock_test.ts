import { equal, ok, rejects } from "node:assert/strict";
import { acquireLock, FileLock } from "./lock.ts";

async function withFile(fn: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await fn(`${folder}/x.lock`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("FileLock.tryAcquire() shares, or is alone", async () => {
  await withFile(async (path) => {
    using shared = await FileLock.tryAcquire(path, { exclusive: false });
    using other = await FileLock.tryAcquire(path, { exclusive: false });
    ok(shared !== undefined && other !== undefined);
    equal(await FileLock.tryAcquire(path, { exclusive: true }), undefined);
    shared.release();
    other.release();
    using alone = await FileLock.tryAcquire(path, { exclusive: true });
    ok(alone !== undefined);
  });
});

Deno.test("FileLock.tryAcquire() does not count a lock on a file that was replaced", async () => {
  await withFile(async (path) => {
    using old = await FileLock.tryAcquire(path, { exclusive: true });
    ok(old !== undefined);
    await Deno.remove(path);
    using fresh = await FileLock.tryAcquire(path, { exclusive: true });
    ok(fresh !== undefined);
  });
});

Deno.test("acquireLock() gives up at its deadline", async () => {
  await withFile(async (path) => {
    using _held = await FileLock.tryAcquire(path, { exclusive: true });
    await rejects(acquireLock(path, { exclusive: true, timeoutMs: 30 }), {
      code: "locked",
    });
  });
});

Deno.test("acquireLock() stops waiting when the work is done", async () => {
  await withFile(async (path) => {
    using _held = await FileLock.tryAcquire(path, { exclusive: true });
    const lock = await acquireLock(path, {
      exclusive: true,
      timeoutMs: 10_000,
      unless: () => Promise.resolve(true),
    });
    equal(lock, undefined);
  });
});
