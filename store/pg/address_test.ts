import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Address, type Host, parseAddress } from "./address.ts";

const NO_TLS = { mode: "off", rootFile: undefined, own: undefined } as const;

/** An address without anything that need not be said. */
const PLAIN: Address = {
  hosts: [tcp("db.example.com")],
  user: "u",
  password: "p",
  database: "d",
  tls: { ...NO_TLS, mode: "prefer" },
  connectTimeoutS: undefined,
  applicationName: undefined,
  keepAliveS: undefined,
  startup: {},
  needsWrites: false,
};

function tcp(name: string, port = 5432): Host {
  return { kind: "tcp", name, port };
}

function socket(directory: string, port = 5432): Host {
  return { kind: "socket", directory, port };
}

function tls(mode: Address["tls"]["mode"], rootFile?: string) {
  return { tls: { mode, rootFile, own: undefined } };
}

const BASE = "postgres://u:p@db.example.com/d";

const READ: Readonly<Record<string, Partial<Address>>> = {
  [BASE]: {},
  [`postgresql://u:p@db.example.com:6543/d `]: {
    hosts: [tcp("db.example.com", 6543)],
  },
  "postgres://db.example.com": {
    user: undefined,
    password: undefined,
    database: undefined,
  },
  "postgres://u@db.example.com/": { password: undefined, database: undefined },
  "postgres://u.ref:p%40%2F%23%25%3A@db.example.com/d%20x": {
    user: "u.ref",
    password: "p@/#%:",
    database: "d x",
  },
  "postgres://u:p#a@b@db.example.com/d": { password: "p#a@b" },
  "postgres://u:p@localhost/d": { hosts: [tcp("localhost")], tls: NO_TLS },
  "postgres://u:p@[::1]:5433/d": { hosts: [tcp("::1", 5433)], tls: NO_TLS },
  "postgres://u:p@[2001:db8::7]/d": { hosts: [tcp("2001:db8::7")] },
  "postgres://u:p@localhost/d?sslmode=prefer": {
    hosts: [tcp("localhost")],
    ...tls("prefer"),
  },
  "postgres://u:p@a:1,b:2,c/d": {
    hosts: [tcp("a", 1), tcp("b", 2), tcp("c")],
  },
  "postgres://u:p@a,b/d?port=7&target_session_attrs=read-write": {
    hosts: [tcp("a", 7), tcp("b", 7)],
    needsWrites: true,
  },
  "postgresql://u:p@%2Fvar%2Frun%2Fpg:5433/d": {
    hosts: [socket("/var/run/pg", 5433)],
    tls: NO_TLS,
  },
  "postgresql:///d?host=/var/run/pg&port=5433": {
    hosts: [socket("/var/run/pg", 5433)],
    user: undefined,
    password: undefined,
    tls: NO_TLS,
  },
  "postgresql:///d?host=/var/run/pg&user=u&password=p&dbname=e&sslmode=require":
    { hosts: [socket("/var/run/pg")], database: "e", tls: NO_TLS },
  "postgresql:///d": {
    hosts: [tcp("localhost")],
    user: undefined,
    password: undefined,
    tls: NO_TLS,
  },
  [`${BASE}?sslmode=disable`]: { tls: NO_TLS },
  [`${BASE}?sslmode=allow`]: tls("prefer"),
  [`${BASE}?sslmode=require`]: tls("unverified"),
  [`${BASE}?ssl=true`]: tls("unverified"),
  [`${BASE}?sslmode=no-verify`]: tls("unverified"),
  [`${BASE}?sslmode=require&sslrootcert=/ca.pem`]: tls("chain", "/ca.pem"),
  [`${BASE}?sslmode=verify-ca&sslrootcert=/ca.pem`]: tls("chain", "/ca.pem"),
  [`${BASE}?sslmode=verify-full&sslrootcert=%2Fca.pem`]: tls(
    "full",
    "/ca.pem",
  ),
  [`${BASE}?sslrootcert=system`]: tls("full"),
  // Neon's own; it cannot be bound to the channel, and is verified instead.
  [`${BASE}?sslmode=require&channel_binding=require`]: tls("full"),
  [`${BASE}?channel_binding=prefer&gssencmode=disable`]: {},
  [`${BASE}?sslmode=require&sslcert=/c&sslkey=/k`]: {
    tls: {
      mode: "unverified",
      rootFile: undefined,
      own: { certFile: "/c", keyFile: "/k" },
    },
  },
  [`${BASE}?options=endpoint%3Dep-x`]: {
    startup: { options: "endpoint=ep-x" },
  },
  [`${BASE}?options=-c%20search_path%3Dx&search_path=y`]: {
    startup: { options: "-c search_path=x", search_path: "y" },
  },
  // Of Prisma, Supabase and Vercel.
  [`${BASE}?pgbouncer=true&connection_limit=1&pool_timeout=0&schema=public`]:
    {},
  [`${BASE}?supa=base-pooler.x&statement_cache_size=0`]: {},
  [`${BASE}?connect_timeout=7&application_name=mine&keepalives=1&keepalives_idle=30&keepalives_count=3`]:
    { connectTimeoutS: 7, applicationName: "mine", keepAliveS: 30 },
  [`${BASE}?connect_timeout=0&fallback_application_name=f&keepalives=0`]: {
    applicationName: "f",
    keepAliveS: 0,
  },
  [`${BASE}?client_encoding=UTF8&target_session_attrs=any`]: {},
  [`${BASE}?`]: {},
};

const REFUSED: Readonly<Record<string, RegExp>> = {
  "mysql://u:hunter2@h/d": /must read postgres:/,
  "postgres//u:hunter2@h/d": /must read postgres:/,
  "postgres://u:hunter2/x@h/d": /must read postgres:/,
  "postgres://u:hunter2%zz@h/d": /must read postgres:/,
  "postgres://u:hunter2@h:99999/d": /must read postgres:/,
  "postgres://u:hunter2@h:x/d": /must read postgres:/,
  "postgres://u:hunter2@[::1/d": /must read postgres:/,
  "postgres://u:hunter2@a,b,c/d?port=1,2": /must read postgres:/,
  [`${BASE}?sslmode=hunter2`]: /must give sslmode one of these: disable, allow/,
  [`${BASE}?ssl=hunter2`]: /must give ssl one of these: true/,
  [`${BASE}?target_session_attrs=standby`]:
    /target_session_attrs one of these: any, read-write, primary/,
  [`${BASE}?client_encoding=latin1`]: /client_encoding one of these: utf8/,
  [`${BASE}?gssencmode=require`]: /gssencmode one of these: disable, prefer/,
  [`${BASE}?schema=hunter2`]: /schema one of these: public/,
  [`${BASE}?connect_timeout=soon`]: /connect_timeout a whole number/,
  [`${BASE}?sslcert=/hunter2`]: /both belong together/,
  [`${BASE}?sslmode=disable&channel_binding=require`]: /for no TLS/,
  [`${BASE}?statement_timeout=5`]:
    /not understood here: statement_timeout\. .*options=-c%20name%3Dvalue/,
  [`${BASE}?service=hunter2`]: /not understood here: service/,
  [`${BASE}?passfile=/hunter2`]: /not understood here: passfile/,
  [`${BASE}?hunter2!!=1`]: /one that is no word/,
  [`${BASE}?__proto__=1&constructor=1`]: /__proto__.*\n.*constructor/,
};

for (const [text, expected] of Object.entries(READ)) {
  Deno.test(`an address is understood: ${text}`, () => {
    const reading = parseAddress(text);
    ok(reading.ok, JSON.stringify(reading));
    deepEqual(reading.address, { ...PLAIN, ...expected });
  });
}

for (const [text, expected] of Object.entries(REFUSED)) {
  Deno.test(`an address is refused: ${text}`, () => {
    const reading = parseAddress(text);
    equal(reading.ok, false);
    const said = reading.ok ? "" : reading.problems.join("\n");
    match(said, expected);
    ok(!said.includes("hunter2"), said);
  });
}
