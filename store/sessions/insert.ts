/**
 * Puts a session into the table, with the only copy of its token.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import { type Session, SESSION_COLUMNS, toSession } from "./session.ts";
import { hashOf, makeToken } from "./token.ts";
import type {
  Genesis,
  SchedulingClass,
  SessionDriver,
  SessionStatus,
  WaitReason,
} from "./words.ts";

/** A new session; whoever inserts it has checked it. */
export interface NewSession {
  /** Catalog name of its root. */
  readonly agentRootKey: string | null;
  /** Where it stands at first. */
  readonly status: SessionStatus;
  /** Who carries out its turns. */
  readonly drivenBy: SessionDriver;
  /** Why it waits at first. */
  readonly waitReason?: WaitReason | undefined;
  /** What people call it. @default {"Session <id>"} */
  readonly title?: string | undefined;
  /** Name in addresses. */
  readonly slug?: string | undefined;
  /** The session that starts it. */
  readonly parentSessionId?: number | undefined;
  /** Tool groups its token reaches; none means the defaults. */
  readonly toolGroups?: readonly string[] | undefined;
  /** Roots its tokens may act on. @default {all} */
  readonly allowedAgentRoots?: readonly string[] | undefined;
  /** The server's bookkeeping. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The caller's own data. */
  readonly customMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** What it is started with. */
  readonly prompt?: string | undefined;
  /** What it is to reach. */
  readonly goal?: string | undefined;
  /** The agent that runs it. */
  readonly agentRuntime?: string | undefined;
  /** Address of its repository. */
  readonly gitRoot?: string | undefined;
  /** The repository's short name. */
  readonly repositoryName?: string | undefined;
  /** Branch it starts from. */
  readonly branch?: string | undefined;
  /** Folder inside the repository. */
  readonly subdirectory?: string | undefined;
  /** Its runtime's settings. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Names of its MCP servers. */
  readonly mcpServers?: readonly string[] | undefined;
  /** Names of its skills. */
  readonly catalogSkills?: readonly string[] | undefined;
  /** Names of its hooks. */
  readonly catalogHooks?: readonly string[] | undefined;
  /** Names of its plugins. */
  readonly catalogPlugins?: readonly string[] | undefined;
  /** What caused it. @default {"api"} */
  readonly genesis?: Genesis | undefined;
  /** Its own class. */
  readonly schedulingClass?: SchedulingClass | undefined;
  /** Its place among spot sessions. @default {0} */
  readonly precedence?: number | undefined;
  /** Tokens after which its agent compacts. */
  readonly autoCompactWindow?: number | undefined;
  /** A word that no two sessions share: the same start twice is one. */
  readonly idempotencyKey?: string | undefined;
  /** Whether to issue a token. @default {true} */
  readonly withToken?: boolean | undefined;
}

/** A session that was just registered, with the only copy of its token. */
export interface StartedSession {
  /** The session. */
  readonly session: Session;
  /** Shown once; undefined when none was asked for. */
  readonly token: string | undefined;
}

/**
 * Inserts a session; undefined where another one has its slug or its
 * idempotency key. Of two that insert the same at once, the later waits.
 */
export async function insertSession(
  tx: Transaction,
  session: NewSession,
): Promise<StartedSession | undefined> {
  const [inserted] = await tx.write<{ id: string }>(
    `insert into sessions (agent_root_key, status, driven_by, title, slug,
       parent_session_id, tool_groups, custom_metadata, wait_reason, metadata,
       prompt, goal, agent_runtime, git_root, repository_name, branch,
       subdirectory, config, mcp_servers, catalog_skills, catalog_hooks,
       catalog_plugins, genesis, scheduling_class, precedence,
       auto_compact_window, idempotency_key, allowed_agent_roots)
     values ($1, $2, $3, coalesce($4, 'Session'), $5, $6,
       (select array_agg(value) from jsonb_array_elements_text($7::text::jsonb)),
       $8::text::jsonb, $9, $10::text::jsonb, $11, $12, $13, $14, $15, $16, $17,
       $18::text::jsonb, ${texts(19)}, ${texts(20)}, ${texts(21)}, ${texts(22)},
       coalesce($23, 'api'), $24, coalesce($25::int, 0),
       coalesce($26::int, 1000000), $27,
       case when $28::text is not null then ${texts(28)} end)
     on conflict do nothing returning id`,
    [
      session.agentRootKey,
      session.status,
      session.drivenBy,
      session.title ?? null,
      session.slug ?? null,
      session.parentSessionId ?? null,
      JSON.stringify(session.toolGroups ?? []),
      JSON.stringify(session.customMetadata ?? {}),
      session.waitReason ?? null,
      JSON.stringify(session.metadata ?? {}),
      session.prompt ?? null,
      session.goal ?? null,
      session.agentRuntime ?? null,
      session.gitRoot ?? null,
      session.repositoryName ?? null,
      session.branch ?? null,
      session.subdirectory ?? null,
      JSON.stringify(session.config ?? {}),
      JSON.stringify(session.mcpServers ?? []),
      JSON.stringify(session.catalogSkills ?? []),
      JSON.stringify(session.catalogHooks ?? []),
      JSON.stringify(session.catalogPlugins ?? []),
      session.genesis ?? null,
      session.schedulingClass ?? null,
      session.precedence ?? null,
      session.autoCompactWindow ?? null,
      session.idempotencyKey ?? null,
      session.allowedAgentRoots === undefined
        ? null
        : JSON.stringify(session.allowedAgentRoots),
    ],
  );
  if (inserted === undefined) return undefined;
  // Both name the id, which the row has only now.
  const token = session.withToken === false
    ? undefined
    : makeToken(inserted.id);
  const [row] = await tx.write<Row>(
    `update sessions set
       token_hash = decode($2, 'hex'),
       title = case when $3 then 'Session ' || id else title end,
       metadata = case when $3
         then metadata || '{"auto_generated_title": true}' else metadata end
     where id = $1 returning ${SESSION_COLUMNS}`,
    [
      inserted.id,
      token === undefined ? null : await hashOf(token),
      session.title === undefined,
    ],
  );
  return { session: toSession(row as Row), token };
}

/** A parameter that is a JSON list of texts, as an array. */
function texts(parameter: number): string {
  return `array(select jsonb_array_elements_text($${parameter}::text::jsonb))`;
}
