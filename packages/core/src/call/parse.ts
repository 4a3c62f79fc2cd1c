import { messageOf } from "../contract/errors.ts";
import { invalidArguments } from "../schema/schema.ts";
import { normalizeResult } from "../result/normalize.ts";
import { freezeOwn, frozenCopy, maxDepth, NotJson } from "../json/freeze.ts";
import { measure } from "../json/meter.ts";
import { mostValues, refusalOf } from "../json/shape.ts";
import type { JsonObject } from "../json/json.ts";
import type { ToolResult } from "../contract/result.ts";
import type { Issue, ParseResult } from "../contract/ports.ts";
import type { Call, HopAnswer } from "./call.ts";
import { endCall, waitFor } from "./transitions.ts";

/** Hop 2: parses the arguments. All later hops use the arguments that the schema's parse returns. */
export function parse(call: Call): HopAnswer {
  if (call.undo !== null) return takeKept(call, call.undo.request.arguments);
  const input = readInput(call);
  return input === null ? "next" : parseWith(call, input, null);
}

/** Gives an undo its arguments: some of those that were parsed when the change was made. They are not parsed again. */
function takeKept(call: Call, kept: JsonObject): "next" {
  call.arguments = frozenCopy(kept);
  return "next";
}

/** Reads the given arguments as an object. If they are anything else, ends the call and returns null. */
function readInput(call: Call): object | null {
  const given: unknown = call.request.arguments;
  if (given === undefined || given === null) return {};
  if (typeof given === "string") return readText(call, given);
  if (typeof given === "object" && !Array.isArray(given)) return given;
  const type = Array.isArray(given) ? "a list" : `of type ${typeof given}`;
  return refuse(call, `the arguments are not an object but ${type}`);
}

const openBrace = 0x7b;

function readText(call: Call, text: string): object | null {
  if (text.charCodeAt(0) !== openBrace && text.trim() === "") return {};
  const problem = refusalOf(text);
  if (problem !== null) return refuse(call, `the arguments have ${problem}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(call, `the arguments are not valid JSON: ${withoutExcerpt(messageOf(error))}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse(call, "the arguments are valid JSON, but not an object");
  if (text.length > mostValues && measure(value, text.length).values > mostValues)
    return refuse(call, `the arguments have more than ${mostValues} values`);
  return needsCheck(text) ? checkedCopy(call, value) : value;
}

/**
 * Removes the quoted text from V8's message about invalid JSON: it may have a secret, and the error is logged and stored.
 */
function withoutExcerpt(message: string): string {
  return message.replace(/^(Unexpected token '.+?'), .*$/su, "$1");
}

/** Whether a JSON text may be nested too deeply or hide a `__proto__` behind an escape. Short and plain texts can do neither. */
function needsCheck(text: string): boolean {
  if (text.length > maxDepth * 2) return true;
  // Searching for a single character first saves 50 ns a call.
  return (text.includes("_") && text.includes("__proto__")) || (text.includes("\\") && text.includes("\\u"));
}

function checkedCopy(call: Call, value: object): object | null {
  try {
    return frozenCopy(value);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    endInvalid(call, [{ path: error.path, message: error.message }]);
    return null;
  }
}

function refuse(call: Call, message: string): null {
  endInvalid(call, [{ path: [], message: message.slice(0, 500) }]);
  return null;
}

type Proceed = ((call: Call) => HopAnswer) | null;

/** Parses an input. An invalid input ends the call. After a valid one, `proceed` continues or, if it is null, the next hop. */
export function parseWith(call: Call, input: object, proceed: Proceed): HopAnswer {
  const result = call.tool!.parse(input);
  if (!(result instanceof Promise)) return take(call, result, proceed);
  return waitFor(
    call,
    result,
    (_, parsed) => take(call, parsed, proceed),
    (_, error) => endInvalid(call, [{ path: [], message: messageOf(error) }]),
  );
}

function take(call: Call, result: ParseResult, proceed: Proceed): HopAnswer {
  if (!result.ok) return endInvalid(call, result.issues);
  try {
    call.arguments =
      result.value === call.request.arguments ? frozenCopy(result.value) : freezeOwn(result.value);
  } catch (error) {
    return endNotJson(call, error);
  }
  const warnings = result.warnings ?? null;
  if (warnings !== call.warnings) call.warnings = warnings;
  return proceed === null ? "next" : proceed(call);
}

function endNotJson(call: Call, error: unknown): "next" {
  if (!(error instanceof NotJson)) throw error;
  call.arguments = null;
  return endCall(call, "invalid", "INVALID_ARGUMENTS", {
    message: `the arguments are not JSON: ${error.message}`,
  });
}

function endInvalid(call: Call, issues: readonly Issue[]): "next" {
  endCall(call, "invalid", "INVALID_ARGUMENTS", { message: "" });
  const { name } = call.tool!;
  const fetchedAt = call.host.time.stamp(call.timing.startedAt);
  const { error, ...result } = normalizeResult(name, name, fetchedAt, invalidArguments(issues));
  call.ending.result = { ...result, error: call.host.redact(error!) } as ToolResult;
  return "next";
}
