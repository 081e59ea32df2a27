/**
 * Arguments that the tools of this group and their REST routes share.
 *
 * @module
 */
import { BANDS, GAP } from "../../../fleet/mod.ts";
import {
  COSTS,
  ITEM_STATES,
  SCOPE_DIRECTIONS,
} from "../../../store/backlog/mod.ts";

/** Items of a page where a call does not say. */
export const DEFAULT_ITEMS = 50;
/** Most items of a page. */
const MAX_ITEMS = 200;
/** Keeps the offset a number that the database takes. */
const MAX_OFFSET = 1_000_000;

/** The bands in words. */
export const BANDS_TEXT = COSTS.map((cost) =>
  `${cost} ${BANDS[cost].floor} to ${BANDS[cost].ceiling} (from ${
    BANDS[cost].base
  } down by ${GAP})`
).join(", ");

/** Schemas of what narrows and pages the list. */
export const LIST_INPUT = {
  status: {
    type: "string",
    enum: ITEM_STATES,
    description:
      "queued (the default) is the queue; started and removed are history; in_flight: started, and an agent goes on with it; parked: started, and it waits for a person; ended: its session is over",
  },
  surface: { type: "string", description: "What the gate rated, exactly" },
  repo: { type: "string", description: "owner/name" },
  scope_direction: {
    type: "string",
    enum: SCOPE_DIRECTIONS,
    description: "Whether it closes or opens something",
  },
  kind: { type: "string", description: "bug, docs, tech-debt, …" },
  estimated_cost: {
    type: "string",
    enum: COSTS,
    description: "How much work the gate takes it for",
  },
  pinned: {
    type: "boolean",
    description: "true: only what a person put in its place; false: the rest",
  },
  key: {
    type: "string",
    description: "One item by its name; with status all, its history",
  },
  added_by: { type: "string", description: "Who added it" },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: MAX_ITEMS,
    description: `Items at most, ${DEFAULT_ITEMS} by default`,
  },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: MAX_OFFSET,
    description: "Items to skip: next_offset of the page before",
  },
} as const;

/** Schemas of an item that is handed in. */
export const ITEM_INPUT = {
  key: {
    type: "string",
    description: 'Its name, of which one is in line at most: "web#498"',
  },
  issue_url: { type: "string", description: "Address of the issue" },
  repo: { type: "string", description: "owner/name" },
  surface: {
    type: "string",
    description: "What the gate rated, as the ledger spells it",
  },
  title: { type: "string", description: "The issue's title" },
  kind: { type: "string", description: "bug, docs, tech-debt, …" },
  scope_direction: LIST_INPUT.scope_direction,
  estimated_cost: {
    ...LIST_INPUT.estimated_cost,
    description: "How much work the gate takes it for: it decides its place",
  },
  ratings: { type: "object", description: "The gate's axes, as it rated them" },
  gate_verdict: { type: "string", description: "auto-proceed, …" },
  gate_session: {
    type: "string",
    description: "Address of the gate's session",
  },
  decided_at: {
    type: "string",
    description: "The day it was rated, 2026-08-29; today by default",
  },
  notes: { type: "string", description: "A line about it" },
} as const;

/** Names of an item that always have to be given. */
export const ITEM_REQUIRED = [
  "key",
  "repo",
  "surface",
  "title",
  "kind",
  "scope_direction",
  "estimated_cost",
] as const;
