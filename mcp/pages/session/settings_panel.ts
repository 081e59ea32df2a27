/**
 * What a person changes of a session: its names, its goal, and what its agent is
 * given from the next turn on.
 *
 * @module
 */
import type { ArtifactKind, CatalogSnapshot } from "../../../catalog/mod.ts";
import { figure, longText, text } from "../format.ts";
import { PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { panel } from "../parts.ts";
import type { SessionReading } from "./read_session.ts";

/** Lists that a session has of the catalog. */
export const LISTS = {
  mcp_servers: ["mcp", "MCP servers", "mcpServers"],
  skills: ["skills", "Skills", "catalogSkills"],
  hooks: ["hooks", "Hooks", "catalogHooks"],
  plugins: ["plugins", "Plugins", "catalogPlugins"],
} as const satisfies Record<
  string,
  readonly [ArtifactKind, string, keyof SessionReading["session"]]
>;

/** Name of a list. */
export type ListField = keyof typeof LISTS;

const NOTHING = markup``;
/** Choices of a list at most. */
const MAX_CHOICES = 200;

/** Notes, goal, and the forms that change them. */
export function settingsPanel(
  reading: SessionReading,
  { catalog, mayWrite }: {
    readonly catalog: CatalogSnapshot | undefined;
    readonly mayWrite: boolean;
  },
): Html {
  const { session, texts } = reading;
  const shown = markup`
<h3>Goal</h3>
${words(texts.goal)}
<h3>Notes</h3>
${words(texts.notes)}`;
  if (!mayWrite) return panel("h-settings", "Goal and notes", NOTHING, shown);
  return panel(
    "h-settings",
    "Goal, notes, settings",
    NOTHING,
    markup`${shown}
<details><summary>Change</summary>
${
      form(
        session.id,
        "title",
        markup`<label for="title">Title</label>
  <input id="title" name="value" value="${session.title}" maxlength="100" required dir="auto">`,
      )
    }
${
      form(
        session.id,
        "goal",
        markup`<label for="goal">Goal</label>
  <textarea id="goal" name="value" rows="4" dir="auto">${texts.goal}</textarea>`,
      )
    }
${
      form(
        session.id,
        "notes",
        markup`<label for="notes">Notes</label>
  <textarea id="notes" name="value" rows="4" dir="auto">${texts.notes}</textarea>`,
      )
    }
${
      session.drivenBy === "runner" &&
      form(
        session.id,
        "model",
        markup`<label for="model">Model</label>
  <input id="model" name="value" value="${
          String(session.config.model ?? "")
        }" required autocapitalize="none" spellcheck="false">`,
      )
    }
${classForm(reading)}
${categoryForm(reading)}
${session.drivenBy === "runner" && heartbeatForm(reading)}
${
      form(
        session.id,
        "push",
        markup`<p>People ${
          session.pushNotificationsEnabled ? "are" : "are not"
        } told when it rests or fails.</p>`,
        session.pushNotificationsEnabled ? "Tell nobody" : "Tell people",
      )
    }
${
      catalog !== undefined &&
      Object.keys(LISTS).map((list) =>
        listForm(reading, catalog, list as ListField)
      )
    }
</details>`,
  );
}

function words(value: string | null): Html {
  return value === null
    ? markup`<p class="muted">None.</p>`
    : markup`<p class="long">${longText(value)}</p>`;
}

function form(id: number, wish: string, fields: Html, label = "Save"): Html {
  return markup`
<form class="write" method="post" action="${PATHS.sessions}/${id}/do">
  ${fields}
  <button name="do" value="${wish}" class="quiet">${label}</button>
</form>`;
}

function classForm({ session }: SessionReading): Html {
  const option = (value: string, label: string) =>
    markup`<option value="${value}"${
      (session.schedulingClass ?? "") === value && " selected"
    }>${label}</option>`;
  return form(
    session.id,
    "class",
    markup`<label for="class">Class</label>
  <select id="class" name="value">${option("", "That of its origin")}${
      option("priority", "Priority")
    }${option("spot", "Spot: when there is room")}</select>
  <label for="precedence">Precedence among spot sessions</label>
  <input id="precedence" name="precedence" inputmode="numeric" value="${session.precedence}">`,
  );
}

function heartbeatForm({ session }: SessionReading): Html {
  const option = (value: string, label: string, isChosen: boolean) =>
    markup`<option value="${value}"${
      isChosen && " selected"
    }>${label}</option>`;
  return form(
    session.id,
    "heartbeat",
    markup`<label for="heartbeat">Heartbeat: a turn after each rest</label>
  <select id="heartbeat" name="value">${
      option("off", "Off", !session.heartbeatEnabled)
    }${option("on", "On", session.heartbeatEnabled)}</select>
  <label for="seconds">Seconds of rest, 30 to 86,400</label>
  <input id="seconds" name="seconds" type="number" min="30" max="86400" required value="${session.heartbeatIntervalSeconds}">`,
  );
}

function categoryForm({ session, categories }: SessionReading): Html {
  if (categories.length === 0) return NOTHING;
  return form(
    session.id,
    "category",
    markup`<label for="category">Category</label>
  <select id="category" name="value"><option value="">None</option>${
      categories.map(({ id, name }) =>
        markup`<option value="${id}"${
          session.categoryId === id && " selected"
        }>${text(name)}</option>`
      )
    }</select>`,
  );
}

function listForm(
  { session }: SessionReading,
  catalog: CatalogSnapshot,
  list: ListField,
): Html {
  const [kind, label, column] = LISTS[list];
  const chosen = session[column];
  const known = [...catalog.artifacts(kind).entries.keys()];
  const all = [...new Set([...chosen, ...known])];
  if (all.length === 0) return NOTHING;
  return form(
    session.id,
    "list",
    markup`<fieldset><legend>${label}</legend>
  <input type="hidden" name="list" value="${list}">${
      all.slice(0, MAX_CHOICES).map((name, at) =>
        markup`<div class="check"><input type="checkbox" id="${list}-${at}" name="names" value="${name}"${
          chosen.includes(name) && " checked"
        }><label for="${list}-${at}">${text(name)}${
          !known.includes(name) && " (not in the catalog)"
        }</label></div>`
      )
    }${
      all.length > MAX_CHOICES &&
      markup`<p class="muted">and ${figure(all.length - MAX_CHOICES)} more</p>`
    }</fieldset>`,
    `Save ${label}`,
  );
}
