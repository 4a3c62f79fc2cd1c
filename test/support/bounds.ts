/** A JSON schema, as far as bounds are read from it. */
export interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
}

/** Both sides of one bound: two configs that differ in one value. */
interface Sides {
  /** Such as `at most 64`, or `else 30` of a value that a plan may leave out. */
  readonly says: string;
  readonly fits: unknown;
  readonly exceeds: unknown;
}

/** A bound of one key. */
export interface Bound extends Sides {
  /** Such as `runners[].processes`; a part of a choice has its number, as in `flows|1`. */
  readonly path: string;
}

type Put = (value: unknown) => unknown;

/** What must be in an object for reasons that its schema does not say: by the path of one of its keys, or its own and a dot. */
export type Needs = Readonly<Record<string, object>>;

/** Lists the bounds of the schema of a config. */
export function boundsOf(schema: Schema, needs: Needs): readonly Bound[] {
  const bounds: Bound[] = [];
  const walk = (at: Schema, path: string, put: Put): void => {
    const around = { ...(sample(at) as object), ...needs[`${path}.`] };
    for (const { says, fits, exceeds } of [
      ...numbers(at),
      ...lengths(at),
      ...words(at),
      ...plain(at),
      ...others(at, around),
    ])
      bounds.push({ path, says, fits: put(fits), exceeds: put(exceeds) });
    for (const [key, member] of Object.entries(at.properties ?? {})) {
      const name = `${path}.${key}`;
      walk(member, name, (value) => put({ ...around, ...needs[name], [key]: value }));
    }
    for (const { member, name, within } of members(at))
      walk(member, `${path}${name}`, (value) => put(within(value)));
  };
  walk(schema, "", (value) => value);
  return bounds;
}

interface Member {
  readonly member: Schema;
  readonly name: string;
  /** The smallest value of the whole that has this value of the member. */
  readonly within: Put;
}

/** The members that have no key of their own: of lists, of maps and of choices. */
function members(at: Schema): readonly Member[] {
  const { items, additionalProperties: more, propertyNames: names, anyOf = [], oneOf = [] } = at;
  const found: Member[] = [...anyOf, ...oneOf].map((member, index) => ({
    member,
    name: `|${index}`,
    within: (value) => value,
  }));
  if (items !== undefined) found.push({ member: items, name: "[]", within: (value) => [value] });
  if (typeof more !== "object") return found;
  found.push({ member: more, name: ".*", within: (value) => ({ [sample(names ?? {}) as string]: value }) });
  if (names !== undefined)
    found.push({ member: names, name: ".#", within: (key) => ({ [key as string]: sample(more) }) });
  return found;
}

/** The smallest value that a schema takes. */
function sample(at: Schema): unknown {
  const part = at.anyOf?.[0] ?? at.oneOf?.[0];
  if (part !== undefined) return sample(part);
  if (at.const !== undefined) return at.const;
  if (at.enum !== undefined) return at.enum[0];
  if (at.type === "integer" || at.type === "number") return least(at);
  if (at.type === "boolean") return false;
  if (at.type === "array") return Array<unknown>(at.minItems ?? 0).fill(sample(at.items ?? {}));
  if (at.type !== "object") return textOf(at, Math.max(1, at.minLength ?? 0));
  const required = (at.required ?? []).map((key) => [key, sample(at.properties?.[key] ?? {})]);
  return Object.fromEntries(required);
}

function least({ type, minimum, exclusiveMinimum: above }: Schema): number {
  if (above !== undefined && above >= 0) return above + (type === "integer" ? 1 : 0.001);
  return Math.max(0, minimum ?? 0);
}

/** Texts of a length, some of which fit any pattern of a config. */
const texts = [
  (length: number) => "x".repeat(length),
  (length: number) => "0".repeat(Math.max(64, length)),
  (length: number) => `x(${"y".repeat(Math.max(1, length - 3))})`,
  ...["https://a.example/", "sqlite:a", "redis://a", `whsec_${"x".repeat(32)}`].map(
    (start) => (length: number) => start.padEnd(length, "x"),
  ),
];

const refused = ["ftp://a.example", "", " ", "a b/(", "a(b"];

function fitsForm({ format, pattern }: Schema, text: string): boolean {
  return (
    (format !== "uri" || /^https?:/.test(text)) &&
    (pattern === undefined || new RegExp(pattern, "s").test(text))
  );
}

function textOf(at: Schema, length: number): string {
  return texts.map((make) => make(length)).find((text) => fitsForm(at, text)) ?? "x".repeat(length);
}

/** A value of another kind is outside of a truth value, and of each value that a plan may leave out. */
function plain({ type, const: only, default: left }: Schema): readonly Sides[] {
  const isWhole = left !== undefined && (typeof left !== "object" || Array.isArray(left));
  return [
    ...(type === "boolean" && only === undefined
      ? [{ says: "true, false", fits: true, exceeds: "true" }]
      : []),
    ...(isWhole ? [{ says: `else ${JSON.stringify(left)}`, fits: left, exceeds: { other_kind: 1 } }] : []),
  ];
}

function numbers(at: Schema): readonly Sides[] {
  const { type, minimum, maximum, exclusiveMinimum: above } = at;
  const step = type === "integer" ? 1 : 0.001;
  const isSaid = (value: number | undefined) => Math.abs(value ?? Infinity) < Number.MAX_SAFE_INTEGER;
  return [
    ...(isSaid(minimum) ? [{ says: `at least ${minimum}`, fits: minimum, exceeds: minimum! - step }] : []),
    ...(isSaid(above) ? [{ says: `more than ${above}`, fits: above! + step, exceeds: above }] : []),
    ...(isSaid(maximum) ? [{ says: `at most ${maximum}`, fits: maximum, exceeds: maximum! + step }] : []),
    ...(type === "integer" ? [{ says: "whole", fits: least(at), exceeds: least(at) + 0.5 }] : []),
  ];
}

function lengths(at: Schema): readonly Sides[] {
  const { type, minLength, maxLength, minItems, maxItems } = at;
  const text = (length: number) => textOf(at, length).slice(0, length);
  const list = (length: number) => Array<unknown>(length).fill(sample(at.items ?? {}));
  return type === "array"
    ? sides(minItems, maxItems, list, "items")
    : sides(minLength, maxLength, text, "characters");
}

function sides(
  fewest: number | undefined,
  most: number | undefined,
  make: (length: number) => unknown,
  what: string,
): readonly Sides[] {
  return [
    ...(fewest === undefined
      ? []
      : [{ says: `at least ${fewest} ${what}`, fits: make(fewest), exceeds: make(fewest - 1) }]),
    ...(most === undefined
      ? []
      : [{ says: `at most ${most} ${what}`, fits: make(most), exceeds: make(most + 1) }]),
  ];
}

function words({ const: only, enum: several, format, pattern }: Schema): readonly Sides[] {
  const known = only === undefined ? (several ?? []) : [only];
  const form = pattern ?? format;
  const at = { ...(format === undefined ? {} : { format }), ...(pattern === undefined ? {} : { pattern }) };
  const exceeds = refused.find((text) => !fitsForm(at, text));
  return [
    ...known.map((word) => ({ says: JSON.stringify(word), fits: word, exceeds: `${String(word)}~` })),
    ...(form === undefined ? [] : [{ says: form, fits: textOf(at, 1), exceeds }]),
  ];
}

function others({ properties, additionalProperties: more }: Schema, around: object): readonly Sides[] {
  const isClosed = properties !== undefined && more === false;
  return isClosed ? [{ says: "no other key", fits: around, exceeds: { ...around, other_key: 1 } }] : [];
}
