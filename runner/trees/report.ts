/**
 * What a tree holds: commit, branch, what is not committed, what is not pushed.
 *
 * @module
 */
import type { GitReport } from "../../fleet/turns/protocol.ts";
import { type GitOptions, runGit } from "./git.ts";

/** Names of files that are listed at most. */
const MAX_FILES = 100;

/** Reads it; `before` is for whoever knows. */
export async function readReport(git: GitOptions): Promise<GitReport> {
  const [head, branch, status, unpushed] = await Promise.all([
    runGit(["rev-parse", "--verify", "-q", "HEAD"], git),
    runGit(["symbolic-ref", "--short", "-q", "HEAD"], git),
    runGit(["status", "--porcelain", "-z", "--no-renames"], git),
    runGit(
      ["rev-list", "--count", "HEAD", "--branches", "--not", "--remotes"],
      git,
    ),
  ]);
  const dirty = status.text.split("\0").filter((entry) => entry !== "")
    .map((entry) => entry.slice(3));
  return {
    before: null,
    after: head.ok ? head.text.trim() : null,
    branch: branch.ok ? branch.text.trim() : null,
    dirty: dirty.slice(0, MAX_FILES).map((name) => name.slice(0, 1_000)),
    dirty_count: dirty.length,
    unpushed: unpushed.ok ? Number(unpushed.text.trim()) : 0,
  };
}
