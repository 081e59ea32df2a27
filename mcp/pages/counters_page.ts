/**
 * `/supervisor/agent_root_record_counters`: what the counters say, and on
 * request what is really stored beside it. Read-only.
 *
 * @module
 */
import {
  browseCounters,
  type BrowsedCounter,
  type CounterBrowsePage,
  MAX_RECORDS_PER_COLLECTION,
  MAX_WRITES_PER_WINDOW,
} from "../../store/root_data/mod.ts";
import type { Services } from "../services.ts";
import { figure, size, text, time } from "./format.ts";
import { type Page, PATHS } from "./layout.ts";
import { type Html, markup } from "./markup.ts";
import {
  capShare,
  type Column,
  filterForm,
  link,
  note,
  paging,
  state,
  table,
} from "./parts.ts";
import { given, orRefusal, pageLimit, type Query } from "./query.ts";

interface Filter {
  readonly namespace: string | undefined;
  readonly collection: string | undefined;
  readonly compare: "1" | undefined;
  readonly after: string | undefined;
  readonly limit: string | undefined;
}

const PAGE_COUNTERS = 50;

const COLUMNS: readonly Column[] = [
  { label: "Collection" },
  { label: "Records", isFigure: true },
  { label: "Of the cap", isFigure: true },
  { label: "Data", isFigure: true },
  { label: "Writes this minute", isFigure: true },
  { label: "Last write" },
  { label: "Recounted" },
];

/** The page for a query. @throws {StoreUnavailableError} No answer. */
export async function countersPage(
  { store }: Services,
  query: Query,
  now: number,
): Promise<Page> {
  const filter: Filter = {
    namespace: given(query.namespace),
    collection: given(query.collection),
    compare: query.compare === "1" ? "1" : undefined,
    after: given(query.after),
    limit: given(query.limit),
  };
  return await orRefusal("Counters", form(filter), async () => {
    const page = await browseCounters(await store.db(), {
      namespace: filter.namespace,
      collection: filter.collection,
      after: filter.after,
      limit: pageLimit(filter.limit, PAGE_COUNTERS),
      isCounted: filter.compare === "1",
    });
    return list(page, filter, now);
  });
}

function form(filter: Filter): Html {
  const isCompared = filter.compare === "1";
  return filterForm(
    PATHS.counters,
    filter,
    markup`
  <div class="check">
    <input type="checkbox" id="compare" name="compare" value="1"${
      isCompared && " checked"
    }>
    <label for="compare">Compare with what is stored</label>
  </div>`,
  );
}

function list(
  { counters, next }: CounterBrowsePage,
  filter: Filter,
  now: number,
): Html {
  const pages = paging(PATHS.counters, { ...filter }, next);
  if (counters.length === 0) {
    const word = filter.after === undefined
      ? "There are no counters here: nothing was written yet."
      : "There are no counters behind that page.";
    return markup`<p class="empty">${word}</p>${pages}`;
  }
  const isCompared = filter.compare === "1";
  const columns = isCompared
    ? COLUMNS.toSpliced(1, 0, { label: "Stored, compared" })
    : COLUMNS;
  return markup`
${isCompared && verdict(counters)}
${table("Counters", columns, counters.map((one) => row(one, now)))}
<p class="muted">A collection holds at most ${
    figure(MAX_RECORDS_PER_COLLECTION)
  } records and takes ${MAX_WRITES_PER_WINDOW} writes a minute. Each sweep recounts the counters that have been quiet longest.</p>
${pages}`;
}

function verdict(counters: readonly BrowsedCounter[]): Html {
  const wrong = counters.filter(isWrong).length;
  return wrong === 0
    ? note("good", "Every counter on this page says exactly what is stored.")
    : note(
      "warn",
      markup`Counters on this page that differ from what is stored: ${wrong} of ${counters.length}. Each sweep puts some right, and <code>deno task sweep</code> runs one now.`,
    );
}

function row(counter: BrowsedCounter, now: number): (Html | string)[] {
  const { namespace, collection, windowWrites, actual } = counter;
  const records = link(PATHS.records, { namespace, collection });
  const isClosed = windowWrites >= MAX_WRITES_PER_WINDOW;
  return [
    markup`<a href="${records}">${text(namespace)} / ${text(collection)}</a>`,
    ...(actual === undefined ? [] : [comparison(counter, actual)]),
    figure(counter.records),
    capShare(
      Math.floor(counter.records * 100 / MAX_RECORDS_PER_COLLECTION),
    ),
    size(counter.bytes),
    markup`${
      isClosed && state("Refusing", "warn")
    } ${windowWrites} of ${MAX_WRITES_PER_WINDOW}`,
    time(counter.lastWriteAt, now),
    time(counter.recountedAt, now),
  ];
}

function comparison(
  counter: BrowsedCounter,
  { records, bytes }: { readonly records: number; readonly bytes: number },
): Html {
  return isWrong(counter)
    ? markup`${state("Differs", "bad")} ${figure(records)} records, ${
      figure(bytes)
    } bytes`
    : state("Same", "good");
}

function isWrong({ records, bytes, actual }: BrowsedCounter): boolean {
  return actual !== undefined &&
    (actual.records !== records || actual.bytes !== bytes);
}
