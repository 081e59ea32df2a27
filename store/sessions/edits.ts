/**
 * Changes of what a session is, apart from its state.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import { type Session, SESSION_COLUMNS, toSession } from "./session.ts";
import type { SchedulingClass, Visibility } from "./words.ts";

/** What may be changed; what is not named stays. */
export interface SessionEdit {
  /** What people call it. */
  readonly title?: string;
  /** What it is to reach; null for nothing. */
  readonly goal?: string | null;
  /** Notes of its own; null for none. */
  readonly notes?: string | null;
  /** What it was started with. */
  readonly prompt?: string;
  /** Its runtime's settings. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The server's bookkeeping. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Names of its MCP servers. */
  readonly mcpServers?: readonly string[];
  /** Names of its skills. */
  readonly catalogSkills?: readonly string[];
  /** Names of its hooks. */
  readonly catalogHooks?: readonly string[];
  /** Names of its plugins. */
  readonly catalogPlugins?: readonly string[];
  /** Its own class; null for that of its genesis. */
  readonly schedulingClass?: SchedulingClass | null;
  /** Its place among spot sessions. */
  readonly precedence?: number;
  /** Its category; null for none. */
  readonly categoryId?: number | null;
  /** Tokens after which its agent compacts. */
  readonly autoCompactWindow?: number;
  /** Whether its card is on the board. */
  readonly visibility?: Visibility;
  /** End of the snooze; null for none. */
  readonly snoozedUntil?: Date | null;
  /** Whether people are told of its rests. */
  readonly pushNotificationsEnabled?: boolean;
  /** Whether a person marked it. */
  readonly isFavorited?: boolean;
  /** Whether it has a heartbeat. */
  readonly heartbeatEnabled?: boolean;
  /** Seconds of rest before a heartbeat. */
  readonly heartbeatIntervalSeconds?: number;
}

const TEXTS = (p: string) =>
  `array(select jsonb_array_elements_text(${p}::text::jsonb))`;
const JSONB = (p: string) => `${p}::text::jsonb`;
const AS_IS = (p: string) => p;

/** Column and how its parameter is read. */
const COLUMNS: Readonly<
  Record<keyof SessionEdit, readonly [string, (parameter: string) => string]>
> = {
  title: ["title", AS_IS],
  goal: ["goal", AS_IS],
  notes: ["session_notes", AS_IS],
  prompt: ["prompt", AS_IS],
  config: ["config", JSONB],
  metadata: ["metadata", JSONB],
  mcpServers: ["mcp_servers", TEXTS],
  catalogSkills: ["catalog_skills", TEXTS],
  catalogHooks: ["catalog_hooks", TEXTS],
  catalogPlugins: ["catalog_plugins", TEXTS],
  schedulingClass: ["scheduling_class", AS_IS],
  precedence: ["precedence", AS_IS],
  categoryId: ["category_id", AS_IS],
  autoCompactWindow: ["auto_compact_window", AS_IS],
  visibility: ["visibility", AS_IS],
  snoozedUntil: ["snoozed_until", AS_IS],
  pushNotificationsEnabled: ["push_notifications_enabled", AS_IS],
  isFavorited: ["favorited", AS_IS],
  heartbeatEnabled: ["heartbeat_enabled", AS_IS],
  heartbeatIntervalSeconds: ["heartbeat_interval_seconds", AS_IS],
};

/** Changes a session. The caller holds its lock. */
export async function editSession(
  tx: Transaction,
  id: number,
  edit: SessionEdit,
): Promise<Session> {
  const params: unknown[] = [id];
  const sets = ["updated_at = now()"];
  for (const [name, value] of Object.entries(edit)) {
    if (value === undefined) continue;
    const [column, read] = COLUMNS[name as keyof SessionEdit];
    const isObject = value !== null && typeof value === "object" &&
      !(value instanceof Date);
    params.push(isObject ? JSON.stringify(value) : value);
    sets.push(`${column} = ${read(`$${params.length}`)}`);
    if (name === "notes") sets.push("session_notes_updated_at = now()");
  }
  const [row] = await tx.write<Row>(
    `update sessions set ${
      sets.join(", ")
    } where id = $1 returning ${SESSION_COLUMNS}`,
    params,
  );
  return toSession(row as Row);
}

/** Notes that a session had a heartbeat. The caller holds its lock. */
export async function noteBeat(tx: Transaction, id: number): Promise<void> {
  await tx.write(
    "update sessions set heartbeat_last_beat_at = now() where id = $1",
    [id],
  );
}
