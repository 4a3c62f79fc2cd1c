import type { Omission } from "../contract/omission.ts";
import type { ToolResult } from "../contract/result.ts";

/** Returns what remains of a budget of bytes after a value; below 0 the value does not fit. Throws `NotJson`. */
type Remaining = (value: unknown, budget: number) => number;

/** Limits the size of the members of a result other than its data, and lists what it leaves out. Throws `NotJson`. */
export function boundNotes(result: ToolResult, maxBytes: number, remaining: Remaining): ToolResult {
  // The entries that the host adds to `omitted` come after those of the tool, and are never cut.
  let bounded = result.omitted === undefined ? result : boundOmitted(result, maxBytes, remaining);
  if (result.meta !== undefined) bounded = boundMeta(bounded, maxBytes, remaining);
  if (result.warnings !== undefined) bounded = boundWarnings(bounded, maxBytes, remaining);
  if (result.details !== undefined) bounded = boundDetails(bounded, maxBytes, remaining);
  return bounded;
}

/** Returns the result with one more entry in `omitted`. */
export function addOmitted(result: ToolResult, omission: Omission): ToolResult {
  return { ...result, omitted: [...(result.omitted ?? []), omission] };
}

/** Maximum number of entries of `omitted`, and of characters of each text. The number of further entries is stated. */
const [maxOmitted, maxOmittedText] = [20, 500];

/** Cuts the list of what is omitted to a fifth of `maxBytes`. */
function boundOmitted(result: ToolResult, maxBytes: number, remaining: Remaining): ToolResult {
  const { omitted = [] } = result;
  if (remaining(omitted, maxBytes / 5) >= 0) return result;
  const kept = omitted.slice(0, maxOmitted).map(shortened);
  while (kept.length > 1 && remaining(kept, maxBytes / 5) < 0) kept.pop();
  const more = omitted.length - kept.length;
  if (more === 0) return { ...result, omitted: kept };
  const [why, how] = ["the list of what is left out is long", "ask for less in one call"];
  const rest = { what: "more that is left out", amount: `${more} entries`, why, how };
  return { ...result, omitted: [...kept, rest] };
}

function shortened(omission: Omission): Omission {
  const short = (text: string) =>
    text.length > maxOmittedText ? `${text.slice(0, maxOmittedText)} …` : text;
  const { what, amount, why, how } = omission;
  return { what: short(what), amount: short(amount), why: short(why), how: short(how) };
}

function boundMeta(result: ToolResult, maxBytes: number, remaining: Remaining): ToolResult {
  const { meta, ...own } = result;
  if (remaining(meta, maxBytes) >= 0) return result;
  remaining(meta, Number.POSITIVE_INFINITY); // the walk stopped at the limit, but the rest must be JSON, too
  if (Buffer.byteLength(JSON.stringify(meta)) <= maxBytes) return result;
  return addOmitted(own, tooLarge("members of another protocol", maxBytes));
}

function boundDetails(result: ToolResult, maxBytes: number, remaining: Remaining): ToolResult {
  const { details, ...own } = result;
  return remaining(details, maxBytes) >= 0 ? result : addOmitted(own, tooLarge("details", maxBytes));
}

function tooLarge(what: string, maxBytes: number): Omission {
  const amount = `more than ${maxBytes} bytes`;
  return { what, amount, why: "they are larger than a result may be", how: "ask for less in one call" };
}

/** Maximum number of characters of a warning, and of warnings of a result. The number of further warnings is stated. */
const [maxWarning, maxWarnings] = [2_000, 50];

/** Limits warnings to a fifth of `maxBytes`. */
function boundWarnings(result: ToolResult, maxBytes: number, remaining: Remaining): ToolResult {
  const { warnings = [] } = result;
  if (remaining(warnings, maxBytes / 5) >= 0) return result;
  const kept: string[] = [];
  let left = maxBytes / 5;
  for (const warning of warnings.slice(0, maxWarnings)) {
    const short = warning.length > maxWarning ? `${warning.slice(0, maxWarning)} …` : warning;
    left = remaining(short, left);
    if (left < 0) break;
    kept.push(short);
  }
  const more = warnings.length - kept.length;
  return { ...result, warnings: more === 0 ? kept : [...kept, `and ${more} more warnings`] };
}
