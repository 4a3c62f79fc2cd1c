import type { CallPlace, Placed, PlacedRequest } from "../contract/context.ts";
import type { Json } from "../json/json.ts";
import { escapeHidden } from "../text/hidden.ts";

/** Most characters of a line that are shown. */
const maxCode = 200;

/** What is needed of a call. */
interface MadeCall {
  readonly host: { readonly redact: (value: Json) => Json };
  readonly parent: {
    readonly tool: { readonly name: string } | null;
    readonly inner: { readonly count: number } | null;
  } | null;
  readonly request: PlacedRequest;
}

/**
 * Returns where the program of its caller makes a call; empty for other calls. The tool that runs the program says so.
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

/** The line alone, for the audit: its caller and the calls before it are records of their own. */
export function lineOf(call: MadeCall): {
  readonly place?: { readonly line: number; readonly code: string };
} {
  const { place } = placeOf(call);
  return place === undefined ? {} : { place: { line: place.line, code: place.code } };
}

/** The place in words, for a person: `line 3 of run_program, after 12 calls: await tools.pay({ to })`. */
export function placeText({ after, code, line, tool }: CallPlace): string {
  return `line ${line} of ${tool}, after ${after} ${after === 1 ? "call" : "calls"}: ${code}`;
}
