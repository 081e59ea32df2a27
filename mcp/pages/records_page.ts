/**
 * `/supervisor/agent_root_records`: the records themselves, read-only.
 *
 * There is no form that writes: a record edited around the store would skip
 * caps and counters.
 *
 * @module
 */
import {
  type BrowsedRecord,
  browseRecords,
  type RecordBrowsePage,
} from "../../store/root_data/mod.ts";
import { recordLink } from "./records/record_page.ts";
import type { Services } from "../services.ts";
import { figure, json, size, text, time } from "./format.ts";
import { type Page, PATHS } from "./layout.ts";
import { type Html, markup } from "./markup.ts";
import {
  facts,
  filterForm,
  link,
  paging,
  sessionLink,
  state,
} from "./parts.ts";
import { given, orRefusal, pageLimit, type Query } from "./query.ts";

interface Filter {
  readonly namespace: string | undefined;
  readonly collection: string | undefined;
  readonly key: string | undefined;
  readonly match: "exact" | undefined;
  readonly after: string | undefined;
  readonly limit: string | undefined;
}

const PAGE_RECORDS = 25;

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function recordsPage(
  { store }: Services,
  query: Query,
  now: number,
): Promise<Page> {
  const filter: Filter = {
    namespace: given(query.namespace),
    collection: given(query.collection),
    // Not trimmed: a key may begin or end with blanks.
    key: query.key === "" ? undefined : query.key,
    match: query.match === "exact" ? "exact" : undefined,
    after: given(query.after),
    limit: given(query.limit),
  };
  return await orRefusal("Records", form(filter), async () => {
    const page = await browseRecords(await store.db(), {
      namespace: filter.namespace,
      collection: filter.collection,
      after: filter.after,
      limit: pageLimit(filter.limit, PAGE_RECORDS),
      key: filter.key === undefined
        ? undefined
        : { text: filter.key, isPrefix: filter.match !== "exact" },
    });
    return list(page, filter, now);
  });
}

function form(filter: Filter): Html {
  const isExact = filter.match === "exact";
  return filterForm(
    PATHS.records,
    filter,
    markup`
  <div>
    <label for="match">Key</label>
    <select id="match" name="match">
      <option value="prefix"${!isExact && " selected"}>begins with</option>
      <option value="exact"${isExact && " selected"}>is exactly</option>
    </select>
  </div>
  <div class="grow">
    <label for="key">Text of the key</label>
    <input id="key" name="key" value="${filter.key}" dir="auto" autocapitalize="none" spellcheck="false">
  </div>`,
  );
}

function list(page: RecordBrowsePage, filter: Filter, now: number): Html {
  const { records, next } = page;
  const pages = paging(PATHS.records, { ...filter }, next);
  if (records.length === 0) {
    const word = filter.after !== undefined
      ? "There are no records behind that page."
      : filter.key !== undefined
      ? "No record has such a key."
      : "There are no records here.";
    return markup`<p class="empty">${word}</p>${pages}`;
  }
  const total = filter.key === undefined
    ? `; ${figure(page.stored)} in all, by the counters`
    : "";
  const cut = page.isTruncated &&
    " The page is short because its data is large.";
  return markup`
<p class="muted">${
    figure(records.length)
  } on this page${total}. By namespace and collection, newest first.${cut}</p>
<ol class="records">${records.map((one) => item(one, now))}</ol>
${pages}`;
}

function item(record: BrowsedRecord, now: number): Html {
  const { namespace, collection, key, id } = record;
  const heading = key === null
    ? markup`<span class="muted">no key, id ${id}</span>`
    : text(key);
  const ofNamespace = link(PATHS.records, { namespace });
  const ofCollection = link(PATHS.records, { namespace, collection });
  return markup`
<li class="panel"><article aria-labelledby="record-${id}">
  <p class="address"><a href="${ofNamespace}">${
    text(namespace)
  }</a> <span aria-hidden="true">/</span> <a href="${ofCollection}">${
    text(collection)
  }</a></p>
  <h2 id="record-${id}" class="key">${heading}</h2>
  ${head(record, now)}
  ${json(record.data)}
  <p><a href="${
    recordLink(record)
  }">Change or delete<span class="unseen"> record ${id}</span></a></p>
</article></li>`;
}

function head(record: BrowsedRecord, now: number): Html {
  const { createdAt, updatedAt, writingSessionId: writer } = record;
  const isReplaced = updatedAt.getTime() !== createdAt.getTime();
  return facts([
    ["Id", String(record.id)],
    ["Data", size(record.bytes)],
    ["Created", time(createdAt, now)],
    ["Replaced", time(isReplaced ? updatedAt : null, now)],
    ["Expires", expiry(record.expiresAt, now)],
    ["Written by", writer === null ? "a deleted session" : sessionLink(writer)],
  ]);
}

function expiry(expiresAt: Date | null, now: number): Html {
  const moment = time(expiresAt, now);
  if (expiresAt === null || expiresAt.getTime() > now) return moment;
  return markup`${moment} ${state("Waits for the sweep", "warn")}`;
}
