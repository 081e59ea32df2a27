/**
 * `/health`: the health report as a page. The same object as
 * `GET /api/v1/health`, put into words.
 *
 * @module
 */
import type { RootDataHealth } from "../../store/root_data/mod.ts";
import {
  type CatalogHealth,
  type HealthReport,
  readHealth,
} from "../watch/health.ts";
import type { MemoryHealth } from "../memory.ts";
import type { Services } from "../services.ts";
import { figure, size, text, time } from "./format.ts";
import { fleetPanels } from "./health/fleet_panels.ts";
import { type Page, PATHS } from "./layout.ts";
import { type Html, markup } from "./markup.ts";
import {
  capShare,
  facts,
  figures,
  link,
  note,
  panel,
  state,
  table,
  type Tone,
} from "./parts.ts";

type Figures = Exclude<RootDataHealth, { status: "unavailable" }>;

/** A sweep runs each hour: a recount older than two missed ones is old. */
const RECENT_RECOUNT_MS = 2 * 60 * 60 * 1_000;

/** Collections near the cap that the summary names. */
const MAX_NAMED = 3;

const CATALOG_STATES: Readonly<
  Record<CatalogHealth["state"], readonly [string, Tone]>
> = {
  fresh: ["Fresh", "good"],
  stale: ["Stale", "warn"],
  empty: ["Unavailable", "bad"],
};

const MEMORY_STATES: Readonly<
  Record<MemoryHealth["state"], readonly [string, Tone]>
> = {
  healthy: ["Healthy", "good"],
  degraded: ["Degraded", "warn"],
  down: ["Down", "bad"],
};

/** What came of a form of the page. */
export interface HealthOutcome {
  /** What was done, or why not. */
  readonly message: string;
  /** Whether it was refused. @default {false} */
  readonly isRefused?: boolean;
}

/** The page. Like the report, it never fails. */
export async function healthPage(
  services: Services,
  now: number,
  { outcome }: { readonly outcome?: HealthOutcome } = {},
): Promise<Page> {
  const report = await readHealth(services);
  const { root_data_health: rootData, catalog, memory, fleet } = report;
  const isRefused = outcome?.isRefused === true;
  return {
    title: "Health",
    status: isRefused ? 409 : 200,
    body: markup`
${
      outcome !== undefined &&
      markup`<div role="${isRefused ? "alert" : "status"}">${
        note(isRefused ? "bad" : "good", `${text(outcome.message)}.`)
      }</div>`
    }
${summary(report)}
${fleetPanels(fleet, now)}
${rootDataPanel(rootData, now)}
<div class="columns">
  <div>${sweepPanel(rootData, now)}${memoryPanel(memory)}</div>
  <div>${catalogPanel(catalog, now)}</div>
</div>
<p class="muted">Read at ${
      time(report.time, now)
    }. Load the page again for newer figures. Programs read them at <code>GET /api/v1/health</code>.</p>`,
  };
}

/** What asks for attention, one line each, with the panel that says more. */
function summary(
  { status, catalog, root_data_health: data, memory, fleet }: HealthReport,
): Html {
  const lines: Html[] = [];
  const add = (id: string, line: Html | string) => {
    lines.push(markup`<li><a href="#${id}">${line}</a></li>`);
  };
  for (const part of fleet.unreadable) {
    add("agents", `Could not be read: ${part}`);
  }
  for (const concern of fleet.concerns) add("agents", text(concern));
  if (data.status === "unavailable") {
    add("root-data", "Root data cannot be read");
  } else {
    if (data.overdue.records > 0) add("sweep", "The sweep is behind");
    for (const one of data.near_cap.slice(0, MAX_NAMED)) {
      const name = text(`${one.namespace} / ${one.collection}`);
      const records = `${figure(one.records)} of ${figure(one.limit)} records`;
      add("root-data", markup`${name} holds ${records}`);
    }
    const more = data.near_cap.length - MAX_NAMED;
    if (more > 0) add("root-data", `${more} more collections are near the cap`);
  }
  if (catalog.state === "stale") add("catalog", "The catalog is stale");
  if (catalog.state === "empty") add("catalog", "There is no catalog");
  if (catalog.ignored_total > 0) {
    const count = figure(catalog.ignored_total);
    add("catalog", `${count} left out of the catalog`);
  }
  if (memory !== null && memory.state !== "healthy") {
    add("memory", `Memory is ${memory.state}`);
  }
  return status === "ok" && lines.length === 0
    ? note("good", markup`<strong>All is well.</strong>`)
    : markup`<div class="note warn"><strong>Needs attention</strong><ul>${lines}</ul></div>`;
}

function rootDataPanel(data: RootDataHealth, now: number): Html {
  if (data.status === "unavailable") {
    const error = text(data.error);
    return panel("root-data", "Root Data", state("Unavailable", "bad"), [
      note(
        "bad",
        markup`The database did not give the figures (${error}). The server’s log has the reason; what is stored is not touched by this.`,
      ),
    ]);
  }
  const { totals } = data;
  const word = data.status === "ok"
    ? state("OK", "good")
    : state("Warning", "warn");
  return panel("root-data", "Root Data", word, [
    figures([
      ["Namespaces", figure(totals.namespaces)],
      ["Collections", figure(totals.collections)],
      ["Records", figure(totals.records)],
      ["Data", size(totals.bytes)],
    ]),
    markup`<h3>Near the cap</h3>${nearCap(data)}`,
    markup`<h3>Namespaces</h3>${namespaces(data, now)}`,
  ]);
}

function nearCap({ near_cap: near }: Figures): Html {
  if (near.length === 0) {
    return markup`<p>No collection holds 90 % of the records it may.</p>`;
  }
  const columns = [
    { label: "Collection" },
    { label: "Records", isFigure: true },
    { label: "Of the cap", isFigure: true },
  ];
  const rows = near.map(({ namespace, collection, records, limit, pct }) => {
    const counter = link(PATHS.counters, { namespace, collection });
    return [
      markup`<a href="${counter}">${text(namespace)} / ${text(collection)}</a>`,
      `${figure(records)} of ${figure(limit)}`,
      capShare(pct),
    ];
  });
  return markup`${table("Collections near the cap", columns, rows)}
<p class="muted">A full collection refuses new records and still takes replacements. Have sessions delete what they no longer need, or empty it (<code>deno task records</code>); <code>retention_days</code> only counts for what is written from then on.</p>`;
}

function namespaces(data: Figures, now: number): Html {
  if (data.namespaces.length === 0) {
    return markup`<p>Nothing is stored yet.</p>`;
  }
  const columns = [
    { label: "Namespace" },
    { label: "Collections", isFigure: true },
    { label: "Records", isFigure: true },
    { label: "Data", isFigure: true },
    { label: "Last write" },
  ];
  const rows = data.namespaces.map(({ namespace, ...one }) => {
    const records = link(PATHS.records, { namespace });
    return [
      markup`<a href="${records}">${text(namespace)}</a>`,
      figure(one.collections),
      figure(one.records),
      size(one.bytes),
      time(one.last_write_at, now),
    ];
  });
  const omitted = data.namespaces_omitted;
  const more = omitted > 0 &&
    markup`<p class="muted">${
      figure(omitted)
    } more hold less: see <a href="${PATHS.counters}">Counters</a>.</p>`;
  return markup`${table("Namespaces", columns, rows)}${more}`;
}

function sweepPanel(data: RootDataHealth, now: number): Html {
  if (data.status === "unavailable") {
    return panel("sweep", "Sweep", state("Unknown", "calm"), [
      markup`<p>Not known while the database cannot be read.</p>`,
    ]);
  }
  const { overdue, last_recount_at: recountedAt } = data;
  const { threshold_hours: hours, is_floor: isFloor } = overdue;
  const isBehind = overdue.records > 0;
  const late = isBehind
    ? markup`<strong>${isFloor && "at least "}${
      figure(overdue.records)
    }</strong> expired more than ${hours} h ago`
    : `none expired more than ${hours} h ago`;
  const compare = link(PATHS.counters, { compare: "1" });
  return panel("sweep", "Sweep", sweepState(isBehind, recountedAt, now), [
    facts([
      ["Overdue records", late],
      ...(isBehind
        ? [["Oldest of them", time(overdue.oldest_expires_at, now)] as const]
        : []),
      ["Last recount", time(recountedAt, now)],
    ]),
    markup`<p class="muted">A running server sweeps at minute 35 of each hour: it deletes what expired and recounts counters, so that one that drifted puts itself right. <code>deno task sweep</code> does it now.</p>`,
    markup`<p><a href="${compare}">Compare counters with what is stored</a></p>`,
  ]);
}

function sweepState(
  isBehind: boolean,
  recountedAt: string | null,
  now: number,
): Html {
  if (isBehind) return state("Behind", "warn");
  if (recountedAt === null) return state("No recount yet", "calm");
  return now - Date.parse(recountedAt) < RECENT_RECOUNT_MS
    ? state("On time", "good")
    : state("Not lately", "calm");
}

function catalogPanel(catalog: CatalogHealth, now: number): Html {
  const [label, tone] = CATALOG_STATES[catalog.state];
  const { stale_reason: stale, last_error: failure } = catalog;
  const example = catalog.is_example && " (the built-in example)";
  return panel("catalog", "Catalog", state(label, tone), [
    ...(stale === null ? [] : [staleness(catalog, stale, now)]),
    facts([
      ["Source", markup`<code>${text(catalog.source)}</code>${example}`],
      ...(catalog.default_root === null ? [] : [
        [
          "Default root",
          markup`<code>${catalog.default_root}</code>`,
        ] as const,
      ]),
      ["Read", time(catalog.read_at, now)],
      ["Agent roots", figure(catalog.roots)],
      ["Collections", figure(catalog.collections)],
      ...(failure === null || stale !== null ? [] : [
        [
          "Last failure",
          markup`${time(failure.at, now)}: ${text(failure.reason)}`,
        ] as const,
      ]),
    ]),
    leftOut(catalog),
  ]);
}

function staleness(
  { state, read_at: readAt }: CatalogHealth,
  reason: string,
  now: number,
): Html {
  return state === "stale"
    ? note(
      "warn",
      markup`What was read at ${
        time(readAt, now)
      } stays in use. The latest reading failed: ${text(reason)}`,
    )
    : note("bad", text(reason));
}

function leftOut({ ignored, ignored_total: total }: CatalogHealth): Html {
  if (total === 0) return markup`<p>Nothing was left out of it.</p>`;
  const items = ignored.map(({ source, pointer, reason }) =>
    markup`<li><code>${text(`${source} ${pointer}`)}</code><br>${
      text(reason)
    }</li>`
  );
  const more = total > ignored.length &&
    markup`<p class="muted">These are the first ${
      figure(ignored.length)
    }; <code>deno task catalog check</code> has them all.</p>`;
  return markup`
<details${total <= 5 && " open"}>
  <summary>${figure(total)} left out</summary>
  <ul class="left-out">${items}</ul>${more}
</details>`;
}

function memoryPanel(memory: MemoryHealth | null): Html {
  if (memory === null) {
    return panel("memory", "Memory", state("Not set up", "calm"), [
      markup`<p>This server has no memory engine.</p>`,
    ]);
  }
  const [label, tone] = MEMORY_STATES[memory.state];
  const known = ([
    ["Service", memory.service],
    ["Wire", memory.wire],
    ["Layout", memory.layout],
    ["Root", memory.root],
  ] as const).flatMap(([name, value]) =>
    value === null ? [] : [[name, markup`<code>${text(value)}</code>`] as const]
  );
  return panel("memory", "Memory", state(label, tone), [
    ...(memory.message === null ? [] : [note(tone, text(memory.message))]),
    facts(known),
  ]);
}
