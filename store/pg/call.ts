/**
 * One call of the pool: how far it got, and whether it is still waited for.
 *
 * @module
 */
import { cancelStatement } from "./statement.ts";
import type { Circumstances } from "./faults.ts";

/** A call, from its begin to its answer, over all its attempts. */
export class Call {
  /** When it began, in milliseconds. */
  readonly begunAt: number = performance.now();
  /** Whether what it does may stand after a fault. */
  readonly #isWrite: boolean;
  #statement: object | undefined;
  #isOver = false;
  /** Called when the work of a transaction begins, which has no limit. */
  onWork: () => void = () => {};

  constructor(kind: "read" | "write") {
    this.#isWrite = kind === "write";
  }

  /** Whether it was given up on: nothing may be done for it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What a fault finds now. */
  get circumstances(): Circumstances {
    const statement = this.#statement;
    const isSent = statement !== undefined &&
      (!("state" in statement) || statement.state !== null);
    return { isSent, mayStand: this.#isWrite };
  }

  /** Takes the driver's statement that is under way for it. */
  take(statement: object): void {
    this.#statement = statement;
  }

  /** Gives it up. */
  giveUp(): void {
    this.#isOver = true;
    if (this.#statement !== undefined) cancelStatement(this.#statement);
  }
}
