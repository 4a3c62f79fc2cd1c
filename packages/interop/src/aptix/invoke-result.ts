import {
  data,
  errorCodes,
  failure,
  omissionLine,
  type Json,
  type PartialResult,
  type ToolInfo,
  type ToolOutcome,
} from "@toolmount/core";
import { ContractBreach } from "@toolmount/core/internal";
import { parseExact } from "@toolmount/core/json";
import { isRecord } from "../schema/guards.ts";

/** One error or warning of an Aptix envelope. */
export interface InvokeMessage {
  readonly Message: string;
  readonly ErrorCode?: string | null | undefined;
}

/** Aptix's envelope of a call. The payload is a JSON text, and must not be read if the call failed. */
export interface InvokeResult {
  readonly Successful: boolean;
  readonly Result: string | null;
  readonly Errors: readonly InvokeMessage[];
  readonly Warnings: readonly InvokeMessage[];
  readonly ErrorMessage: string | null;
}

/**
 * Turns an Aptix envelope into a result of ours, and parses its payload once. Throws `ContractBreach` for an envelope that is
 * neither a success nor a failure, and for a payload that is not JSON.
 */
export function fromInvokeResult(tool: string, envelope: unknown): PartialResult {
  if (!isRecord(envelope)) throw new ContractBreach("an Aptix tool answers with an InvokeResult");
  const { Successful, Result } = envelope;
  if (typeof Successful !== "boolean")
    throw new ContractBreach("Successful of an InvokeResult is true or false");
  const errors = messagesOf(envelope["Errors"], "Errors");
  const warnings = messagesOf(envelope["Warnings"], "Warnings").map(({ Message }) => Message);
  const extra = warnings.length > 0 ? { warnings } : {};
  if (!Successful) return failed(tool, envelope, errors, extra);
  if (errors.length > 0) throw new ContractBreach("a successful InvokeResult has no Errors");
  return data(parsePayload(Result), extra);
}

function messagesOf(given: unknown, member: string): readonly InvokeMessage[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given) && given.every((item) => isRecord(item) && typeof item["Message"] === "string"))
    return given as readonly InvokeMessage[];
  throw new ContractBreach(`${member} of an InvokeResult is a list of { Message, ErrorCode }`);
}

function parsePayload(payload: unknown): unknown {
  if (payload === undefined || payload === null) return null;
  if (typeof payload !== "string") throw new ContractBreach("Result of an InvokeResult is a JSON text");
  try {
    // A number that JavaScript would round becomes a text, so that it keeps its digits.
    return parseExact(payload);
  } catch {
    throw new ContractBreach("Result of an InvokeResult is not valid JSON");
  }
}

function failed(
  tool: string,
  envelope: Readonly<Record<string, unknown>>,
  errors: readonly InvokeMessage[],
  extra: { readonly warnings?: readonly string[] },
): PartialResult {
  const said = typeof envelope["ErrorMessage"] === "string" ? envelope["ErrorMessage"].trim() : "";
  const message = said || errors.map(({ Message }) => Message).join("; ") || `${tool} failed`;
  const code = errors.map(({ ErrorCode }) => ErrorCode).find(isOwnCode);
  const details = errors.length === 0 ? undefined : { Errors: errors.map(plain) };
  return failure(message, {
    ...extra,
    ...(code === undefined ? {} : { code }),
    ...(details ? { details } : {}),
  });
}

/**
 * Whether a tool's code becomes the result's: it is in upper snake case and no code of the host, which would describe what the
 * host did. Other codes are only in the details.
 */
function isOwnCode(code: unknown): code is string {
  return typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) && !hostCodes.has(code);
}

const hostCodes: ReadonlySet<string> = new Set(errorCodes);

function plain({ Message, ErrorCode }: InvokeMessage): { Message: string; ErrorCode: string | null } {
  return { Message, ErrorCode: ErrorCode ?? null };
}

/** What {@link toInvokeResult} needs to know about a tool: its origin, and whether members may be added to its output. */
export type ProjectedTool = Pick<ToolInfo, "origin" | "outputSchema">;

/**
 * Turns an outcome into an Aptix envelope. SessionId and ConversationId are added to a payload that is an object, if its output
 * schema allows more members. A cancelled call of an Aptix tool is a success that describes the cancellation (A5 §8).
 */
export function toInvokeResult(outcome: ToolOutcome, tool?: ProjectedTool): InvokeResult {
  const { result } = outcome;
  const notes = [...(result.warnings ?? []), ...(result.omitted ?? []).map(omissionLine)];
  const Warnings = notes.map((Message) => ({ Message }));
  if (outcome.status === "cancelled" && tool?.origin === "aptix")
    return success(JSON.stringify(cancellation(outcome)), Warnings);
  if (result.error === undefined)
    return success(JSON.stringify(withIds(result.data, outcome, tool)), Warnings);
  const Errors = keptErrors(result.details) ?? [{ Message: result.error, ErrorCode: result.code ?? null }];
  return { Successful: false, Result: null, Errors, Warnings, ErrorMessage: result.error };
}

function success(Result: string, Warnings: readonly InvokeMessage[]): InvokeResult {
  return { Successful: true, Result, Errors: [], Warnings, ErrorMessage: null };
}

function idsOf({ sessionId, conversationId }: ToolOutcome) {
  return { SessionId: sessionId ?? null, ConversationId: conversationId ?? null };
}

function cancellation(outcome: ToolOutcome) {
  return {
    WasCancelled: true,
    Message: outcome.result.error ?? "Request was cancelled",
    ElapsedMilliseconds: Math.round(outcome.durationMs),
    ...idsOf(outcome),
  };
}

function withIds(value: unknown, outcome: ToolOutcome, tool: ProjectedTool | undefined): unknown {
  const isOpen = tool?.outputSchema?.["additionalProperties"] !== false;
  return isRecord(value) && isOpen ? { ...idsOf(outcome), ...value } : value;
}

function keptErrors(details: Json | undefined): readonly InvokeMessage[] | undefined {
  const kept = isRecord(details) ? details["Errors"] : undefined;
  const isList =
    Array.isArray(kept) && kept.every((item) => isRecord(item) && typeof item["Message"] === "string");
  return isList ? (kept as readonly InvokeMessage[]) : undefined;
}

/** Aptix's record of a call in a response: the tool, how long the call took, and its result or error. */
export interface AgentToolCallResult {
  readonly ToolCallId: string;
  readonly Name: string;
  readonly RequiresClientExecution: boolean;
  readonly ExecutionMs: number;
  readonly ResultJson: string | null;
  readonly ErrorMessage: string | null;
}

/** Turns an outcome into Aptix's record of a call. A call that waits for the client has neither result nor error. */
export function toAgentToolCallResult(
  outcome: ToolOutcome,
  tool?: ProjectedTool & Pick<ToolInfo, "execution">,
): AgentToolCallResult {
  const waits = outcome.status === "pending" && tool?.execution === "client";
  const { Result, ErrorMessage } = toInvokeResult(outcome, tool);
  return {
    ToolCallId: outcome.callId,
    Name: outcome.tool,
    RequiresClientExecution: waits,
    ExecutionMs: Math.round(outcome.durationMs),
    ResultJson: Result,
    ErrorMessage: waits ? null : ErrorMessage,
  };
}
