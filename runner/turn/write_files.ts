/**
 * Writes files of the catalog, and others, with the rights of the agents' user,
 * who may have put a link anywhere in their way.
 *
 * @module
 */
import type { FileOrder } from "../../fleet/turns/protocol.ts";
import { runAs, type ScriptPlace } from "../process/run_as.ts";
import type { ServerClient } from "../server/client.ts";

/** A file with what is in it. */
export interface NewFile {
  /** Below the working folder. */
  readonly path: string;
  /** What is in it. */
  readonly bytes: Uint8Array;
  /** Whether it is a program. @default {false} */
  readonly isProgram?: boolean;
}

const NAME_REGEXP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const WRITE_FILE = `mkdir -p -- "$(dirname -- "$1")" && cat > "$1"`;
const WRITE_PROGRAM = `umask 077 && ${WRITE_FILE} && chmod 700 -- "$1"`;

/** Whether a folder can have this name, and hold these files. */
export function canHold(name: string, files: readonly FileOrder[]): boolean {
  return NAME_REGEXP.test(name) && files.every(({ path }) => isInside(path));
}

/** Writes one; whether it is there. */
export async function writeFile(
  place: ScriptPlace,
  { path, bytes, isProgram }: NewFile,
): Promise<boolean> {
  const script = isProgram === true ? WRITE_PROGRAM : WRITE_FILE;
  return await runAs(place, script, { argument: path, input: bytes }) === 0;
}

/** Fetches files into a folder; why not all are there, undefined where so. */
export async function fetchFiles(
  place: ScriptPlace,
  files: readonly FileOrder[],
  { folder, client, arePrograms = false }: {
    /** Below the working folder. */
    readonly folder: string;
    readonly client: Pick<ServerClient, "artifact">;
    readonly arePrograms?: boolean;
  },
): Promise<string | undefined> {
  try {
    for (const { path, sha256 } of files) {
      const { base64 } = await client.artifact(sha256);
      const isWritten = await writeFile(place, {
        path: `${folder}/${path}`,
        bytes: Uint8Array.fromBase64(base64),
        isProgram: arePrograms,
      });
      if (!isWritten) return "its files cannot be written";
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isInside(path: string): boolean {
  return path.split("/").every((part) =>
    part !== "" && part !== "." && part !== ".." && !part.includes("\u0000")
  );
}
