import type { ParseResult } from "../contract/ports.ts";
import { issuesOf } from "./issues.ts";

/** The part of a Zod schema that is faster than the Standard Schema interface. */
export interface SafeParser {
  safeParse(value: unknown): ZodResult;
  safeParseAsync(value: unknown): Promise<ZodResult>;
  /** What Zod offers to libraries: https://zod.dev/library-authors */
  readonly _zod: {
    readonly def: Readonly<Record<string, unknown>>;
    run(payload: ZodPayload, context: { readonly async: boolean }): ZodPayload | Promise<ZodPayload>;
  };
}

interface ZodPayload {
  readonly value: unknown;
  readonly issues: unknown[];
}

type ZodResult =
  | { success: true; data: unknown }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };

type Parse = (value: unknown) => ParseResult | Promise<ParseResult>;

export function isZod(schema: object): schema is SafeParser {
  return "_zod" in schema && typeof (schema as Partial<SafeParser>).safeParse === "function";
}

/** The parser of a Zod schema of these kinds: synchronous, unless a function of its author is asynchronous. */
export function zodParser(schema: SafeParser, kinds: ReadonlySet<unknown>): Parse {
  const callsAuthor = [...kinds].some((kind) => withFunctions.has(kind));
  return callsAuthor ? carefulParser(schema) : (value) => settleZod(schema.safeParse(value));
}

function settleZod(result: ReturnType<SafeParser["safeParse"]>): ParseResult {
  return result.success
    ? { ok: true, value: result.data as Record<string, unknown> }
    : { ok: false, issues: issuesOf(result.error.issues) };
}

/**
 * Parses with a schema that has functions of its author. Zod's synchronous parser starts an asynchronous function, then
 * throws: its promise is lost, and ends the process when it rejects. So the asynchronous mode runs first, which returns
 * a promise only where a function does. The issues of a refused value are made by a second parse.
 */
function carefulParser(schema: SafeParser): Parse {
  let isAsync = false;
  return (value) => {
    if (isAsync) return schema.safeParseAsync(value).then(settleZod);
    // oxlint-disable-next-line no-underscore-dangle -- Zod's own name
    const result = schema._zod.run({ value, issues: [] }, { async: true });
    if (!(result instanceof Promise))
      return result.issues.length === 0
        ? { ok: true, value: result.value as Record<string, unknown> }
        : settleZod(schema.safeParse(value));
    isAsync = true;
    return result.then((parsed): ParseResult | Promise<ParseResult> =>
      parsed.issues.length === 0
        ? { ok: true, value: parsed.value as Record<string, unknown> }
        : schema.safeParseAsync(value).then(settleZod),
    );
  };
}

/** Kinds of Zod schemas and checks that call a function of their author. */
const withFunctions: ReadonlySet<unknown> = new Set(["custom", "transform", "pipe", "function", "promise"]);

/** Kinds that return the JSON that they print: a schema of these needs no probe, which is half of what a mount costs. */
const plainKinds: ReadonlySet<unknown> = new Set(
  "object string number int boolean null enum literal array tuple record union intersection optional nullable default any unknown never readonly lazy greater_than less_than multiple_of min_length max_length length_equals number_format string_format".split(
    " ",
  ),
);

/** Whether a Zod schema of these kinds accepts and returns exactly the JSON that it prints. */
export function arePlain(kinds: ReadonlySet<unknown>): boolean {
  return [...kinds].every((kind) => plainKinds.has(kind));
}

export function kindsOf(
  node: unknown,
  kinds = new Set<unknown>(),
  seen = new Set<unknown>(),
): ReadonlySet<unknown> {
  if (typeof node !== "object" || node === null || seen.has(node)) return kinds;
  seen.add(node);
  const { _zod: zod } = node as Partial<SafeParser>;
  if (zod !== undefined) {
    const { type, check, coerce, getter } = zod.def;
    for (const kind of [type, check, coerce === true && "coerce"])
      if (typeof kind === "string") kinds.add(kind);
    if (typeof getter === "function") kindsOf((getter as () => unknown)(), kinds, seen);
  }
  for (const member of Object.values(zod?.def ?? node)) kindsOf(member, kinds, seen);
  return kinds;
}
