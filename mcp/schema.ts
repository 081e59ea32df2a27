/**
 * JSON Schemas as literals, and the types of the values that pass them.
 *
 * A schema is written once: it validates, it is shown (`tools/list`, OpenAPI),
 * and `ArgsOf` and `ValueOf` give the code that reads or makes such a value its
 * type.
 *
 * @module
 */

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of arguments: a JSON Schema with an object root. */
export interface InputSchema {
  /** Always an object. */
  readonly type: "object";
  /** The arguments. */
  readonly properties: Readonly<Record<string, Schema>>;
  /** Names that must be given. */
  readonly required: readonly string[];
  /** Unknown names are refused. */
  readonly additionalProperties: false;
}

/** The schema of an answer: a JSON Schema with an object root. */
export interface OutputSchema {
  /** Always an object. */
  readonly type: "object";
  /** What it consists of. */
  readonly properties: Readonly<Record<string, Schema>>;
  /** What is always there. */
  readonly required: readonly string[];
}

/** Values that pass a schema; what it does not narrow is unknown. */
export type ValueOf<S> = S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly anyOf: readonly (infer A)[] } ? ValueOf<A>
  : S extends { readonly type: readonly (infer T)[] }
    ? T extends unknown ? ValueOf<Omit<S, "type"> & { readonly type: T }>
    : never
  : S extends { readonly type: "string" } ? string
  : S extends { readonly type: "integer" | "number" } ? number
  : S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "null" } ? null
  : S extends { readonly type: "array"; readonly items: infer I }
    ? readonly ValueOf<I>[]
  : S extends { readonly type: "array" } ? readonly unknown[]
  : S extends {
    readonly type: "object";
    readonly properties: infer P;
    readonly required: readonly (infer R)[];
  } ?
      & { readonly [K in keyof P as K extends R ? K : never]: ValueOf<P[K]> }
      & {
        readonly [K in keyof P as K extends R ? never : K]?:
          | ValueOf<P[K]>
          | undefined;
      }
  : S extends { readonly type: "object" } ? Readonly<Record<string, unknown>>
  : unknown;

/** Arguments that passed a schema. */
export type ArgsOf<S extends InputSchema> = ValueOf<S>;

/** A text. */
export const TEXT = { type: "string" } as const;
/** A whole number from 0. */
export const COUNT = { type: "integer", minimum: 0 } as const;
/** Yes or no. */
export const FLAG = { type: "boolean" } as const;
/** A time, ISO 8601. */
export const TIME = { type: "string", format: "date-time" } as const;
/** Any JSON object. */
export const FREE = { type: "object" } as const;

/** Arguments of these properties; unknown ones are refused. */
export function inputOf<
  const P extends InputSchema["properties"],
  const R extends keyof P & string = never,
>(properties: P, required: readonly R[] = []): {
  readonly type: "object";
  readonly properties: P;
  readonly required: readonly R[];
  readonly additionalProperties: false;
} {
  return { type: "object", properties, required, additionalProperties: false };
}

/** Arguments of a call that takes none. */
export const NO_INPUT = inputOf({});

/** An object: what is always there, and what may be left out. */
export function objectOf<
  const P extends Readonly<Record<string, Schema>>,
  const O extends Readonly<Record<string, Schema>> = Record<never, never>,
>(properties: P, optional?: O): {
  readonly type: "object";
  readonly properties: P & O;
  readonly required: readonly (keyof P & string)[];
} {
  return {
    type: "object",
    properties: { ...properties, ...optional } as P & O,
    required: Object.keys(properties),
  };
}

/** One of these words. */
export function wordOf<const W extends string>(words: readonly W[]): {
  readonly type: "string";
  readonly enum: readonly W[];
} {
  return { type: "string", enum: words };
}

/** A list. */
export function listOf<const S extends Schema>(items: S): {
  readonly type: "array";
  readonly items: S;
} {
  return { type: "array", items };
}

/** The schema, or null. */
export function orNull<const S extends Schema>(schema: S): {
  readonly anyOf: readonly [S, { readonly type: "null" }];
} {
  return { anyOf: [schema, { type: "null" }] };
}

/** The object, with more that may be there. */
export function withOptional<
  const P extends Readonly<Record<string, Schema>>,
  const R extends string,
  const O extends Readonly<Record<string, Schema>>,
>(
  object: {
    readonly type: "object";
    readonly properties: P;
    readonly required: readonly R[];
  },
  optional: O,
): {
  readonly type: "object";
  readonly properties: P & O;
  readonly required: readonly R[];
} {
  return { ...object, properties: { ...object.properties, ...optional } };
}
