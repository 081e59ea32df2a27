/**
 * Conversations that came as one event: the first turn, the beginning of the
 * whole, and how much there is of all.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import type { Fold } from "../../client/wire.ts";
import { charactersOf, CONVERSATION } from "./kinds/conversation.ts";
import {
  type OwnEvent,
  type ReadableHit,
  readOwnEvent,
  rebuild,
  type TextLimit,
  type TextPart,
} from "./rebuild.ts";

/**
 * The item of a folded conversation, its parts those that came along; undefined
 * where its turns have to be read to tell: some are missing, or there twice, or
 * are somebody else's.
 */
export function rebuildFolded(
  scope: Scope,
  first: OwnEvent,
  fold: Fold,
  options: TextLimit,
): ReadableHit | undefined {
  const { id, part: { count } } = first.envelope;
  if (count !== fold.events) return undefined;
  const beginning: OwnEvent[] = [];
  const parts: TextPart[] = [];
  for (const { before, event } of fold.parts) {
    const turn = readOwnEvent(scope, event);
    const isInPlace = turn?.envelope.id === id &&
      turn.envelope.part.count === count &&
      turn.envelope.part.index === before.events;
    if (turn === undefined || !isInPlace) return undefined;
    if (before.events === beginning.length) beginning.push(turn);
    const { eventId, text, characters } = turn;
    const lead = CONVERSATION.leadOf(turn, before.events);
    const start = charactersOf(before);
    parts.push({ eventId, lead, text, characters, start });
  }
  const hit = rebuild(scope, beginning, options);
  return hit && {
    ...hit,
    parts,
    characters: charactersOf(fold),
    events: fold.events,
    isWhole: true,
  };
}
