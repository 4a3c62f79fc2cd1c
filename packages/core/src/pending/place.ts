import type { CallPlace, Placed, PlacedRequest } from "../contract/context.ts";
import type { Json } from "../json/json.ts";
import { escapeHidden } from "../text/hidden.ts";

/** Maximum number of characters of a line of code that are shown. */
const maxCode = 200;

/** The members of a call that are needed here. */
interface MadeCall {
  readonly host: { readonly redact: (value: Json) => Json };
  readonly parent: {
    readonly tool: { readonly name: string } | null;
    readonly inner: { readonly count: number } | null;
  } | null;
  readonly request: PlacedRequest;
}

/**
 * Returns the line of a program that makes a call, as the tool that runs the program states it; empty for other calls.
 */
export function placeOf({ host, parent, request }: MadeCall): Placed {
  if (parent === null) return {};
  const { place } = request;
  if (typeof place?.line !== "number" || typeof place.code !== "string") return {};
  const code = host.redact(escapeHidden(place.code.trim().slice(0, maxCode))) as string;
  return {
    place: { tool: parent.tool!.name, line: place.line, code, after: (parent.inner?.count ?? 1) - 1 },
  };
}

/** Returns only the line, for the audit, which has the caller and the earlier calls as separate records. */
export function lineOf(call: MadeCall): {
  readonly place?: { readonly line: number; readonly code: string };
} {
  const { place } = placeOf(call);
  return place === undefined ? {} : { place: { line: place.line, code: place.code } };
}

/** Returns the place in words, for a person: `line 3 of run_program, after 12 calls: await tools.pay({ to })`. */
export function placeText({ after, code, line, tool }: CallPlace): string {
  return `line ${line} of ${tool}, after ${after} ${after === 1 ? "call" : "calls"}: ${code}`;
}
