import {
  data,
  failure,
  type ContentBlock,
  type Json,
  type PartialResult,
  type ToolOutcome,
} from "@toolmount/core";
import { ContractBreach } from "@toolmount/core/internal";
import { isRecord } from "../schema/guards.ts";

/** Amplifier's result of a tool. Source of the fields: TOOL_CONTRACT 1.0.0, Data Models. */
export interface AmplifierToolResult {
  readonly success: boolean;
  readonly output: unknown;
  readonly error: AmplifierError | null;
}

/** A block of a result's content: a text, or an image in base64. */
type AmplifierContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
    };

/** A value that an Amplifier tool returns. If fields are left out, `success` is true and the others are null. */
export type AmplifierReturn = Partial<AmplifierToolResult> & {
  readonly content?: readonly AmplifierContent[] | null;
};

/** The error in an Amplifier tool's result: a message, a type, and any other members. */
export interface AmplifierError {
  readonly message: string;
  readonly type?: string | undefined;
  readonly [key: string]: unknown;
}

/** The rule of Amplifier's contract for answers, as errors and warnings quote it. */
const contract = "an Amplifier tool answers with { success, output, error }";

/**
 * Turns an Amplifier result into one of ours. If fields are missing, `success` is true, and `output` and `error` are null. What is
 * not a field of Amplifier is named in a warning.
 * Throws `ContractBreach` for a success with an error, and for a value that is not a result.
 */
export function fromAmplifierResult(tool: string, given: unknown): PartialResult {
  if (!isRecord(given)) throw new ContractBreach(contract);
  const { success = true, error = null, content: blocks, ...rest } = given;
  const { output, warnings } = outputOf(given, rest);
  const shown = { ...readContent(blocks), ...(warnings.length > 0 && { warnings }) };
  if (typeof success !== "boolean") throw new ContractBreach("success is true or false");
  if (error !== null && !isRecord(error))
    throw new ContractBreach("error is an object with a message, or null");
  if (success && error !== null) throw new ContractBreach("a result with success true has no error");
  if (success) return data(output, shown);
  const message = isRecord(error) && typeof error["message"] === "string" ? error["message"].trim() : "";
  return failure(message || `${tool} failed`, {
    details: { output, error } as { output: Json; error: Json },
    ...shown,
  });
}

/** Returns the output of an answer, and warnings about unknown members. An answer with only unknown members is all output. */
function outputOf(
  given: Readonly<Record<string, unknown>>,
  { output = null, ...others }: Readonly<Record<string, unknown>>,
): { readonly output: unknown; readonly warnings: readonly string[] } {
  const names = Object.keys(others);
  if (names.length === 0) return { output, warnings: [] };
  if (names.length < Object.keys(given).length)
    return {
      output,
      warnings: [`${contract}; not read were: ${names.slice(0, 20).join(", ").slice(0, 500)}`],
    };
  return {
    output: given,
    warnings: [`${contract}; this answer has none of them, so all of it is the output`],
  };
}

/** Reads the content of contract 2.0: texts and images in base64, in order. Other blocks are refused rather than dropped. */
function readContent(given: unknown): { readonly content?: readonly ContentBlock[] } {
  if (given === undefined || given === null) return {};
  if (!Array.isArray(given) || given.length === 0)
    throw new ContractBreach("content is a list of texts and images, or null");
  return { content: given.map(readBlock) };
}

function readBlock(given: unknown): ContentBlock {
  const { type, text, source } = isRecord(given) ? given : {};
  if (type === "text" && typeof text === "string") return { type, text };
  const { type: encoding, media_type: mimeType, data: bytes } = isRecord(source) ? source : {};
  if (type === "image" && encoding === "base64" && typeof mimeType === "string" && typeof bytes === "string")
    return { type, mimeType, data: bytes };
  throw new ContractBreach("a block of content is a text, or an image in base64 with its media_type");
}

/**
 * Turns an outcome into an Amplifier result. What an Amplifier tool said about its failure is returned unchanged. If a failure
 * has an empty output, the message is used as the output, as Amplifier does, so that the model sees the reason.
 */
export function toAmplifierResult({ result }: Pick<ToolOutcome, "result">): AmplifierToolResult {
  if (result.error === undefined) return { success: true, output: result.data ?? null, error: null };
  const kept: Readonly<Record<string, unknown>> = isRecord(result.details) ? result.details : {};
  const error = isRecord(kept["error"]) ? { ...kept["error"], message: result.error } : errorOf(result);
  const output = kept["output"] ?? null;
  return { success: false, output: isEmpty(output) ? result.error : output, error };
}

function errorOf({ error, code }: { error: string; code?: string }): AmplifierError {
  return code === undefined ? { message: error } : { message: error, type: code };
}

function isEmpty(output: unknown): boolean {
  return output === null || output === "" || (Array.isArray(output) && output.length === 0);
}

/**
 * Returns a result as the text that a model reads. Objects and lists become JSON. A failure's output takes precedence over its
 * error; without an output, the text is `Error: …` or `Success`. Control characters (except tab, line feed, carriage return)
 * and halves of surrogate pairs are removed.
 */
export function toModelText({ success, output, error }: AmplifierToolResult): string {
  if (output !== null && output !== undefined && output !== "") return clean(textOf(output));
  if (success) return "Success";
  return clean(`Error: ${error?.message ?? "unknown error"}`);
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

function clean(text: string): string {
  return text.replaceAll(/(?![\t\n\r])[\p{Cc}\p{Cs}]/gu, "");
}
