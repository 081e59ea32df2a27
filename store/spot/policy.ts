/**
 * What the spot gate looks at: its settings, the limits of logins, and how many
 * sessions there are of what.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import type { Genesis, SchedulingClass } from "../sessions/words.ts";

/** Settings of the gate. */
export interface SpotSettings {
  /** Whether it holds anything at all. @default {false} */
  readonly isGating: boolean;
  /** Percent of a login's five hours, from which spot sessions are held. @default {80} */
  readonly fiveHourPct: number;
  /** Percent of a login's week. @default {80} */
  readonly weeklyPct: number;
  /** Running sessions at most, of any class. @default {10} */
  readonly maxConcurrent: number;
  /** Classes of geneses that differ from the default. */
  readonly classes: Readonly<Partial<Record<Genesis, SchedulingClass>>>;
}

/** A window of a login's limits. */
export interface LimitState {
  /** 0 to 1, and beyond where it is overdrawn; null where it is not known. */
  readonly utilization: number | null;
  /** When it begins anew; null where it is not known. */
  readonly resetsAt: Date | null;
}

/** An account that agents are logged in with. */
export interface LoginState {
  /** The runtime. */
  readonly runtime: string;
  /** The account. */
  readonly account: string;
  /** Its windows by the vendor's name, without those that have begun anew. */
  readonly windows: ReadonlyMap<string, LimitState>;
  /** Refused until then; null where it is not. */
  readonly rejectedUntil: Date | null;
  /** When it was last reported. */
  readonly reportedAt: Date;
}

/** What the gate decides by. */
export interface GateState {
  /** Its settings. */
  readonly settings: SpotSettings;
  /** The logins. */
  readonly logins: readonly LoginState[];
  /** Sessions that run, of any class. */
  readonly running: number;
}

/** The same, with how many sessions there are of what. */
export interface SpotState extends GateState {
  /** Sessions that wait because the gate or the ceiling holds them. */
  readonly paused: number;
  /** Sessions that are not archived, by genesis. */
  readonly live: Readonly<Partial<Record<Genesis, number>>>;
}

const STANDARD: SpotSettings = {
  isGating: false,
  fiveHourPct: 80,
  weeklyPct: 80,
  maxConcurrent: 10,
  classes: {},
};

/** Columns of a {@link GateState}. */
const GATE_COLUMNS = `(select to_jsonb(a) from app_settings a) as settings,
  (select coalesce(jsonb_agg(jsonb_build_object('runtime', runtime, 'account', account,
     'windows', (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(limits)
        where value ->> 'resets_at' is null or (value ->> 'resets_at')::timestamptz > now()),
     'rejected_until', case when rejected_until > now() then rejected_until end,
     'reported_at', updated_at) order by runtime, account), '[]') from logins) as logins,
  (select count(*)::int from sessions where status = 'running') as running`;

/** Reads what the gate decides by: before every lease, so little. */
export async function readGateState(db: Queryable): Promise<GateState> {
  const [row] = await db.read<Row>(`select ${GATE_COLUMNS}`);
  return gateOf(row);
}

/** Reads all there is to be shown of the gate. */
export async function readSpotState(db: Queryable): Promise<SpotState> {
  const [row] = await db.read<Row>(
    `select ${GATE_COLUMNS},
       (select count(*)::int from sessions
          where status = 'waiting' and wait_reason in ('spot_queue', 'spot_hold', 'spot_pause')) as paused,
       (select coalesce(jsonb_object_agg(genesis, live), '{}') from (
          select genesis, count(*) as live from sessions where status <> 'archived' group by genesis) g) as live`,
  );
  return {
    ...gateOf(row),
    paused: Number(row?.paused),
    live: row?.live as SpotState["live"],
  };
}

/** What of the settings is changed. */
export type SpotChange = {
  readonly [K in keyof SpotSettings]?: SpotSettings[K] | undefined;
};

/** Changes settings; what is left out stays, an empty list of classes clears it. */
export async function writeSpotSettings(
  db: Queryable,
  change: SpotChange,
): Promise<void> {
  await db.write(
    `insert into app_settings as a (id, spot_gating_enabled, spot_gate_five_hour_threshold_pct,
       spot_gate_weekly_threshold_pct, spot_max_concurrent_sessions, genesis_class_overrides)
     values (1, coalesce($1, false), coalesce($2::int, 80), coalesce($3::int, 80),
       coalesce($4::int, 10), coalesce($5::text::jsonb, '{}'))
     on conflict (id) do update set
       spot_gating_enabled = coalesce($1, a.spot_gating_enabled),
       spot_gate_five_hour_threshold_pct = coalesce($2::int, a.spot_gate_five_hour_threshold_pct),
       spot_gate_weekly_threshold_pct = coalesce($3::int, a.spot_gate_weekly_threshold_pct),
       spot_max_concurrent_sessions = coalesce($4::int, a.spot_max_concurrent_sessions),
       genesis_class_overrides = case when $5::text is null then a.genesis_class_overrides
         when $5::text = '{}' then '{}' else a.genesis_class_overrides || $5::text::jsonb end,
       updated_at = now()`,
    [
      change.isGating ?? null,
      change.fiveHourPct ?? null,
      change.weeklyPct ?? null,
      change.maxConcurrent ?? null,
      change.classes === undefined ? null : JSON.stringify(change.classes),
    ],
  );
}

/** What an agent reported of its login. */
export interface LoginReport {
  /** The runtime. */
  readonly runtime: string;
  /** The account. */
  readonly account: string;
  /** Windows of its limits, as far as it told. */
  readonly windows: readonly {
    /** By the vendor's name: `five_hour`, `seven_day`. */
    readonly name: string;
    /** 0 to 1; null where it is not known. */
    readonly utilization: number | null;
    /** Milliseconds until it begins anew; null where it is not known. */
    readonly resetsInMs: number | null;
  }[];
  /** Milliseconds for which it is refused; null where it is not. */
  readonly rejectedForMs: number | null;
}

/** Notes what a login's limits are; windows that are not told stay. */
export async function recordLogin(
  tx: Queryable,
  { runtime, account, windows, rejectedForMs }: LoginReport,
): Promise<void> {
  await tx.write(
    `with told as (
       select jsonb_object_agg(w.name, jsonb_build_object('utilization', w.utilization,
         'resets_at', now() + make_interval(secs => w.resets_in_ms / 1000.0))) as limits
       from jsonb_to_recordset($3::text::jsonb) as w (name text, utilization float8, resets_in_ms float8))
     insert into logins as l (runtime, account, limits, rejected_until)
     select $1, $2, coalesce(limits, '{}'), now() + make_interval(secs => $4::float8 / 1000.0) from told
     on conflict (runtime, account) do update set limits = l.limits || excluded.limits,
       rejected_until = excluded.rejected_until, updated_at = now()`,
    [
      runtime,
      account,
      JSON.stringify(windows.map(({ name, utilization, resetsInMs }) => ({
        name,
        utilization,
        resets_in_ms: resetsInMs,
      }))),
      rejectedForMs,
    ],
  );
}

function gateOf(row: Row | undefined): GateState {
  const logins = row?.logins as readonly Record<string, unknown>[];
  return {
    settings: settingsOf(row?.settings as Row | null),
    logins: logins.map(loginOf),
    running: Number(row?.running),
  };
}

function settingsOf(row: Row | null): SpotSettings {
  if (row === null) return STANDARD;
  return {
    isGating: row.spot_gating_enabled === true,
    fiveHourPct: Number(row.spot_gate_five_hour_threshold_pct),
    weeklyPct: Number(row.spot_gate_weekly_threshold_pct),
    maxConcurrent: Number(row.spot_max_concurrent_sessions),
    classes: row.genesis_class_overrides as SpotSettings["classes"],
  };
}

function loginOf(row: Record<string, unknown>): LoginState {
  const time = (value: unknown) =>
    typeof value === "string" ? new Date(value) : null;
  const windows = Object.entries(
    row.windows as Record<string, Record<string, unknown>>,
  );
  return {
    runtime: String(row.runtime),
    account: String(row.account),
    windows: new Map(windows.map(([name, { utilization, resets_at: at }]) => [
      name,
      {
        utilization: typeof utilization === "number" ? utilization : null,
        resetsAt: time(at),
      },
    ])),
    rejectedUntil: time(row.rejected_until),
    reportedAt: time(row.reported_at) ?? new Date(0),
  };
}
