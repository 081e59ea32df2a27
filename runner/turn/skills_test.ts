import { deepEqual, equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { placeSkills, type SkillsOptions } from "./skills.ts";

const ignore = Deno.build.os === "windows";
const FILES = new Map<string, string>();

function orderOf(name: string, files: Readonly<Record<string, string>>) {
  return {
    name,
    files: Object.entries(files).map(([path, text]) => {
      const sha256 = createHash("sha256").update(text).digest("hex");
      FILES.set(sha256, new TextEncoder().encode(text).toBase64());
      return { path, sha256 };
    }),
  };
}

const CLIENT = {
  artifact(sha256: string) {
    const base64 = FILES.get(sha256);
    return base64 === undefined
      ? Promise.reject(new Error("It was changed"))
      : Promise.resolve({ base64 });
  },
} satisfies SkillsOptions["client"];

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await new Deno.Command("git", {
    args: [...args],
    cwd,
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

async function withFolder(work: (folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function optionsFor(cwd: string): SkillsOptions {
  return { cwd, folder: ".agent/skills", client: CLIENT, owner: undefined };
}

Deno.test({
  name:
    "skills lie where the agent looks, as they are now, and git sees nothing",
  ignore,
  async fn() {
    await withFolder(async (top) => {
      await git(top, "init", "-q");
      const cwd = `${top}/sub`;
      await Deno.mkdir(cwd);
      const first = orderOf("tidy", {
        "SKILL.md": "Tidy up",
        "scripts/run.sh": "echo",
      });
      deepEqual(await placeSkills({ skills: [first] }, optionsFor(cwd)), []);
      const placed = `${cwd}/.agent/skills/tidy`;
      equal(await Deno.readTextFile(`${placed}/SKILL.md`), "Tidy up");
      equal(await Deno.readTextFile(`${placed}/scripts/run.sh`), "echo");
      equal(await git(top, "status", "--porcelain"), "");
      const second = orderOf("tidy", { "SKILL.md": "Tidy up well" });
      deepEqual(await placeSkills({ skills: [second] }, optionsFor(cwd)), []);
      equal(await Deno.readTextFile(`${placed}/SKILL.md`), "Tidy up well");
      deepEqual(
        await Array.fromAsync(Deno.readDir(`${placed}/scripts`)).catch(
          () => [],
        ),
        [],
      );
      equal(await git(top, "status", "--porcelain"), "");
    });
  },
});

Deno.test({
  name:
    "a skill of the repository's own stays, and what cannot be placed is named",
  ignore,
  async fn() {
    await withFolder(async (cwd) => {
      const own = `${cwd}/.agent/skills/own`;
      await Deno.mkdir(own, { recursive: true });
      await Deno.writeTextFile(`${own}/SKILL.md`, "Ours");
      const skills = [
        orderOf("own", { "SKILL.md": "Theirs" }),
        orderOf("../out", { "SKILL.md": "x" }),
        orderOf("in", { "../../out": "x" }),
        { name: "gone", files: [{ path: "SKILL.md", sha256: "0".repeat(64) }] },
      ];
      deepEqual(await placeSkills({ skills }, optionsFor(cwd)), [
        'Skill "own" is left out: the repository has .agent/skills/own itself',
        `Skill "../out" is left out: its name, or one of its files', is none that a folder can have`,
        `Skill "in" is left out: its name, or one of its files', is none that a folder can have`,
        'Skill "gone" is left out: It was changed',
      ]);
      equal(await Deno.readTextFile(`${own}/SKILL.md`), "Ours");
      const [none] = await placeSkills({ skills: [orderOf("a", { b: "" })] }, {
        ...optionsFor(cwd),
        folder: null,
      });
      equal(none, 'Skill "a" is left out: the agent has no place for skills');
    });
  },
});
