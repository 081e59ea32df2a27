/**
 * Skills as folders where the agent looks for them, below its working folder.
 *
 * They are no part of the repository: git is told to overlook them, and a
 * folder that the repository brings itself is left alone. All is written with
 * the rights of the agents' user, who may have put a link anywhere in there.
 *
 * @module
 */
import type { LeasedTurn, SkillOrder } from "../../fleet/turns/protocol.ts";
import type { AgentUser } from "../folders.ts";
import { runAs } from "../process/run_as.ts";
import type { ServerClient } from "../server/client.ts";
import { canHold, fetchFiles } from "./write_files.ts";

/** What it takes. */
export interface SkillsOptions {
  /** The working folder. */
  readonly cwd: string;
  /** Where the agent looks below it; null has none. */
  readonly folder: string | null;
  /** The server. */
  readonly client: Pick<ServerClient, "artifact">;
  /** Whom agents run as. */
  readonly owner: AgentUser | undefined;
}

/** Begins with the lines that git is to overlook. */
const MAKE_FOLDER = `
mark="$1/.rootcellar"
if [ -e "$1" ] && [ ! -e "$mark" ]; then exit 3; fi
rm -rf -- "$1" && mkdir -p -- "$1" && : > "$mark"
if exclude=$(git rev-parse --git-path info/exclude 2>/dev/null); then
  mkdir -p -- "$(dirname -- "$exclude")"
  line="/$(git rev-parse --show-prefix)$1/"
  grep -qxF -e "$line" -- "$exclude" 2>/dev/null || printf '%s\\n' "$line" >> "$exclude"
fi`;
const OWN_FOLDER_CODE = 3;

/** Puts them there; what is to be told of those that are not. */
export async function placeSkills(
  { skills }: Pick<LeasedTurn, "skills">,
  options: SkillsOptions,
): Promise<readonly string[]> {
  const notices: string[] = [];
  for (const skill of skills) {
    const why = await place(skill, options);
    if (why !== undefined) {
      notices.push(`Skill "${skill.name}" is left out: ${why}`);
    }
  }
  return notices;
}

/** Why it is not there; undefined where it is. */
async function place(
  { name, files }: SkillOrder,
  options: SkillsOptions,
): Promise<string | undefined> {
  const { folder, client } = options;
  if (folder === null) return "the agent has no place for skills";
  if (!canHold(name, files)) {
    return "its name, or one of its files', is none that a folder can have";
  }
  const made = await runAs(options, MAKE_FOLDER, {
    argument: `${folder}/${name}`,
  });
  if (made === OWN_FOLDER_CODE) {
    return `the repository has ${folder}/${name} itself`;
  }
  return await fetchFiles(options, files, {
    folder: `${folder}/${name}`,
    client,
  });
}
