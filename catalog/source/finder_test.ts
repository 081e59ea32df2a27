import { equal } from "node:assert/strict";
import { join } from "node:path";
import { EmptyFolder } from "./finder.ts";

/** A folder whose last change is some time ago. */
async function openFolder(ageMs: number) {
  const path = await Deno.makeTempDir();
  const changedAt = new Date(Date.now() - ageMs);
  await Deno.utime(path, changedAt, changedAt);
  return {
    path,
    changedAt,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

for (const ageMs of [0, 60_000]) {
  for (const name of ["air.json", "roots.json"]) {
    Deno.test(`${name} that appears in a folder that changed ${ageMs} ms ago is seen at once`, async () => {
      await using folder = await openFolder(ageMs);
      const place = new EmptyFolder(folder.path);
      equal(place.isStillEmpty(), true);
      equal(place.isStillEmpty(), true);
      await Deno.writeTextFile(join(folder.path, name), "{}");
      equal(place.isStillEmpty(), false);
      equal(place.isStillEmpty(), false);
      await Deno.remove(join(folder.path, name));
      equal(place.isStillEmpty(), true);
    });
  }
}

Deno.test("a file that appears within the instant of the folder's last change is seen", async () => {
  await using folder = await openFolder(0);
  const place = new EmptyFolder(folder.path);
  equal(place.isStillEmpty(), true);
  await Deno.writeTextFile(join(folder.path, "air.json"), "{}");
  await Deno.utime(folder.path, folder.changedAt, folder.changedAt);
  equal(place.isStillEmpty(), false);
});

Deno.test("a file that a link leads to is seen when it appears", async () => {
  await using target = await openFolder(0);
  await using folder = await openFolder(0);
  const file = join(target.path, "catalog.json");
  await Deno.symlink(file, join(folder.path, "air.json"));
  const old = new Date(Date.now() - 60_000);
  await Deno.utime(folder.path, old, old);
  const place = new EmptyFolder(folder.path);
  equal(place.isStillEmpty(), true);
  await Deno.writeTextFile(file, "{}");
  equal(place.isStillEmpty(), false);
});

Deno.test("a folder that is gone is empty", async () => {
  await using folder = await openFolder(0);
  const place = new EmptyFolder(join(folder.path, "none"));
  equal(place.isStillEmpty(), true);
});
