import { isRecord } from "../json/json.ts";
import { errorMessage, isRunnerFailure, messageOf, type RunnerFailure } from "../contract/errors.ts";
import type { ParseResult } from "../contract/ports.ts";
import type { ToolResult } from "../contract/result.ts";
import { frozenCopy, NotJson } from "../json/freeze.ts";
import { KeptOutputsError } from "../result/kept-outputs.ts";
import { normalizeResult, ContractBreach, isContractBreach, isHostCode } from "../result/normalize.ts";
import { toolFailure, typeName } from "../result/tool-failure.ts";
import { maskResult } from "../result/mask-result.ts";
import { truncateResult } from "../result/truncate.ts";
import { issueSentence } from "../schema/schema.ts";
import type { Call, CallHost, HopAnswer } from "./call.ts";
import { logError } from "./trace.ts";
import { endCall, endCallAs, endStoppedCall, waitFor } from "./transitions.ts";

/** Hop 6: makes a result of what the tool returned or threw, checks it against the contract, and limits its size. */
export function shape(call: Call): HopAnswer {
  const { ending, host, thrown } = call;
  const result = thrown === null ? fromReturned(call) : fromThrown(call, thrown.value);
  if (result === null) return "next";
  ending.result = result;
  ending.status = result.error === undefined ? "ok" : mayHaveRun(call, result) ? "unknown" : "failed";
  const { checkOutput } = call.tool!;
  const isUnchecked =
    checkOutput === null || host.outputCheck === "off" || call.undo !== null || isStaged(call);
  if (isUnchecked || result.error !== undefined) return call.stop === null ? "next" : applyStop(call);
  return checkData(call, checkOutput, result.data);
}

/** Whether no result is known, because the tool did not run in a rehearsal. */
function isStaged({ given, returned }: Call): boolean {
  return given.rehearsal !== undefined && (returned as { readonly data?: unknown } | null)?.data === null;
}

/**
 * Whether a failure may have had effects: its tool says so, or did its work and answered more than the host takes. It reads the
 * member, because a value from another process is no instance of `Answer`.
 */
function mayHaveRun({ returned, given, tool }: Call, { code }: ToolResult): boolean {
  if (code === "OUTPUT_TOO_LARGE") return given.rehearsal === undefined && tool!.info.category !== "read";
  return isRecord(returned) && returned["mayHaveRun"] === true;
}

function fromReturned(call: Call): ToolResult | null {
  let data: unknown;
  try {
    const result = complete(call, call.returned);
    data = result.data;
    if (result.code !== undefined) refuseHostCode(result.code);
    return limit(call, result);
  } catch (error) {
    return endBreach(call, withPlace(error, data), !saysFailed(call.returned));
  }
}

/** Codes of the host after which it is not known what was done. */
const openEnds: readonly unknown[] = ["TIMED_OUT", "CANCELLED", "OUTCOME_UNKNOWN"];

/** Whether an answer that breaks the contract, for example by its details, still says that its tool failed. */
function saysFailed(returned: unknown): boolean {
  try {
    if (!isRecord(returned) || returned["mayHaveRun"] === true) return false;
    const { error, data, code } = returned;
    return typeof error === "string" && data === undefined && !openEnds.includes(code);
  } catch {
    return false; // a getter threw
  }
}

/** Adds the path of the value that is not JSON to an error. Sizes are counted without paths, which would slow every call. */
function withPlace(error: unknown, data: unknown): unknown {
  if (!(error instanceof NotJson) || error.path.length > 0) return error;
  try {
    frozenCopy({ data });
  } catch (placed) {
    if (placed instanceof NotJson) return placed;
  }
  return error;
}

function fromThrown(call: Call, thrown: unknown): ToolResult | null {
  const tool = call.tool!;
  if (isRunnerFailure(thrown) && runsElsewhere(call)) return endByRunner(call, thrown);
  const { failures } = tool.definition;
  call.ending.failureType = typeName(thrown);
  logError(call, thrown, `${logTag(tool)} ${messageOf(thrown)}`);
  try {
    if (isContractBreach(thrown)) throw thrown;
    const answer = failures?.describe(thrown) ?? toolFailure(tool.declaredName, thrown);
    if (answer.code !== "TOOL_FAILED") refuseHostCode(answer.code);
    return limit(call, complete(call, answer));
  } catch (error) {
    return endBreach(call, error, isContractBreach(thrown)); // an adapter throws a breach after its tool has answered
  }
}

/** Returns how the log names a tool that threw. Tools of Aptix's contract get the name that this contract prescribes. */
function logTag({ declaredName, definition: { origin, failures } }: NonNullable<Call["tool"]>): string {
  if (origin === "aptix") return `[${failures?.className ?? declaredName}_ExecuteAsync__Exception]`;
  return `"${declaredName}" threw:`;
}

/** Whether a runner runs the call. Only a runner can end a call with a code of the host; tool code in this process cannot. */
function runsElsewhere({ tool, host }: Call): boolean {
  return tool!.runner !== null || host.runner !== null;
}

function endByRunner(call: Call, failure: RunnerFailure): null {
  call.ending.failureType = failure.name;
  if (call.stop === null) endCallAs(call, failure);
  else endStoppedCall(call);
  return null;
}

function complete({ host, tool, timing }: Call, answer: unknown): ToolResult {
  return normalizeResult(tool!.declaredName, tool!.name, host.time.stamp(timing.executedAt), answer);
}

function refuseHostCode(code: string | undefined): void {
  if (isHostCode(code)) throw new ContractBreach(`the code ${code} is the host's own`);
}

/** Masks secrets in a result, limits its size, and adds the call's warnings, for example those of the parse. */
function limit(call: Call, result: ToolResult): ToolResult {
  const { host, warnings } = call;
  const mask = host.secretTexts.maskReturned;
  const returned = mask === null ? result : maskResult(result, mask);
  const masked = result.error === undefined ? returned : maskFailure(host, returned);
  const maxBytes = call.tool!.limits.outputBytes ?? host.limits.outputBytes;
  const limited = truncateResult(masked, maxBytes, {
    keep: (text) => host.outputs.keep(text, call.given.userId),
  });
  return warnings === null ? limited : { ...limited, warnings: [...(limited.warnings ?? []), ...warnings] };
}

/** Masks secrets in the error of a failure and in its details. */
function maskFailure({ redact }: CallHost, result: ToolResult): ToolResult {
  const { error = "", details } = result;
  const plain = details === undefined ? {} : { details: redact(frozenCopy(details)) };
  return { ...result, ...plain, error: redact(error) } as ToolResult;
}

/**
 * Ends the call with the rule that its tool broke. `error` can be anything, because getters and proxies may throw anything. A
 * call whose tool `answered` may have taken effect, if it was no rehearsal.
 */
function endBreach(call: Call, error: unknown, answered: boolean): null {
  if (error instanceof KeptOutputsError) throw error;
  logError(call, error, "a tool broke the contract");
  const hasRun = answered && call.given.rehearsal === undefined;
  endCall(call, hasRun ? "unknown" : "failed", "CONTRACT_VIOLATION", {
    tool: call.tool!.name,
    rule: ContractBreach.of(error).message,
  });
  return null;
}

function checkData(
  call: Call,
  check: (value: unknown) => ParseResult | Promise<ParseResult>,
  data: unknown,
): HopAnswer {
  const checked = check(data);
  if (!(checked instanceof Promise)) return applyCheck(call, checked);
  return waitFor(call, checked, applyCheck, (_, error) =>
    applyCheck(call, { ok: false, issues: [{ path: [], message: messageOf(error) }] }),
  );
}

function applyCheck(call: Call, checked: ParseResult): HopAnswer {
  if (checked.ok) return applyStop(call);
  const problem = checked.issues.slice(0, 5).map(issueSentence).join("; ").slice(0, 1000);
  const details = { tool: call.tool!.name, problem };
  // A tool of an MCP server has run, and its text says what it did: that counts more than the schema.
  const isOurs = call.tool!.definition.origin !== "mcp";
  if (isOurs && call.host.outputCheck === "strict")
    return endCall(call, "unknown", "OUTPUT_INVALID", details);
  call.ending.addWarning(errorMessage("OUTPUT_INVALID", details));
  return applyStop(call);
}

/** Applies a stop to a result. If a call was cancelled, a success stays a success; a passed deadline always ends the call. */
function applyStop(call: Call): "next" {
  const { ending, stop, timing } = call;
  if (stop === null) return "next";
  const { data, error, details } = ending.result!;
  if (stop.reason === "deadline") {
    const { timeoutMs, name } = call.tool!;
    const late = error === undefined ? { data } : { error };
    return endCall(call, "timed_out", "TIMED_OUT", { tool: name, timeoutMs }, { late });
  }
  if (error !== undefined) {
    const cancelled = stop.reason === "cancel" ? { cancelled: true } : {};
    const given = isRecord(details) ? details : {};
    return endCall(call, "cancelled", "CANCELLED", {}, { ...given, ...cancelled, error });
  }
  ending.cancelled = { reason: stop.message, elapsedMs: Math.max(0, stop.at - timing.executedAt) };
  return "next";
}
