import { isRecord } from "../json/json.ts";
import { hostCodes } from "../contract/errors.ts";
import { Answer, type ToolResult } from "../contract/result.ts";
import { NotJson } from "../json/freeze.ts";
import { typeName } from "./tool-failure.ts";

/** Thrown for a value that is not a tool result. Its message names the broken rule. Adapters throw it for their own shapes. */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";

  /** Returns the breach for an error that a check of an answer threw. */
  static of(error: unknown): ContractBreach {
    if (isContractBreach(error)) return error;
    if (!(error instanceof NotJson))
      return new ContractBreach(`its answer could not be read: ${typeName(error)}`);
    const { path, message } = error;
    return new ContractBreach(
      path.length === 0 ? `its answer ${message}` : `its answer ${message}: ${path.join(".")}`,
    );
  }
}

/** Whether an error is a ContractBreach. It compares names, so that an error from another copy of core is recognized. */
export function isContractBreach(thrown: unknown): thrown is ContractBreach {
  return thrown instanceof Error && thrown.name === "ContractBreach";
}

const resultKeys = new Set(
  "tool fetchedAt data error code mayHaveRun details content warnings omitted meta".split(" "),
);

/** Completes a tool's return value to a result. The author named the tool `declared`, the plan `exposed`. Throws {@link ContractBreach}. */
export function normalizeResult(
  declared: string,
  exposed: string,
  fetchedAt: string,
  answer: unknown,
): ToolResult {
  if (answer instanceof Answer) return assemble(exposed, fetchedAt, answer);
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new ContractBreach(`it returned ${describe(answer)}, not a result; return data(…) or failure(…)`);
  requireKnownKeys(answer);
  const whole = answer as Partial<ToolResult>;
  if (whole.tool !== undefined && whole.tool !== declared)
    throw new ContractBreach(`its result names the tool ${JSON.stringify(String(whole.tool).slice(0, 100))}`);
  return assemble(exposed, stamp(whole.fetchedAt, fetchedAt), whole);
}

function assemble(tool: string, fetchedAt: string, answer: Answer): ToolResult {
  const { data, error, code, mayHaveRun, details, content, warnings, omitted, meta } = answer;
  if (error === undefined ? data === undefined : data !== undefined)
    throw new ContractBreach("a result has data or error: exactly one of them");
  const result: Record<string, unknown> =
    error === undefined ? { tool, fetchedAt, data } : { tool, fetchedAt, error: requireSentence(error) };
  requireOfFailure(mayHaveRun, error);
  if (code !== undefined) result["code"] = requireOwnCode(code, error);
  if (details !== undefined) result["details"] = details;
  if (content !== undefined) result["content"] = requireContent(content);
  if (warnings !== undefined) result["warnings"] = requireWarnings(warnings);
  if (omitted !== undefined) result["omitted"] = requireOmitted(omitted);
  if (meta !== undefined) result["meta"] = requireMeta(meta);
  return result as unknown as ToolResult;
}

function requireOfFailure(mayHaveRun: unknown, error: unknown): void {
  if (mayHaveRun === undefined || (mayHaveRun === true && error !== undefined)) return;
  throw new ContractBreach("a result has mayHaveRun: true, with an error, or no mayHaveRun");
}

function requireKnownKeys(answer: object): void {
  for (const key of Object.keys(answer)) {
    if (key === "success")
      throw new ContractBreach('a result has no "success": a failure is a result with an error');
    if (key === "timestamp") throw new ContractBreach('a result has no "timestamp": the field is fetchedAt');
    if (!resultKeys.has(key))
      throw new ContractBreach(
        `a result has no ${JSON.stringify(key.slice(0, 100))}; return data(…) or failure(…)`,
      );
  }
}

function stamp(given: unknown, fallback: string): string {
  if (given === undefined) return fallback;
  if (typeof given !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(given))
    throw new ContractBreach("fetchedAt is not an ISO 8601 time");
  return given;
}

function requireSentence(error: unknown): string {
  if (typeof error === "string" && error !== "") return error;
  throw new ContractBreach("error is not a sentence");
}

/** Checks the code of a failure. Codes of the host pass, because `toolFailure` uses them without a host. */
function requireOwnCode(code: unknown, error: unknown): string {
  if (error === undefined) throw new ContractBreach("a success has no code");
  if (typeof code !== "string" || !/^[A-Z][A-Z0-9_]{0,99}$/.test(code))
    throw new ContractBreach("code is not UPPER_SNAKE of at most 100 characters");
  return code;
}

/** Whether a code belongs to the host, so that tools may not use it. */
export function isHostCode(code: string | undefined): boolean {
  return code !== undefined && hostCodes.has(code);
}

function requireContent(content: unknown): unknown {
  if (!Array.isArray(content) || !content.every(isBlock))
    throw new ContractBreach("content is not a list of text, image, audio or file blocks");
  return content;
}

function isBlock(block: unknown): boolean {
  if (typeof block !== "object" || block === null) return false;
  const { type, text, data, mimeType, uri } = block as Record<string, unknown>;
  if (type === "text") return typeof text === "string";
  if (type === "image" || type === "audio") return typeof data === "string" && typeof mimeType === "string";
  return type === "file" && typeof uri === "string";
}

function requireWarnings(warnings: unknown): unknown {
  if (Array.isArray(warnings) && warnings.every((warning) => typeof warning === "string")) return warnings;
  throw new ContractBreach("warnings is not a list of sentences");
}

const omissionKeys = ["what", "amount", "why", "how"] as const;

function requireOmitted(omitted: unknown): unknown {
  const isOmission = (each: unknown) =>
    isRecord(each) && omissionKeys.every((key) => typeof each[key] === "string" && each[key].trim() !== "");
  if (Array.isArray(omitted) && omitted.length > 0 && omitted.every(isOmission))
    return omitted.map(({ what, amount, why, how }) => ({ what, amount, why, how }));
  throw new ContractBreach("omitted is not a list of { what, amount, why, how }");
}

function requireMeta(meta: unknown): unknown {
  if (isRecord(meta)) return meta;
  throw new ContractBreach("meta is not an object");
}

function describe(answer: unknown): string {
  if (Array.isArray(answer)) return "a list";
  return answer === null ? "null" : `a value of type ${typeof answer}`;
}
