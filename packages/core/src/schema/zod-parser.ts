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

/** Whether a schema is one of Zod. */
export function isZod(schema: object): schema is SafeParser {
  return "_zod" in schema && typeof (schema as Partial<SafeParser>).safeParse === "function";
}

/** The parser of a Zod schema: synchronous, unless a function of its author is asynchronous. */
export function zodParser(fast: SafeParser): Parse {
  return mayBeAsync(fast) ? carefulParser(fast) : (value) => settleZod(fast.safeParse(value));
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

/** Whether a Zod schema has a refinement or a transform anywhere, which may be asynchronous. */
function mayBeAsync(node: unknown, seen = new Set<unknown>()): boolean {
  if (typeof node !== "object" || node === null || seen.has(node)) return false;
  seen.add(node);
  if (Array.isArray(node)) return node.some((item) => mayBeAsync(item, seen));
  const { _zod: zod } = node as Partial<SafeParser>;
  if (zod === undefined) return Object.values(node).some((member) => mayBeAsync(member, seen));
  const { type, check, getter } = zod.def;
  if (withFunctions.has(type) || withFunctions.has(check)) return true;
  if (typeof getter === "function" && mayBeAsync((getter as () => unknown)(), seen)) return true;
  return Object.values(zod.def).some((member) => mayBeAsync(member, seen));
}
