/**
 * A wire to a server that can be cut, and that can hang: connections stand, and
 * nothing comes through for a while.
 *
 * @module
 */

/** It. */
export interface Wire extends AsyncDisposable {
  /** The same address at this end of it. */
  readonly url: string;
  /** Ends all of its connections. */
  cut(): void;
  /** Lets nothing through until it is called again with false. */
  hang(isHanging: boolean): void;
}

/** Lays it before a server on loopback. */
export function openWire(url: string): Wire {
  const far = new URL(url);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const near = new URL(url);
  near.port = String(listener.addr.port);
  const ends = new Set<Deno.TcpConn>();
  let gate = Promise.withResolvers<void>();
  gate.resolve();

  const pump = async (from: Deno.TcpConn, to: Deno.TcpConn) => {
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const count = await from.read(buffer);
      await gate.promise;
      if (count === null) return;
      for (let at = 0; at < count;) {
        at += await to.write(buffer.subarray(at, count));
      }
    }
  };
  const join = async (one: Deno.TcpConn) => {
    const pair = [one];
    ends.add(one);
    try {
      const other = await Deno.connect({
        hostname: far.hostname,
        port: Number(far.port),
      });
      pair.push(other);
      ends.add(other);
      // A half that is closed ends both: neither side of HTTP goes on alone.
      await Promise.race([pump(one, other), pump(other, one)]);
    } catch {
      // Nobody listens, or it was cut: whoever called sees the end.
    } finally {
      for (const end of pair) close(end);
    }
  };
  const close = (end: Deno.TcpConn) => {
    if (ends.delete(end)) end.close();
  };
  const joined = new Set<Promise<void>>();
  const listening = (async () => {
    for await (const one of listener) {
      const whole = join(one).finally(() => joined.delete(whole));
      joined.add(whole);
    }
  })();
  const self: Wire = {
    url: near.href,
    cut() {
      for (const end of [...ends]) close(end);
    },
    hang(isHanging) {
      if (isHanging) gate = Promise.withResolvers();
      else gate.resolve();
    },
    async [Symbol.asyncDispose]() {
      self.hang(false);
      listener.close();
      self.cut();
      await listening;
      await Promise.all(joined);
    },
  };
  return self;
}
