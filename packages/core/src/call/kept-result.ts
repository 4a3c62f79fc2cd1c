import type { ToolResult } from "../contract/result.ts";
import { isRecord, type Json } from "../json/json.ts";
import { digestOfSecret, namesSecret } from "../text/redact.ts";
import type { KeptResult, ValueOrigin } from "../contract/origins.ts";
import type { Call } from "./call.ts";
import { logError } from "./trace.ts";

/** Keeps a call's result for policies that ask where a later value came from. Never rejects. Null if nothing is to be awaited. */
export function storeResult(call: Call): Promise<void> | null {
  const { ending, host, sessionKey, tool } = call;
  const { meta } = ending.result!;
  const stored = host.results.add(sessionKey!, {
    tool: tool!.name,
    owner: tool!.owner,
    arguments: withoutContent(call.arguments!, tool!.info.content),
    value: valueOf(ending.result!),
    isError: ending.status === "failed",
    ...(meta !== undefined && { meta }),
    ...confirmedIn(call),
  });
  if (stored === null) return null;
  return stored.catch((err: unknown) => {
    logError(call, err, "a result could not be kept for later calls");
    ending.addWarning("its result could not be kept: later calls may be asked about");
  });
}

/** Returns the values that a person saw with their origins and approved. Secrets are returned as digests. */
function confirmedIn({ approval, arguments: given }: Call): Pick<KeptResult, "confirmed"> {
  if (approval === null || approval.grant === null) return {};
  const confirmed = confirmedValues(
    approval.reasons.flatMap(({ origins = [] }) => origins),
    given!,
  );
  return confirmed.length === 0 ? {} : { confirmed };
}

/** Returns the values that a person saw and approved although no flow accepts their origins. Secrets are returned as digests. */
export function confirmedValues(
  origins: readonly ValueOrigin[],
  given: Readonly<Record<string, unknown>>,
): readonly (string | number)[] {
  return origins.flatMap(({ argument, isAccepted }) => {
    if (isAccepted) return [];
    const value = argumentAt(given, argument);
    if (typeof value !== "string" && typeof value !== "number") return [];
    return [argument.split(".").some(namesSecret) ? digestOfSecret(value) : value];
  });
}

/** Returns the value at a path of the arguments, such as `recipients.0`; undefined if there is no such value. */
export function argumentAt(given: Readonly<Record<string, unknown>>, argument: string): unknown {
  return valueAt(given, argument.split("."));
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  return isRecord(value) || Array.isArray(value)
    ? valueAt((value as Record<string, unknown>)[key], rest)
    : undefined;
}

/** Returns the arguments that the tool does not declare as content: these decide what the call's result is about. */
export function withoutContent(
  given: Readonly<Record<string, unknown>>,
  content: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  if (content.length === 0) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !content.includes(name)));
}

/** The parts of a result that a model reads. */
function valueOf({ data, content, error, details }: ToolResult): Json {
  if (error !== undefined) return details === undefined ? error : { error, details };
  return (content === undefined ? data : { data, content }) as Json;
}
