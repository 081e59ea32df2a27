import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { TreeOrder } from "../../fleet/turns/protocol.ts";
import { type AgentUser, openFolders } from "../folders.ts";
import { turnOf } from "../testdata/protocol_server.ts";
import { withoutCredentials } from "./git.ts";
import { TreeError } from "./tree.ts";
import { openTrees, type Trees } from "./trees.ts";

/** A repository, and trees of it. */
class Site implements AsyncDisposable {
  readonly folder: string;
  readonly origin: string;
  readonly trees: Trees;

  private constructor(folder: string, origin: string, trees: Trees) {
    this.folder = folder;
    this.origin = origin;
    this.trees = trees;
  }

  static async open(agentUser?: AgentUser): Promise<Site> {
    const folder = await Deno.makeTempDir({ prefix: "rootcellar-trees-" });
    await Deno.chmod(folder, 0o711);
    const origin = `${folder}/origin`;
    await Deno.mkdir(`${origin}/inner`, { recursive: true });
    await Deno.writeTextFile(`${origin}/inner/a.txt`, "a");
    await git(origin, "init", "-q", "-b", "main");
    await git(origin, "add", "-A");
    await commit(origin, "first");
    const env = { PATH: Deno.env.get("PATH") ?? "" };
    const folders = await openFolders(`${folder}/runner`, agentUser);
    return new Site(folder, origin, openTrees({ folders, env }));
  }

  turn(
    session_id: number,
    subdirectory: string | null = null,
    fork: TreeOrder["fork"] = null,
  ) {
    const url = `file://${this.origin}`;
    return turnOf({
      session_id,
      tree: { url, branch: "main", subdirectory, fork },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args,
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  const decoder = new TextDecoder();
  ok(success, decoder.decode(stderr));
  return decoder.decode(stdout).trim();
}

async function commit(cwd: string, message: string): Promise<void> {
  await git(
    cwd,
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@example.org",
    "commit",
    "-q",
    "-m",
    message,
  );
}

Deno.test("a session has a clone of its own, on a branch with its number, that stays where it is", async () => {
  await using site = await Site.open();
  const [one, two] = await Promise.all([
    site.trees.prepare(site.turn(1)),
    site.trees.prepare(site.turn(2, "inner")),
  ]);
  equal(await git(one.cwd, "branch", "--show-current"), "rootcellar/session-1");
  match(two.cwd, /session-2\/tree\/inner$/);
  await Deno.writeTextFile(`${one.cwd}/mine`, "x");
  const again = await site.trees.prepare(site.turn(1));
  equal(again.cwd, one.cwd);
  deepEqual(again.notices, []);
  equal(await Deno.readTextFile(`${again.cwd}/mine`), "x");
});

Deno.test("[behaviour 21] after a turn commit, branch, uncommitted files and unpushed commits are told", async () => {
  await using site = await Site.open();
  const tree = await site.trees.prepare(site.turn(1));
  const clean = await tree.report();
  deepEqual([clean?.dirty_count, clean?.unpushed], [0, 0]);
  await Deno.writeTextFile(`${tree.cwd}/new file`, "x");
  await git(tree.cwd, "add", "-A");
  await commit(tree.cwd, "second");
  await Deno.writeTextFile(`${tree.cwd}/inner/a.txt`, "changed");
  await Deno.writeTextFile(`${tree.cwd}/loose`, "x");
  const report = await tree.report();
  deepEqual(report, {
    before: null,
    after: await git(tree.cwd, "rev-parse", "HEAD"),
    branch: "rootcellar/session-1",
    dirty: ["inner/a.txt", "loose"],
    dirty_count: 2,
    unpushed: 1,
  });
});

Deno.test("[behaviour 19] a folder that is not the top of its own clone runs nothing", async () => {
  await using site = await Site.open();
  const tree = await site.trees.prepare(site.turn(1));
  await Deno.remove(`${tree.cwd}/.git`, { recursive: true });
  // A repository above, into which git would fall.
  await git(`${site.folder}/runner`, "init", "-q");
  await rejects(site.trees.prepare(site.turn(1)), (error) => {
    ok(error instanceof TreeError);
    equal(error.class, "tree_broken");
    return true;
  });
});

Deno.test("[behaviour 20] a tree is removed only after its unpushed work was saved, and comes out of the bundle again", async () => {
  await using site = await Site.open();
  const tree = await site.trees.prepare(site.turn(1));
  await Deno.writeTextFile(`${tree.cwd}/loose`, "precious");
  const said = await site.trees.remove(1);
  const path = /Saved as (\S+)/.exec(said)?.[1] ?? "";
  await rejects(Deno.stat(tree.cwd), Deno.errors.NotFound);
  await git(site.origin, "fetch", "-q", path, "rootcellar/session-1:saved");
  equal(await git(site.origin, "show", "saved:loose"), "precious");
  equal(await site.trees.remove(1), "There is no tree");
});

Deno.test({
  name:
    "as root, trees, mirrors and bundles belong to the agents' user, who commits in them",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  async fn() {
    const agent = { uid: 64_021, gid: 64_021 };
    await using site = await Site.open(agent);
    // Git refuses to clone what lies on this machine and is another user's.
    const { success } = await new Deno.Command("chown", {
      args: ["-R", `${agent.uid}:${agent.gid}`, site.origin],
    }).output();
    ok(success);
    const tree = await site.trees.prepare(site.turn(1));
    const [mirror] = await Array.fromAsync(
      Deno.readDir(`${site.folder}/runner/mirrors`),
    );
    for (
      const path of [
        `${tree.cwd}/.git/config`,
        `${site.folder}/runner/mirrors/${mirror?.name}/HEAD`,
      ]
    ) equal((await Deno.stat(path)).uid, agent.uid);
    const committing = await new Deno.Command("sh", {
      args: [
        "-c",
        "echo x > new && git add new && git -c user.name=A -c user.email=a@b.c commit -qm new",
      ],
      cwd: tree.cwd,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: `${site.folder}/runner/home`,
      },
      ...agent,
    }).output();
    equal(new TextDecoder().decode(committing.stderr), "");
    equal((await tree.report())?.unpushed, 1);
    const again = await site.trees.prepare(site.turn(1));
    equal(again.cwd, tree.cwd);
    const said = await site.trees.remove(1);
    const path = /Saved as (\S+)/.exec(said)?.[1] ?? "";
    equal((await Deno.stat(path)).uid, agent.uid);
  },
});

Deno.test("a repository that is not to be had is refused in git's words, without credentials; others are not given to git", async () => {
  await using site = await Site.open();
  const refused = (url: string) =>
    rejects(
      site.trees.prepare(
        turnOf({
          tree: { url, branch: null, subdirectory: null, fork: null },
        }),
      ),
      (error) => {
        ok(error instanceof TreeError);
        equal(error.class, "clone_refused");
        ok(!error.message.includes("canary"), error.message);
        return true;
      },
    );
  await refused(`file://${site.folder}/nowhere`);
  await refused("http://user:canary@127.0.0.1:1/none.git");
  await refused(`ext::sh -c "touch ${site.folder}/ran"`);
  await refused("--upload-pack=touch");
  await rejects(Deno.stat(`${site.folder}/ran`), Deno.errors.NotFound);
  equal(
    withoutCredentials("fatal: https://a:b@host/x and ssh://c@h/y"),
    "fatal: https://host/x and ssh://h/y",
  );
});

Deno.test("a working folder outside of the tree is refused", async () => {
  await using site = await Site.open();
  for (const subdirectory of ["../..", "none", "../../.."]) {
    await rejects(
      site.trees.prepare(site.turn(1, subdirectory)),
      /has no folder/,
    );
  }
});

Deno.test("a fork begins at its source's commit, pushed or not, and says where it cannot", async () => {
  await using site = await Site.open();
  const source = await site.trees.prepare(site.turn(1));
  const first = await git(source.cwd, "rev-parse", "HEAD");
  await Deno.writeTextFile(`${source.cwd}/b.txt`, "b");
  await git(source.cwd, "add", "-A");
  await commit(source.cwd, "unpushed");
  const second = await git(source.cwd, "rev-parse", "HEAD");
  await Deno.writeTextFile(`${source.cwd}/c.txt`, "c");
  await git(source.cwd, "add", "-A");
  await commit(source.cwd, "later");
  await Deno.writeTextFile(`${site.origin}/d.txt`, "d");
  await git(site.origin, "add", "-A");
  await commit(site.origin, "of others");
  for (const [id, at] of [[2, first], [3, second]] as const) {
    const fork = { commit: at, session_id: 1 };
    const tree = await site.trees.prepare(site.turn(id, null, fork));
    equal(await git(tree.cwd, "rev-parse", "HEAD"), at);
    equal(
      await git(tree.cwd, "branch", "--show-current"),
      `rootcellar/session-${id}`,
    );
    equal((await tree.report())?.unpushed, id - 2);
    match(tree.notices.join(), new RegExp(`at commit ${at.slice(0, 12)}`));
  }
  for (const commit of ["0".repeat(40), second]) {
    // Nothing is known of session 9 here: its runner is another.
    const fork = { commit, session_id: 9 };
    const id = commit === second ? 5 : 4;
    const tree = await site.trees.prepare(site.turn(id, null, fork));
    equal(
      await git(tree.cwd, "rev-parse", "HEAD"),
      await git(site.origin, "rev-parse", "HEAD"),
    );
    match(
      tree.notices.join(),
      new RegExp(`commit ${commit.slice(0, 12)} .*is not to be had here`),
    );
  }
});
