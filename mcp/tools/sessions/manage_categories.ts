/**
 * `manage_categories`: the groups in which people see sessions on the board.
 *
 * @module
 */
import {
  changeCategory,
  createCategory,
  deleteCategory,
  listCategories,
  reorderCategories,
  updateCategory,
} from "../../../fleet/mod.ts";
import type {
  Category,
  CategoryBoard,
} from "../../../store/around_sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { Markdown, receipt } from "../../markdown/document.ts";
import { type Inline, md } from "../../markdown/inline.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
} from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { findTarget, sessionReceipt } from "./receipt.ts";

const ACTIONS = [
  "list",
  "create",
  "update",
  "delete",
  "reorder",
  "set_session_category",
] as const;

const CATEGORY = objectOf({
  id: COUNT,
  name: TEXT,
  position: COUNT,
  is_frozen: FLAG,
  sessions: COUNT,
});

/** The tool. */
export const manageCategories = defineTool({
  name: "manage_categories",
  title: "Manage categories",
  access: "write",
  description:
    "Categories in which people see sessions on the board. list shows them with their places. create adds one at the end; update changes name, description or is_frozen (refresh_all leaves sessions of a frozen one alone); delete leaves its sessions without one; reorder: those named in ids take each other's places in that order, others stay. set_session_category moves one session; category_id 0 means none. Nothing of it touches a session's work.",
  isDestructive: true,
  isIdempotent: false,
  input: inputOf({
    action: { type: "string", enum: ACTIONS, description: "What to do" },
    category_id: {
      type: "integer",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "update, delete: which; set_session_category: where to, 0 for none",
    },
    name: {
      type: "string",
      description: "create, update: 1 to 100 characters, no other category's",
    },
    description: {
      type: "string",
      description: "create, update: up to 1,000 characters; blank clears",
    },
    is_frozen: { type: "boolean", description: "update" },
    ids: {
      type: "array",
      items: { type: "string" },
      description: 'reorder: numbers of categories, and "uncategorized"',
    },
    session_id: {
      type: "string",
      maxLength: 200,
      description: "set_session_category: the session's id or slug",
    },
  }, ["action"]),
  output: objectOf({ action: TEXT }, {
    categories: listOf(CATEGORY),
    uncategorized: objectOf({ position: COUNT, sessions: COUNT }),
    category_id: orNull(COUNT),
    session_id: COUNT,
  }),
  async run({ connection, services }, args) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const { action } = args;
    switch (action) {
      case "list":
        return shown(action, await listCategories(fleet));
      case "reorder":
        return shown(
          action,
          await reorderCategories(
            fleet,
            caller,
            needed(args.ids, "ids", action),
          ),
        );
      case "create":
        return done(
          action,
          "Category Created",
          await createCategory(fleet, caller, {
            name: needed(args.name, "name", action),
            description: args.description,
          }),
        );
      case "update":
        return done(
          action,
          "Category Updated",
          await updateCategory(fleet, caller, numberOf(args, action), {
            name: args.name,
            description: args.description,
            isFrozen: args.is_frozen,
          }),
        );
      case "delete":
        return done(
          action,
          "Category Deleted",
          await deleteCategory(fleet, caller, numberOf(args, action)),
          "they stand under Uncategorized now",
        );
      case "set_session_category": {
        const session = await findTarget(
          services,
          needed(args.session_id, "session_id", action),
        );
        const given = needed(
          args.category_id,
          "category_id (0 means none)",
          action,
        );
        const categoryId = given === 0 ? null : given;
        const { session: after } = await changeCategory(
          fleet,
          caller,
          session.id,
          categoryId,
        );
        return new Written(
          sessionReceipt("Category Set", after, [
            ["Category", categoryId ?? "none"],
          ]).text,
          { action, session_id: after.id, category_id: categoryId },
        );
      }
    }
  },
});

function shown(action: string, board: CategoryBoard) {
  const { categories, uncategorized } = board;
  const rows = [
    ...categories.map((one) => ({ position: one.position, line: lineOf(one) })),
    {
      position: uncategorized.position,
      line:
        md`${uncategorized.position}. **Uncategorized**: ${uncategorized.sessions} session(s)`,
    },
  ].sort((a, b) => a.position - b.position);
  const text = new Markdown().heading(
    2,
    action === "reorder" ? md`Categories Reordered` : md`Categories`,
  );
  for (const { line } of rows) text.item(line);
  return new Written(text.text, {
    action,
    categories: categories.map(shapeOf),
    uncategorized: { ...uncategorized },
  });
}

function lineOf(one: Category): Inline {
  const about = one.description === null ? md`` : md` – ${one.description}`;
  return md`${one.position}. **${one.name}** (ID: ${one.id})${
    one.isFrozen ? ", frozen" : ""
  }: ${one.sessions} session(s)${about}`;
}

function done(
  action: string,
  heading: string,
  one: Category,
  sessions = "not archived",
) {
  return new Written(
    receipt(md`${heading}`, [
      ["Category ID", one.id],
      ["Name", one.name],
      ["Position", one.position],
      ["Frozen", one.isFrozen ? "yes" : "no"],
      ["Description", one.description ?? "none"],
      ["Sessions", `${one.sessions}, ${sessions}`],
    ]).text,
    { action, category_id: one.id, categories: [shapeOf(one)] },
  );
}

function shapeOf({ id, name, position, isFrozen, sessions }: Category) {
  return { id, name, position, is_frozen: isFrozen, sessions };
}

function needed<T>(value: T | undefined, name: string, action: string): T {
  if (value !== undefined) return value;
  throw new ToolError(`${action} needs ${name}. Nothing was changed`);
}

function numberOf(
  { category_id: id }: { readonly category_id?: number | undefined },
  action: string,
): number {
  return needed(id, "category_id", action);
}
