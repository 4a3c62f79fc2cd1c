import { errorMessage, type ContentBlock, type Json, type ToolOutcome } from "@toolmount/core";
import { fileOf, noteLines, toModelText, unheardAudio } from "@toolmount/interop/internal";
import { fileItem, imageItem, type Item } from "../provider/items.ts";

/** Returns the item that answers a call: its text, and the images and files of its result. */
export function outputItem(callId: string, outcome: ToolOutcome, denier: "hook" | "person"): Item {
  const text = outcomeText(outcome, denier);
  const parts = (outcome.result.content ?? []).flatMap(partOf);
  const output = parts.length === 0 ? text : [{ type: "input_text", text }, ...parts];
  return { type: "function_call_output", call_id: callId, output };
}

export function textOutput(callId: string, text: string): Item {
  return { type: "function_call_output", call_id: callId, output: text };
}

/** Returns an outcome as the text that a model reads: its data, or its error and code. */
export function outcomeText(outcome: ToolOutcome, denier: "hook" | "person"): string {
  const { status, tool, result } = outcome;
  if (result.error === undefined) return succeeded(outcome);
  if (status === "cancelled") return cancelledText(tool, result.error);
  if (status === "not_found")
    return clean(`Error: Tool '${tool}' not found. ${nearText(result.error)}`.trim());
  if (status === "denied") return clean(deniedText(tool, result.error, denier));
  const { output } = (result.details ?? {}) as { readonly output?: Json };
  if (output !== undefined && output !== null && output !== "")
    return clean(toModelText({ success: false, output, error: null }) + notesOf(outcome));
  const code = result.code === undefined ? "" : ` [${result.code}]`;
  return clean(`Error: ${result.error}${code}${notesOf(outcome)}`);
}

export function cancelledText(tool: string, error = errorMessage("CANCELLED", {})): string {
  return JSON.stringify({ error, cancelled: true, tool });
}

function succeeded(outcome: ToolOutcome): string {
  const text = toModelText({ success: true, output: outcome.result.data ?? null, error: null });
  return clean(text + notesOf(outcome));
}

function notesOf({ result }: ToolOutcome): string {
  return noteLines(result)
    .map((line) => `\n${line}`)
    .join("");
}

function nearText(error: string): string {
  const at = error.indexOf("did you mean");
  return at < 0 ? "" : `${error.charAt(at).toUpperCase()}${error.slice(at + 1)}`;
}

function deniedText(tool: string, error: string, denier: "hook" | "person"): string {
  const prefix = `"${tool}" was not run: `;
  const reason = error.startsWith(prefix) ? error.slice(prefix.length) : error;
  return denier === "hook"
    ? `Denied by hook: ${reason}`
    : `Error: the call was not approved: ${reason} [DENIED]`;
}

function clean(text: string): string {
  return toModelText({ success: true, output: text, error: null });
}

function partOf(block: ContentBlock): Item[] {
  switch (block.type) {
    case "text":
      return [{ type: "input_text", text: block.text }];
    case "image":
      return [imageItem(block.mimeType, block.data)];
    case "audio":
      return [{ type: "input_text", text: unheardAudio(block.mimeType) }];
    case "file":
      return [filePart(block)];
    default:
      return [];
  }
}

function filePart(block: Extract<ContentBlock, { type: "file" }>): Item {
  const file = fileOf(block);
  return typeof file === "string"
    ? { type: "input_text", text: file }
    : fileItem(file.name, file.mimeType, file.data);
}
