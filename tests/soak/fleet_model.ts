/**
 * What may be relied on of sessions: each thing that was to be said to one, and
 * whether an agent has to begin with it.
 *
 * @module
 */
import type { Traces } from "../chaos/traced_agent.ts";

/** Something that an agent is to be told. */
export interface Told {
  /** What it is known by. */
  readonly token: string;
  /** What brings it. */
  readonly kind: string;
  /** The session; undefined while nobody knows. */
  sessionId: number | undefined;
  /** Acknowledged, refused, or neither. */
  must: "once" | "never" | "maybe";
  /** Whether it comes once its time or another session has come. */
  readonly isWake: boolean;
  /** Whether a pause may have ended the turn that has it. */
  mayBeCut: boolean;
  hasBegun: boolean;
  hasEnded: boolean;
}

/** A session that was acknowledged. */
export interface FleetSession {
  readonly id: number;
  /** What was said to it and acknowledged, in this order. */
  readonly said: Told[];
  /** The wake that it has, or may have. */
  wake: Told | undefined;
  /** Wakes of others that wait for it. */
  readonly watchers: Told[];
  isArchived: "no" | "maybe" | "yes";
  mayBePaused: boolean;
}

/** Acknowledged things that wait for agents: more are not said then. */
const MAX_WAITING = 24;
const ALIVE = ["waiting", "running", "needs_input"];

/** Everything that callers know of sessions. */
export class FleetModel {
  readonly told = new Map<string, Told>();
  readonly sessions = new Map<number, FleetSession>();
  /** Acknowledged, and no agent has come to the end of it. */
  readonly waiting = new Set<Told>();
  readonly #traces: Traces;
  #read = 0;

  /** Takes what agents leave. */
  constructor(traces: Traces) {
    this.#traces = traces;
  }

  /** Something is about to be said. */
  tell(token: string, kind: string, sessionId?: number): Told {
    const told: Told = {
      token,
      kind,
      sessionId,
      must: "maybe",
      isWake: kind.startsWith("woken"),
      mayBeCut: false,
      hasBegun: false,
      hasEnded: false,
    };
    this.told.set(token, told);
    return told;
  }

  /** It was acknowledged: an agent begins with it once. */
  acknowledge(told: Told): void {
    told.must = "once";
    if (!told.hasEnded && !told.mayBeCut) this.waiting.add(told);
  }

  /** A session is known to be there. */
  add(id: number): FleetSession {
    const session: FleetSession = {
      id,
      said: [],
      wake: undefined,
      watchers: [],
      isArchived: "no",
      mayBePaused: false,
    };
    this.sessions.set(id, session);
    return session;
  }

  /** A session is about to be paused: nobody knows what its agent came to. */
  pause(session: FleetSession): void {
    session.mayBePaused = true;
    for (const told of this.told.values()) {
      if (told.sessionId !== session.id || told.hasEnded) continue;
      told.mayBeCut = true;
      this.waiting.delete(told);
    }
  }

  /** Whether so much waits for agents, sleepers aside, that no more is said. */
  get isBusy(): boolean {
    return [...this.waiting].filter(({ isWake }) => !isWake).length >
      MAX_WAITING;
  }

  /** States that a session may be told to be in. */
  statesOf(id: number): readonly string[] {
    const isArchived = this.sessions.get(id)?.isArchived ?? "no";
    if (isArchived === "yes") return ["archived"];
    return isArchived === "maybe" ? [...ALIVE, "archived"] : ALIVE;
  }

  /** Reads what agents did since it was last looked. */
  async look(): Promise<void> {
    await this.#traces.read();
    for (const { kind, token } of this.#traces.all.slice(this.#read)) {
      const told = this.told.get(token);
      if (told === undefined) continue;
      told.hasBegun = true;
      if (kind !== "end") continue;
      told.hasEnded = true;
      this.waiting.delete(told);
    }
    this.#read = this.#traces.all.length;
  }
}
