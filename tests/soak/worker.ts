/**
 * A worker: one session that puts, appends, gets, searches, lists and deletes,
 * and checks each answer against the model.
 *
 * @module
 */
import type { Answer } from "./answer.ts";
import type { Model, Place } from "./model.ts";
import type { Random } from "./random.ts";

/** Declared by every root: more than the 25 that may hold records. */
export const COLLECTIONS: readonly string[] = [
  ...Array.from({ length: 28 }, (_, n) => `c${n}`),
  "hot",
  "old",
  "full",
];
/** Records in the collection `full` of each root at the start. */
export const FULL_RECORDS = 9_980;

const MAX_OPEN = 150;

/** How a worker reaches a server. */
export type Call = (tool: string, args: unknown) => Promise<Answer>;

/** Who works, and on what. */
export interface WorkerOptions {
  readonly number: number;
  readonly root: string;
  readonly random: Random;
  readonly model: Model;
}

/** Works for one session, a step at a time. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #places: Place[] = [];
  #next = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** One call and its check. */
  async step(call: Call): Promise<void> {
    const { random } = this.#options;
    const dice = random.below(100);
    const open = this.#places.filter((place) => place.isOpen);
    const known = open.filter((place) => place.may[0] !== null);
    if (dice < 30 || known.length === 0) {
      const old = open.filter((place) => place.key !== undefined);
      const isNew = old.length === 0 ||
        (open.length < MAX_OPEN && random.chance(50));
      return await this.#put(
        call,
        isNew ? this.#newPlace(true) : random.pick(old),
      );
    }
    if (dice < 50 && open.length < MAX_OPEN) {
      return await this.#append(call, this.#newPlace(false));
    }
    if (dice < 70) return await this.#get(call, random.pick(known));
    if (dice < 82) return await this.#search(call, random.pick(known));
    if (dice < 85) return await this.#list(call);
    return await this.#delete(call, random.pick(known));
  }

  #newPlace(hasKey: boolean): Place {
    const { number, random, root } = this.#options;
    const first = this.#value();
    return {
      root,
      collection: this.#collection(random),
      key: hasKey ? `w${number}-${first}` : undefined,
      first,
      worker: number,
      may: [null],
      isOpen: true,
      id: undefined,
      history: [],
    };
  }

  #collection(random: Random): string {
    const dice = random.below(100);
    if (dice < 20) return "hot";
    if (dice < 26) return "old";
    if (dice < 32) return "full";
    return `c${random.below(28)}`;
  }

  #value(): number {
    return this.#options.number * 1_000_000 + ++this.#next;
  }

  #data(value: number): Record<string, unknown> {
    const { random, number } = this.#options;
    const dice = random.below(100);
    const length = dice < 1 ? 40_000 : dice < 3 ? 30_000 : random.below(600);
    return { w: number, n: value, pad: "x".repeat(length) };
  }

  async #put(call: Call, place: Place): Promise<void> {
    const value = this.#places.includes(place) ? this.#value() : place.first;
    const data = this.#data(value);
    const { collection, key } = place;
    await this.#write(
      place,
      value,
      data,
      () => call("put_root_record", { collection, key, data }),
    );
  }

  async #append(call: Call, place: Place): Promise<void> {
    const data = this.#data(place.first);
    const { collection } = place;
    await this.#write(
      place,
      place.first,
      data,
      () => call("append_root_record", { collection, data }),
    );
  }

  async #delete(call: Call, place: Place): Promise<void> {
    const { collection, key, id } = place;
    const which = key === undefined ? { id } : { key };
    await this.#write(
      place,
      null,
      undefined,
      () => call("delete_root_record", { collection, ...which }),
    );
  }

  /** Does a write, and notes what may be there afterwards. */
  async #write(
    place: Place,
    after: number | null,
    data: Record<string, unknown> | undefined,
    send: () => Promise<Answer>,
  ): Promise<void> {
    const { model } = this.#options;
    if (!this.#places.includes(place)) {
      this.#places.push(place);
      model.places.push(place);
    }
    const before = place.may;
    // Visible to whoever expires records meanwhile.
    place.may = [...before, after];
    place.isOpen = false;
    const sent = performance.now();
    const answer = await send();
    const answered = performance.now();
    place.history.push(
      `${new Date().toISOString()} ${after} ${answer.kind} ${
        answer.kind === "done" ? answer.data.record?.id ?? "" : answer.text
      }`,
    );
    const mayBeGone = place.collection === "old";
    if (answer.kind === "done") {
      model.count(after === null ? "deleted" : String(answer.data.result));
      model.accept(place, { sent, answered });
      if (data !== undefined && JSON.stringify(data).length > 32_768) {
        model.violate(`${nameOf(place)}: data beyond 32 KB was stored`);
      }
      place.id = answer.data.record?.id ?? place.id;
      // An expiry that was moved while the call was under way is not told.
      place.may = mayBeGone && after !== null ? [after, null] : [after];
      // An appended record that is gone has no place any more.
      place.isOpen = !(place.key === undefined && after === null);
      return;
    }
    if (answer.kind === "unknown") {
      model.count("unknown");
      return;
    }
    if (answer.kind === "surprise") {
      model.violate(`${nameOf(place)}: surprising answer: ${answer.text}`);
      return;
    }
    model.count(`refused: ${answer.rule}`);
    place.may = mayBeGone && !before.includes(null)
      ? [...before, null]
      : before;
    place.isOpen = !(place.key === undefined && before[0] === null);
    if (answer.rule === "absent") {
      if (after !== null || !before.includes(null)) {
        model.violate(`${nameOf(place)}: lost, a delete did not find it`);
      }
      place.may = [null];
      place.isOpen = place.key !== undefined;
    }
  }

  async #get(call: Call, place: Place): Promise<void> {
    const { model } = this.#options;
    const { collection, key, id } = place;
    const which = key === undefined ? { id } : { key };
    const answer = await call("get_root_record", { collection, ...which });
    if (!this.#isRead(answer, place)) return;
    const value = answer.kind === "done" ? answer.data.record.data.n : null;
    if (!place.may.includes(value)) {
      model.violate(
        `${
          nameOf(place)
        }: a get shows ${value}, and may show ${place.may.join()}`,
      );
    }
  }

  /** Searches its own records in a collection, and counts them. */
  async #search(call: Call, { collection }: Place): Promise<void> {
    const { model, number } = this.#options;
    const answer = await call("search_root_records", {
      collection,
      filter: { w: number },
      limit: 100,
    });
    const mine = this.#places.filter((one) => one.collection === collection);
    if (!this.#isRead(answer, mine[0]) || answer.kind !== "done") return;
    const least = mine.filter((one) => !one.may.includes(null)).length;
    const most = mine.filter((one) => one.may.some((value) => value !== null));
    const { total, records } = answer.data;
    if (total < least || total > most.length) {
      model.violate(
        `${collection} of worker ${number}: a search finds ${total}, and may find ${least} to ${most.length}`,
      );
    }
    const values = new Set(most.flatMap((one) => one.may));
    const strange = records.find((one: { data: { n: number } }) =>
      !values.has(one.data.n)
    );
    if (strange !== undefined) {
      model.violate(`${collection}: a search finds ${JSON.stringify(strange)}`);
    }
  }

  async #list(call: Call): Promise<void> {
    const answer = await call("list_root_collections", {});
    if (!this.#isRead(answer, undefined) || answer.kind !== "done") return;
    const holding = answer.data.collections_holding_records;
    if (holding > 25) {
      this.#options.model.violate(`${holding} collections hold records`);
    }
  }

  /** Counts the answer of a read; whether it can be checked. */
  #isRead(answer: Answer, place: Place | undefined): boolean {
    const { model } = this.#options;
    if (answer.kind === "surprise") {
      model.violate(
        `${place === undefined ? "a list" : nameOf(place)}: ${answer.text}`,
      );
      return false;
    }
    if (answer.kind === "unknown") {
      model.count("reads cut");
      return false;
    }
    if (answer.kind === "done") model.count("reads");
    else model.count(`refused: ${answer.rule}`);
    return answer.kind === "done" || answer.rule === "absent";
  }
}

/** What a place is called in a report. */
export function nameOf({ root, collection, key, first }: Place): string {
  return `${root}/${collection}/${key ?? `#${first}`}`;
}
