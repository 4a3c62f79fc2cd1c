import { invalidArguments } from "../schema/schema.ts";
import { messageOf } from "../contract/errors.ts";
import { normalizeResult } from "../result/normalize.ts";
import { frozenCopy, maxDepth, NotJson } from "../json/freeze.ts";
import { end, goOn } from "./transitions.ts";
import type { Issue, ParseResult } from "../contract/ports.ts";
import type { Run } from "./call.ts";

/** Hop 2: what the schema's parse returns is the arguments for every hop after it. */
export function parse(run: Run): boolean {
  run.phase = "parse";
  const input = readInput(run);
  return input !== null && parseWith(run, input);
}

/** Parses anew, as after a modification. Returns true when it waits. */
export function parseWith(run: Run, input: object): boolean {
  const result = run.tool!.parse(input);
  if (!(result instanceof Promise)) return take(run, result);
  const token = run.token;
  result.then(
    (parsed) => goOn(run, token, () => take(run, parsed) || next(run)),
    (error: unknown) => goOn(run, token, () => invalid(run, [{ path: [], message: messageOf(error) }])),
  );
  return true;
}

function take(run: Run, result: ParseResult): boolean {
  if (!result.ok) return invalid(run, result.issues);
  run.arguments = result.value;
  run.frozen = false;
  run.warnings = result.warnings ?? null;
  return false;
}

/** After a second parse the run goes on in the middle of the hop that asked for it. */
function next(run: Run): boolean {
  const after = run.afterParse;
  run.afterParse = null;
  return after !== null && run.result === null ? after(run) : false;
}

const openBrace = 0x7b;

/** The object to be parsed; null when the run has ended here. */
function readInput(run: Run): object | null {
  const given: unknown = run.request.arguments;
  if (given === undefined || given === null) return {};
  if (typeof given === "string") return readText(run, given);
  if (typeof given === "object" && !Array.isArray(given)) return given;
  refuse(
    run,
    `the arguments are not an object but ${Array.isArray(given) ? "a list" : `of type ${typeof given}`}`,
  );
  return null;
}

function readText(run: Run, text: string): object | null {
  const { argumentBytes } = run.host.limits;
  if (
    text.length > argumentBytes ||
    (text.length * 3 > argumentBytes && Buffer.byteLength(text) > argumentBytes)
  )
    return refuse(run, `the arguments are larger than ${argumentBytes} bytes`);
  if (text.charCodeAt(0) !== openBrace && text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(run, `the arguments are not valid JSON: ${messageOf(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse(run, "the arguments are valid JSON, but not an object");
  return needsLook(text) ? lookedAt(run, value) : value;
}

/** Long texts may be nested deeply, and an escape can hide a `__proto__`. Short and plain ones can do neither. */
function needsLook(text: string): boolean {
  if (text.length > maxDepth * 2) return true;
  // One character is looked for at once; a longer text only where that is there, which saves 50 ns a call.
  return (text.includes("_") && text.includes("__proto__")) || (text.includes("\\") && text.includes("\\u"));
}

function lookedAt(run: Run, value: object): object | null {
  try {
    return frozenCopy(value);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    invalid(run, [{ path: error.path, message: error.message }]);
    return null;
  }
}

function refuse(run: Run, message: string): null {
  invalid(run, [{ path: [], message: message.slice(0, 500) }]);
  return null;
}

function invalid(run: Run, issues: readonly Issue[]): boolean {
  end(run, "invalid", "INVALID_ARGUMENTS", { message: "" });
  const { name } = run.tool!;
  run.result = normalizeResult(name, name, run.host.stamp(run.startedAt), invalidArguments(issues));
  return false;
}
