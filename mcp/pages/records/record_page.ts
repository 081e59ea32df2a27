/**
 * `/supervisor/agent_root_records/edit`: one record, as a person changes or
 * deletes it, within the limits that hold for everybody who writes.
 *
 * @module
 */
import {
  type AgentRoot,
  type CatalogSnapshot,
  formatProblems,
} from "../../../catalog/mod.ts";
import { FleetRefusalError, writerOf } from "../../../fleet/mod.ts";
import {
  deleteRecord,
  getRecord,
  putRecord,
  serializeData,
  type StoredRecord,
} from "../../../store/root_data/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { text, time } from "../format.ts";
import { type Page, PATHS } from "../layout.ts";
import { markup } from "../markup.ts";
import { facts, link, note, sessionLink } from "../parts.ts";
import type { Person } from "../person.ts";
import { fieldOf } from "../read_form.ts";
import { refusalOf, refusalPage } from "../refusal_page.ts";

/** Which record. */
interface Address {
  readonly namespace: string;
  readonly collection: string;
  readonly id: number;
}

/** Where the page of a record is. */
export function recordLink(
  { namespace, collection, id }: Address,
): string {
  return link(PATHS.record, { namespace, collection, id: String(id) });
}

/** The page. */
export async function recordPage(
  services: Services,
  { c, person, now }: PageCall,
): Promise<Page> {
  const query = c.req.query();
  const address = addressOf(query);
  try {
    return formPage(address, await read(services, address), { person, now });
  } catch (error) {
    return refusalPage("Record", error);
  }
}

/** Changes or deletes it: where to go then, or the form with what is wrong. */
export async function changeRecord(
  services: Services,
  { fields, person, now }: FormCall,
): Promise<Page | string> {
  const address = addressOf(
    Object.fromEntries(
      ["namespace", "collection", "id"].map((name) => [
        name,
        fieldOf(fields, name) ?? "",
      ]),
    ),
  );
  const data = typeof fields.data === "string" ? fields.data : "";
  const ifUpdatedAt = fieldOf(fields, "if_updated_at") ?? "";
  try {
    const record = await read(services, address);
    if (fieldOf(fields, "do") === "delete") {
      const { id: sessionId } = await writerOf(services, person.name);
      await deleteRecord(
        await services.store.db(),
        { ...address, sessionId, ifUpdatedAt },
        { id: address.id },
      );
    } else await save(services, { address, record, data, ifUpdatedAt, person });
    const { namespace, collection } = address;
    return link(PATHS.records, { namespace, collection });
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    try {
      const record = await read(services, address);
      return formPage(address, record, { person, now, refused, data });
    } catch {
      return refusalPage("Record", error);
    }
  }
}

async function save(
  services: Services,
  { address, record, data: given, ifUpdatedAt, person }: {
    readonly address: Address;
    readonly record: StoredRecord;
    readonly data: string;
    readonly ifUpdatedAt: string;
    readonly person: Person;
  },
): Promise<void> {
  const { namespace, collection } = address;
  if (record.key === null) {
    throw refusal(
      "A record without a key is never replaced: delete it, and let an agent append another",
    );
  }
  const value = objectOf(given);
  const catalog = await services.catalog.current();
  const root = rootOf(catalog, address);
  const data = serializeData(value);
  const check = await catalog.checkData(root, collection, value);
  if (!check.ok) {
    throw refusal(
      `Data does not match the schema of "${collection}" of root "${root.name}": ${
        formatProblems(check.problems, check)
      }`,
    );
  }
  const { id: sessionId } = await writerOf(services, person.name);
  await putRecord(await services.store.db(), {
    namespace,
    collection,
    key: record.key,
    data,
    sessionId,
    ifUpdatedAt,
    retentionDays: root.collections.get(collection)?.retentionDays,
  });
}

async function read(
  { store }: Services,
  { namespace, collection, id }: Address,
): Promise<StoredRecord> {
  return await getRecord(
    await store.db(),
    { namespace, collection },
    { id },
  );
}

/** A root that keeps its data there and declares the collection. */
function rootOf(
  catalog: CatalogSnapshot,
  { namespace, collection }: Address,
): AgentRoot {
  const root = [...catalog.roots.values()].find((one) =>
    one.namespaceIsValid && one.namespace === namespace &&
    one.collections.has(collection)
  );
  if (root !== undefined) return root;
  throw refusal(
    `No agent root of the catalog declares the collection "${collection}" in the namespace "${namespace}", so nobody writes there. Add it to data_collections of the root's entry`,
  );
}

function objectOf(given: string): Readonly<Record<string, unknown>> {
  let problem = "it is no object";
  try {
    const value: unknown = JSON.parse(given);
    if (
      typeof value === "object" && value !== null && !Array.isArray(value)
    ) return { ...value };
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw refusal(`Data is a JSON object: ${problem}`);
}

function refusal(words: string): FleetRefusalError {
  return new FleetRefusalError(
    "bad_argument",
    `${words}. Nothing was changed`,
  );
}

function addressOf(
  given: Readonly<Record<string, string | undefined>>,
): Address {
  const id = Number(given.id ?? 0);
  return {
    namespace: given.namespace ?? "",
    collection: given.collection ?? "",
    id: Number.isSafeInteger(id) ? id : 0,
  };
}

function formPage(
  address: Address,
  record: StoredRecord,
  { person, now, refused, data }: {
    readonly person: Person;
    readonly now: number;
    readonly refused?: string;
    readonly data?: string;
  },
): Page {
  const { namespace, collection, id } = address;
  const shown = data ?? JSON.stringify(record.data, null, 2);
  const mayWrite = person.barred === undefined;
  return {
    title: "Record",
    status: refused === undefined ? 200 : 409,
    body: markup`
${
      refused !== undefined &&
      markup`<div role="alert">${note("bad", text(refused))}</div>`
    }${!mayWrite && note("warn", `${person.barred}.`)}
<p class="address">${text(namespace)} <span aria-hidden="true">/</span> ${
      text(collection)
    }</p>
<h2 class="key">${
      record.key === null
        ? markup`<span class="muted">no key, id ${id}</span>`
        : text(record.key)
    }</h2>
${
      facts([
        ["Last written", time(record.updatedAt, now)],
        [
          "Written by",
          record.writingSessionId === null
            ? "a deleted session"
            : sessionLink(record.writingSessionId),
        ],
      ])
    }
<form class="write" method="post" action="${PATHS.record}">
  <input type="hidden" name="namespace" value="${namespace}">
  <input type="hidden" name="collection" value="${collection}">
  <input type="hidden" name="id" value="${String(id)}">
  <input type="hidden" name="if_updated_at" value="${record.updatedAt.toISOString()}">
  <label for="data">Data</label>
  <textarea id="data" name="data" rows="16" spellcheck="false" dir="ltr"${
      (!mayWrite || record.key === null) && " readonly"
    }>${shown}</textarea>
  ${
      mayWrite &&
      markup`<div class="buttons">${
        record.key !== null &&
        markup`<button name="do" value="save">Save</button>`
      }<details><summary>Delete</summary><button name="do" value="delete" class="quiet" formnovalidate>Delete it for good</button></details></div>
  <p class="muted">It counts as a write of the collection, has to match its schema, and is refused if somebody wrote the record since you looked. Records name who wrote them: a session of your own, which stands for you.</p>`
    }
</form>`,
  };
}
