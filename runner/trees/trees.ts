/**
 * The trees of a runner's sessions: a clone each, from a mirror a repository.
 *
 * Specification: docs/spec/runner.md section 5.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { LeasedTurn } from "../../fleet/turns/protocol.ts";
import { type Folders, makeAgentFolder, sessionFolder } from "../folders.ts";
import { type GitOptions, runGit, withoutCredentials } from "./git.ts";
import { readReport } from "./report.ts";
import { type PreparedTree, TreeError } from "./tree.ts";

/** The trees. */
export interface Trees {
  /** Makes the tree of a turn's session ready. @throws {TreeError} */
  prepare(turn: LeasedTurn): Promise<PreparedTree>;
  /** Removes a session's tree; unpushed work is saved first. */
  remove(sessionId: number): Promise<string>;
  /** Saves what a session's tree has and no remote does. */
  saveBundle(sessionId: number): Promise<string>;
  /** Removes what is left of removals that were cut off. */
  cleanUp(): Promise<string>;
}

/** What they need. */
export interface TreesOptions {
  /** Where they lie. */
  readonly folders: Folders;
  /** The runner's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Ends the name of a folder that is being removed. */
const REMOVED = ".removed";
/** Repositories are reached by these; `ext::` and the like run programs. */
const URL_REGEXP = /^(https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:|^\//i;

/** Trees in these folders. */
export function openTrees({ folders, env }: TreesOptions): Trees {
  const mirrors = new Map<string, Promise<string>>();
  const gitAt = (cwd: string): GitOptions => ({
    cwd,
    home: folders.home,
    ceiling: folders.sessions,
    user: folders.agentUser,
    env,
  });

  async function prepare({ session_id, tree }: LeasedTurn): Promise<
    PreparedTree
  > {
    const base = sessionFolder(folders, session_id);
    const top = `${base}/tree`;
    await makeAgentFolder(base, folders);
    if (tree.url === null) {
      await makeAgentFolder(top, folders);
      return { cwd: top, notices: [], report: () => Promise.resolve(null) };
    }
    const notices: string[] = [];
    if (await exists(top)) await assertOwn(top);
    else notices.push(await clone(session_id, tree, top));
    const cwd = await workingFolder(top, tree.subdirectory);
    return { cwd, notices, report: () => readReport(gitAt(top)) };
  }

  /** Else git would fall through to whatever lies above. */
  async function assertOwn(top: string): Promise<void> {
    const { ok, text, words } = await runGit(
      ["rev-parse", "--show-toplevel"],
      gitAt(top),
    );
    if (ok && text.trim() === await Deno.realPath(top)) return;
    throw new TreeError(
      "tree_broken",
      `The session's folder is not the top of its own clone: ${
        ok ? `git takes ${text.trim()} for it` : words
      }. Nothing was run in it`,
    );
  }

  async function clone(
    sessionId: number,
    { url, branch, fork }: LeasedTurn["tree"],
    top: string,
  ): Promise<string> {
    const address = url ?? "";
    if (
      !URL_REGEXP.test(address) || /\s/.test(address) ||
      address.includes("\u0000")
    ) {
      throw new TreeError(
        "clone_refused",
        "The repository's address is none that git is given here: http(s), ssh, git, file",
      );
    }
    const mirror = await mirrorOf(address);
    // Beside its place, so that a clone that is cut off is never taken for one.
    const made = `${top}.new`;
    await Deno.remove(made, { recursive: true }).catch(() => {});
    await refuseUnless(
      await runGit([
        "clone",
        "--reference",
        mirror,
        ...(branch === null ? [] : ["--branch", branch]),
        "--",
        address,
        made,
      ], gitAt(folders.sessions)),
      "cloned",
    );
    const name = `rootcellar/session-${sessionId}`;
    const isThere = fork !== null && await fetchCommit(made, fork);
    await refuseUnless(
      await runGit(
        ["checkout", "-q", "-b", name, ...(isThere ? [fork.commit] : [])],
        gitAt(made),
      ),
      "given a branch",
    );
    await Deno.rename(made, top);
    const cloned = `Cloned ${withoutCredentials(address)} on branch ${name}`;
    if (fork === null) return cloned;
    const at = fork.commit.slice(0, 12);
    return isThere
      ? `${cloned} at commit ${at}, as session ${fork.session_id} had it; what that had not committed is not here`
      : `${cloned}: commit ${at} of session ${fork.session_id} is not to be had here, so it begins where its branch is now`;
  }

  /** Whether a clone has a commit, by itself or from the tree of a session. */
  async function fetchCommit(
    clone: string,
    { commit, session_id }: NonNullable<LeasedTurn["tree"]["fork"]>,
  ): Promise<boolean> {
    const has = ["cat-file", "-e", `${commit}^{commit}`];
    if ((await runGit(has, gitAt(clone))).ok) return true;
    const source = `${sessionFolder(folders, session_id)}/tree`;
    if (!await exists(`${source}/.git`)) return false;
    await runGit(["fetch", "-q", "--", source, commit], gitAt(clone));
    return (await runGit(has, gitAt(clone))).ok;
  }

  /** Never pruned: clones borrow its objects. One at a time a repository. */
  function mirrorOf(url: string): Promise<string> {
    const before = mirrors.get(url) ?? Promise.resolve("");
    const next = before.catch(() => "").then(async () => {
      const name = createHash("sha256").update(url).digest("hex").slice(0, 32);
      const path = `${folders.mirrors}/${name}.git`;
      if (await exists(path)) {
        // A repository that is away now is seen by the clone itself.
        await runGit(["fetch", "-q", "--no-prune", "origin"], gitAt(path));
        return path;
      }
      const made = `${path}.new`;
      await Deno.remove(made, { recursive: true }).catch(() => {});
      await refuseUnless(
        await runGit(
          ["clone", "-q", "--mirror", "--", url, made],
          gitAt(folders.mirrors),
        ),
        "cloned",
      );
      await runGit(["config", "gc.auto", "0"], gitAt(made));
      await Deno.rename(made, path);
      return path;
    });
    mirrors.set(url, next);
    return next;
  }

  async function saveBundle(sessionId: number): Promise<string> {
    const top = `${sessionFolder(folders, sessionId)}/tree`;
    if (!await exists(`${top}/.git`)) return "There is nothing to save";
    await assertOwn(top);
    const git = gitAt(top);
    const report = await readReport(git);
    if (report.unpushed === 0 && report.dirty_count === 0) {
      return "There is nothing that no remote has";
    }
    if (report.dirty_count > 0) {
      const author = ["-c", "user.name=Rootcellar", "-c", "user.email=none"];
      await refuseUnless(await runGit(["add", "-A"], git), "saved");
      await refuseUnless(
        await runGit([
          ...author,
          "commit",
          "-q",
          "--no-verify",
          "-m",
          "What was not committed",
        ], git),
        "saved",
      );
    }
    const path = `${folders.bundles}/session-${sessionId}.bundle`;
    await refuseUnless(
      await runGit(
        [
          "bundle",
          "create",
          "-q",
          path,
          "HEAD",
          "--branches",
          "--not",
          "--remotes",
        ],
        git,
      ),
      "saved",
    );
    return `Saved as ${path}`;
  }

  async function remove(sessionId: number): Promise<string> {
    const base = sessionFolder(folders, sessionId);
    if (!await exists(base)) return "There is no tree";
    const saved = await saveBundle(sessionId);
    await Deno.rename(base, `${base}${REMOVED}`);
    await Deno.remove(`${base}${REMOVED}`, { recursive: true });
    return `Removed. ${saved}`;
  }

  async function cleanUp(): Promise<string> {
    let removed = 0;
    for await (const { name } of Deno.readDir(folders.sessions)) {
      if (!name.endsWith(REMOVED)) continue;
      await Deno.remove(`${folders.sessions}/${name}`, { recursive: true });
      removed++;
    }
    return `Removed ${removed} folders`;
  }

  return { prepare, remove, saveBundle, cleanUp };
}

async function workingFolder(
  top: string,
  subdirectory: string | null,
): Promise<string> {
  if (subdirectory === null || subdirectory === "") return top;
  const path = await Deno.realPath(`${top}/${subdirectory}`)
    .catch(() => undefined);
  const base = await Deno.realPath(top);
  const isInside = path === base || path?.startsWith(`${base}/`) === true;
  if (path !== undefined && isInside) return path;
  throw new TreeError(
    "tree_broken",
    `The repository has no folder "${subdirectory.slice(0, 200)}" inside`,
  );
}

function refuseUnless(
  { ok, words }: { readonly ok: boolean; readonly words: string },
  what: string,
): Promise<void> {
  if (ok) return Promise.resolve();
  const isFull = /No space left on device/.test(words);
  return Promise.reject(
    new TreeError(
      isFull ? "disk_full" : "clone_refused",
      `The repository could not be ${what}: ${words}`,
    ),
  );
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
