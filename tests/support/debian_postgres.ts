/**
 * Debian's own PostgreSQL 15 as an external server, where it is installed.
 *
 * @module
 */
import { queryOnce } from "../../store/pg/postgres.ts";
import { freePort } from "./free_port.ts";

const BIN = "/usr/lib/postgresql/15/bin";
const PASSWORD = "s3cret:p@ss/word";

/** Whether it is installed here; tests that need it are skipped where not. */
export const HAS_DEBIAN_POSTGRES = await Deno.stat(`${BIN}/initdb`)
  .then(() => true, () => false);

/** Whom PostgreSQL runs as; nobody in particular without root. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** A running server with password authentication. */
export interface ExternalPostgres extends AsyncDisposable {
  /** Address with its password. */
  readonly url: string;
  /** Its port. */
  readonly port: number;
  /** Its password. */
  readonly password: string;
  /** Folder of its socket. */
  readonly folder: string;
  /** The authority's certificate, where it speaks TLS. */
  readonly rootFile: string;
  /** Stops it at once. */
  stop(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
}

/**
 * Makes and starts a server on a free port. With TLS it shows a certificate for
 * `localhost`, of an authority of its own.
 */
export async function openDebianPostgres(
  { isSecure = false }: { readonly isSecure?: boolean } = {},
): Promise<ExternalPostgres> {
  const folder = await Deno.makeTempDir({ prefix: "rc-pg15-" });
  const owner: Owner = Deno.uid() === 0 ? await ownerOf("postgres") : {};
  if (owner.uid !== undefined) {
    await Deno.chown(folder, owner.uid, owner.gid ?? null);
  }
  await Deno.writeTextFile(`${folder}/password`, PASSWORD);
  if (owner.uid !== undefined) {
    await Deno.chown(`${folder}/password`, owner.uid, owner.gid ?? null);
  }
  await run(owner, "initdb", [
    "-D",
    `${folder}/data`,
    "-U",
    "keeper",
    "-A",
    "scram-sha-256",
    `--pwfile=${folder}/password`,
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
  ]);
  if (isSecure) await certify(folder, owner);
  const port = freePort();
  const start = () =>
    run(owner, "pg_ctl", [
      "start",
      "-w",
      "-D",
      `${folder}/data`,
      "-l",
      `${folder}/log`,
      "-o",
      `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1${
        isSecure ? " -c ssl=on" : ""
      }`,
    ]);
  const stop = () =>
    run(owner, "pg_ctl", [
      "stop",
      "-w",
      "-m",
      "immediate",
      "-D",
      `${folder}/data`,
    ]);
  await start();
  const url = `postgres://keeper:${
    encodeURIComponent(PASSWORD)
  }@127.0.0.1:${port}/postgres`;
  await queryOnce({ kind: "url", url }, "select 1");
  return {
    url,
    port,
    password: PASSWORD,
    folder,
    rootFile: `${folder}/root.crt`,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => {});
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Makes an authority, and the server's key and certificate. */
async function certify(folder: string, owner: Owner): Promise<void> {
  const data = `${folder}/data`;
  const openssl = async (...args: readonly string[]) => {
    const { code, stderr } = await new Deno.Command("openssl", {
      args: [...args],
      stdout: "null",
      stderr: "piped",
    }).output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  };
  const newKey = ["-newkey", "rsa:2048", "-nodes"];
  await openssl(
    ...["req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=Test authority"],
    ...["-keyout", `${folder}/root.key`, "-out", `${folder}/root.crt`],
  );
  await openssl(
    ...["req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost"],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ...["-CA", `${folder}/root.crt`, "-CAkey", `${folder}/root.key`],
    ...["-keyout", `${data}/server.key`, "-out", `${data}/server.crt`],
  );
  for (const name of ["server.key", "server.crt"]) {
    await Deno.chmod(`${data}/${name}`, 0o600);
    if (owner.uid !== undefined) {
      await Deno.chown(`${data}/${name}`, owner.uid, owner.gid ?? null);
    }
  }
}

async function run(
  owner: Owner,
  name: string,
  args: readonly string[],
): Promise<void> {
  // The server inherits what pg_ctl had open, so nothing may be piped to it.
  const { code } = await new Deno.Command(`${BIN}/${name}`, {
    args: [...args],
    ...owner,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  if (code !== 0) throw new Error(`${name} failed with exit code ${code}`);
}

/** User and group ids of a user of this machine. */
export async function ownerOf(name: string): Promise<Owner> {
  const line = (await Deno.readTextFile("/etc/passwd")).split("\n")
    .find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
