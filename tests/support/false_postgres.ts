/**
 * A server that lets everyone in as PostgreSQL does, and then does what a test
 * tells it: for faults that a real one shows once in a thousand crashes.
 *
 * @module
 */
import type { DatabaseTarget } from "../../store/pg/db.ts";

/** What a connection can be made to do. */
export interface FalseConnection {
  /** Which connection this is; the first is 1. */
  readonly number: number;
  send(message: Uint8Array): Promise<void>;
  close(): void;
}

/** What it does. */
export interface FalseBehaviour {
  /** Called when a client asks to be let in, instead of letting it in. */
  readonly greet?: (connection: FalseConnection) => Promise<void>;
  /** Called with each further packet, and its text. */
  readonly answer: (connection: FalseConnection, text: string) => Promise<void>;
}

/** A listening server. */
export interface FalsePostgres extends Disposable {
  readonly target: DatabaseTarget;
  /** Takes no further connections; those there are go on. */
  closeDoor(): void;
}

/** A message of the protocol. */
export function message(
  type: string,
  body: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(5 + body.length);
  bytes[0] = type.charCodeAt(0);
  new DataView(bytes.buffer).setUint32(1, 4 + body.length);
  bytes.set(body, 5);
  return bytes;
}

/** The message of a fatal error. */
export function fatal(sqlState: string): Uint8Array<ArrayBuffer> {
  const fields = `SFATAL\0VFATAL\0C${sqlState}\0Mmade up\0\0`;
  return message("E", new TextEncoder().encode(fields));
}

/** Length of a request to cancel. */
const CANCEL_BYTES = 16;

/** That a statement is done; `state` is that of the transaction. */
export function done(tag: string, state: "I" | "T"): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder();
  return new Uint8Array([
    ...message("C", text.encode(`${tag}\0`)),
    ...message("Z", text.encode(state)),
  ]);
}

/** That the client is in, and that the next statement may come. */
export const WELCOME = new Uint8Array([
  ...message("R", new Uint8Array(4)),
  ...message("Z", new TextEncoder().encode("I")),
]);

/** Listens on a free port. */
export function openFalsePostgres(behaviour: FalseBehaviour): FalsePostgres {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const open = new Set<Deno.Conn>();
  let isOpen = true;
  const closeDoor = () => {
    if (isOpen) listener.close();
    isOpen = false;
  };
  const close = (conn: Deno.Conn) => {
    if (open.delete(conn)) conn.close();
  };
  const talk = async (conn: Deno.Conn, number: number) => {
    open.add(conn);
    const connection: FalseConnection = {
      number,
      send: async (bytes) => {
        await conn.write(bytes);
      },
      close: () => close(conn),
    };
    const packet = new Uint8Array(64 * 1024);
    try {
      for (let n = 0;; n++) {
        const length = await conn.read(packet);
        if (length === null) break;
        const text = new TextDecoder().decode(packet.subarray(0, length));
        // A cancellation has a connection of its own, on which nothing is said.
        if (n === 0 && length === CANCEL_BYTES) break;
        if (n > 0) await behaviour.answer(connection, text);
        else if (behaviour.greet !== undefined) {
          await behaviour.greet(connection);
        } else await connection.send(WELCOME);
      }
    } catch {
      // Closed by either side.
    }
    close(conn);
  };
  (async () => {
    let number = 0;
    for await (const conn of listener) talk(conn, ++number);
  })().catch(() => {}); // The door was closed.
  return {
    target: { kind: "loopback", port, user: "u", password: "p", database: "d" },
    closeDoor,
    [Symbol.dispose]() {
      closeDoor();
      for (const conn of [...open]) close(conn);
    },
  };
}
