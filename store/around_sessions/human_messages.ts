/**
 * What named people say to sessions, written down as they say it. Nothing
 * changes it afterwards.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** Something that a person says. */
export interface NewHumanMessage {
  /** The session that it is said to. */
  readonly sessionId: number;
  /** Who says it: 1 to 200 characters. */
  readonly author: string;
  /** Where. */
  readonly channel: "web_ui" | "slack";
  /** What. */
  readonly content: string;
  /** Where it comes from, for programs. */
  readonly provenance?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes it down. */
export async function insertHumanMessage(
  tx: Transaction,
  message: NewHumanMessage,
): Promise<void> {
  await tx.write(
    `insert into human_messages (session_id, author, channel, content, provenance)
     values ($1, $2, $3, $4, $5::text::jsonb)`,
    [
      message.sessionId,
      message.author,
      message.channel,
      message.content,
      JSON.stringify(message.provenance ?? {}),
    ],
  );
}
