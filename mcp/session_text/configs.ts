/**
 * What sessions can be given, as a page of Markdown that arrives: descriptions
 * are cut before entries are left out, and both are told.
 *
 * @module
 */
import type { Configs } from "../../fleet/mod.ts";
import { Markdown } from "../markdown/document.ts";
import { code, grouped, type Inline, md, preview } from "../markdown/inline.ts";
import { MAX_ANSWER_CHARACTERS } from "./list.ts";
import { second } from "./state.ts";

/** How much of each entry, and how many of a list, from most to least. */
const FORMS = [
  { text: 300, rows: 200 },
  { text: 100, rows: 200 },
  { text: 0, rows: 200 },
  { text: 0, rows: 100 },
  { text: 0, rows: 50 },
  { text: 0, rows: 20 },
  { text: 0, rows: 5 },
] as const;

type Form = { readonly text: number; readonly rows: number };

/** Where the whole is. */
const WHOLE = "GET /api/v1/configs";

/** Writes it. */
export function configsMarkdown(configs: Configs): Markdown {
  let markdown = new Markdown();
  for (const form of FORMS) {
    markdown = written(configs, form);
    if (markdown.text.length <= MAX_ANSWER_CHARACTERS) break;
  }
  return markdown;
}

function written(configs: Configs, form: Form): Markdown {
  const beginning = new Markdown().heading(2, md`Configs`)
    .append(warnings(configs));
  // Lists of nothing would read as if nothing were there.
  if (configs.catalog.state === "unreadable") {
    return beginning.append(runtimes(configs, form));
  }
  const markdown = beginning
    .append(servers(configs, form))
    .append(roots(configs, form))
    .append(runtimes(configs, form))
    .append(goals(configs, form))
    .append(notes());
  return form.text === 300 ? markdown : markdown.line(
    md`_Descriptions are cut at ${form.text} characters, lists at ${form.rows} entries: ${
      code(WHOLE)
    } has the whole._`,
  );
}

function warnings({ catalog, incomplete }: Configs): Markdown {
  const markdown = new Markdown();
  if (catalog.state === "unreadable") {
    markdown.line(
      md`**The catalog could not be read.** Which MCP servers, agent roots and goals there are is unknown because of that: it is not that there are none. get_system_health has the reason.`,
    );
  } else if (catalog.state === "stale") {
    markdown.line(
      md`**The catalog could not be read again.** What follows is as it was at ${
        second(catalog.readAt)
      }; get_system_health has the reason.`,
    );
  }
  if (incomplete.length > 0) {
    markdown.line(
      md`**A part of the catalog could not be read**, so entries may be missing of: ${
        incomplete.join(", ")
      }.`,
    );
  }
  return markdown;
}

function servers(configs: Configs, form: Form): Markdown {
  const { servers, unavailable } = configs;
  const all = servers.length + unavailable.length;
  const markdown = new Markdown().heading(
    3,
    md`MCP Servers: ${grouped(servers.length)} of ${grouped(all)} usable`,
  );
  listed(
    markdown,
    servers,
    form,
    ({ name, title, description, entry }) =>
      md`${code(name)} (${transportOf(entry)})${
        about(description ?? title, form)
      }`,
  );
  if (unavailable.length > 0) {
    markdown.line(
      md`**Unavailable (${
        grouped(unavailable.length)
      }):** they are in the catalog, and no session can use them now.`,
    );
    listed(
      markdown,
      unavailable,
      form,
      ({ name, reason }) => md`${code(name)}: ${reason}`,
    );
  }
  return markdown;
}

function roots({ roots, isFenced, unavailable }: Configs, form: Form) {
  const broken = new Set(unavailable.map(({ name }) => name));
  const markdown = new Markdown().heading(
    3,
    md`Agent Roots: ${grouped(roots.length)}${
      isFenced ? " that this connection may use" : ""
    }`,
  );
  listed(markdown, roots, form, ({ root, defaults }) => {
    const mcp = defaults.mcpServers.map((name) =>
      broken.has(name) ? `${name} (unavailable)` : name
    );
    return md`${code(root.name)}${
      root.displayName === undefined ? "" : md` ${root.displayName}`
    }; runtime ${defaults.runtime ?? "the server's"}; MCP servers: ${
      preview(mcp.join(", ") || "none", Math.max(form.text, 100))
    }${about(root.description, form)}`;
  });
  return markdown;
}

function runtimes({ runtimes, runners }: Configs, form: Form): Markdown {
  const markdown = new Markdown().heading(
    3,
    md`Runtimes: ${grouped(runtimes.length)} on ${grouped(runners)} runner(s)`,
  );
  if (runners === 0) {
    return markdown.line(
      md`No runner was seen in the last two minutes: sessions can be started, and wait until one comes.`,
    );
  }
  listed(
    markdown,
    runtimes,
    form,
    ({ name, models, versions, runners, isLoginMissing }) =>
      md`${code(name)}, on ${runners} runner(s), version ${
        preview(versions.join(", ") || "not told", 100)
      }; models: ${
        preview(models.join(", ") || "not told: its own default", 200)
      }${isLoginMissing ? "; its login is missing" : ""}`,
  );
  return markdown;
}

function goals({ goals }: Configs, form: Form): Markdown {
  const markdown = new Markdown().heading(
    3,
    md`Goals: ${grouped(goals.length)}`,
  );
  listed(
    markdown,
    goals,
    form,
    ({ name, description, title }) =>
      md`${code(name)}${about(description ?? title, form)}`,
  );
  return markdown;
}

function notes(): Markdown {
  return new Markdown().heading(3, md`How they are used`)
    .item(
      md`start_session takes an agent_root by its name; lists that are left out are the root's, [] means none.`,
    )
    .item(
      md`goal takes an id of the list above, or a sentence of your own.`,
    )
    .item(
      md`A default that is unavailable is left out when the session starts, and named in its transcript.`,
    );
}

function listed<T>(
  markdown: Markdown,
  entries: readonly T[],
  { rows }: Form,
  line: (entry: T) => Inline,
): void {
  for (const entry of entries.slice(0, rows)) markdown.item(line(entry));
  if (entries.length > rows) {
    markdown.item(
      md`_and ${grouped(entries.length - rows)} more: ${code(WHOLE)}_`,
    );
  }
  if (entries.length === 0) markdown.item(md`none`);
}

function about(text: string | undefined, { text: limit }: Form): Inline {
  if (text === undefined || limit === 0) return md``;
  return md`: ${preview(text, limit)}`;
}

function transportOf({ type, url }: Readonly<Record<string, unknown>>): string {
  if (typeof type === "string") return type.slice(0, 40);
  return url === undefined ? "stdio" : "http";
}
