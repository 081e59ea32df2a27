/**
 * Debian's PgBouncer in transaction mode, where it is installed.
 *
 * @module
 */
import { queryOnce } from "../../store/pg/postgres.ts";
import { ownerOf } from "./debian_postgres.ts";
import { freePort } from "./free_port.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
const DEADLINE_MS = 120_000;

/** Whether it is installed here; tests that need it are skipped where not. */
export const HAS_PGBOUNCER = await Deno.stat(PROGRAM)
  .then(() => true, () => false);

/** A running pooler. */
export interface PgBouncer extends AsyncDisposable {
  /** Address of the database behind it. */
  readonly url: string;
}

/**
 * Starts one in front of a server. With so few connections behind it, clients
 * hardly ever get the same one twice.
 */
export async function openPgBouncer(
  serverUrl: string,
  connections = 4,
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const folder = await Deno.makeTempDir({ prefix: "rc-pgbouncer-" });
  const owner = Deno.uid() === 0 ? await ownerOf("postgres") : {};
  const port = freePort();
  const secret = decodeURIComponent(password);
  await Deno.writeTextFile(
    `${folder}/pgbouncer.ini`,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  );
  if (owner.uid !== undefined) {
    await Deno.chown(`${folder}/pgbouncer.ini`, owner.uid, owner.gid ?? null);
    await Deno.chown(folder, owner.uid, owner.gid ?? null);
  }
  const child = new Deno.Command(PROGRAM, {
    args: [`${folder}/pgbouncer.ini`],
    ...owner,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `postgres://${username}@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    child.kill("SIGKILL");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  };
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      await queryOnce({ kind: "url", url }, "select 1");
      break;
    } catch (error) {
      if (performance.now() < deadline) continue;
      await stop();
      throw error;
    }
  }
  return { url, [Symbol.asyncDispose]: stop };
}
