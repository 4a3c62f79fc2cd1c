import type { Json } from "@toolmount/core";
import { echoOf } from "./chat-echo.ts";
import type { ModelItem } from "./model.ts";
import { meter, refusalOf } from "@toolmount/core/json";
import { isRecord, readText } from "../schema/guards.ts";
import type {
  AiSdkAssistantPart,
  AiSdkFilePart,
  AiSdkLanguageModel,
  AiSdkMessage,
  AiSdkOptions,
  AiSdkResultPart,
  AiSdkTextPart,
} from "./ai-sdk-types.ts";

type Entry =
  | { readonly role: "user"; readonly part: AiSdkTextPart | AiSdkFilePart }
  | { readonly role: "assistant"; readonly part: AiSdkAssistantPart }
  | { readonly role: "tool"; readonly part: AiSdkResultPart };

/**
 * Translates a conversation for one provider. Metadata of the same provider is sent back unchanged; other providers' reasoning
 * is left out. `cacheMark` is set on the instructions and on the last message, so that the server caches both.
 */
export function toPrompt(
  instructions: string,
  items: readonly ModelItem[],
  { provider, specificationVersion }: Pick<AiSdkLanguageModel, "provider" | "specificationVersion">,
  cacheMark?: AiSdkOptions,
  server = provider,
): { readonly messages: AiSdkMessage[]; readonly omitted: readonly string[] } {
  const omitted: string[] = [];
  // An output has the id of its call but no name; the tool's name is only in the call.
  const calls = items.filter((item) => typeof item["name"] === "string");
  const names = new Map(calls.map((item) => [readText(item["call_id"]), readText(item["name"])]));
  const messages: AiSdkMessage[] = instructions === "" ? [] : [{ role: "system", content: instructions }];
  for (const item of items) {
    const echo = echoOf(item, server);
    const entries = entriesOf(item, { provider, isTagged: specificationVersion !== "v3", names, omitted });
    for (const entry of entries) append(messages, withOptions(entry, echo.call));
    echoInto(messages.at(-1), echo.message);
  }
  if (cacheMark !== undefined) mark(messages, cacheMark);
  return { messages, omitted: [...new Set(omitted)] };
}

interface Translation {
  readonly provider: string;
  /** Whether data of files are tagged with their type, as specification v4 requires. */
  readonly isTagged: boolean;
  readonly names: ReadonlyMap<string, string>;
  readonly omitted: string[];
}

function entriesOf(item: ModelItem, translation: Translation): Entry[] {
  switch (readText(item["type"])) {
    case "message":
      return messageEntries(item, translation);
    case "reasoning":
      return reasoningEntries(item, translation);
    case "function_call":
    case "custom_tool_call":
      return [{ role: "assistant", part: callPart(item, translation) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", part: resultPart(item, translation) }];
    default:
      translation.omitted.push(`an item of the type ${readText(item["type"])}`);
      return [];
  }
}

/**
 * Translates a message. Providers take no system messages after the first, so a developer's message becomes one of the user.
 */
function messageEntries(item: ModelItem, translation: Translation): Entry[] {
  const { provider } = translation;
  const { role, content } = item;
  const parts = (Array.isArray(content) ? content : [content]).flatMap((part): string[] => {
    if (typeof part === "string") return [part];
    if (!isRecord(part)) return [];
    return [readText(part["text"]) || readText(part["refusal"])];
  });
  const text = parts.join("");
  const files =
    role !== "assistant" && Array.isArray(content)
      ? content.flatMap((part) => filePart(part, translation))
      : [];
  if (text === "") return files;
  if (role === "assistant")
    return [{ role: "assistant", part: { type: "text", text, ...optionsOf(item, provider) } }];
  return [{ role: "user", part: { type: "text", text } }, ...files];
}

function filePart(part: unknown, translation: Translation): Entry[] {
  return fileOf(part, translation).map((file) => ({ role: "user", part: file }));
}

/**
 * Returns an image or a file whose data is in the conversation itself, as a `data:` address. Others are reported as omitted.
 */
function fileOf(part: unknown, { isTagged, omitted }: Translation): AiSdkFilePart[] {
  if (!isRecord(part) || part["type"] === "input_text" || part["type"] === "output_text") return [];
  const isFile = part["type"] === "input_file";
  if (part["type"] !== "input_image" && !isFile) {
    omitted.push(`a part of the type ${readText(part["type"])}`);
    return [];
  }
  const url = readText(isFile ? part["file_data"] : part["image_url"]);
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) {
    omitted.push(`${isFile ? "a file" : "an image"} that is not in the message itself`);
    return [];
  }
  const file = (isTagged ? { type: "data", data } : data) as AiSdkFilePart["data"];
  const named = isFile ? { filename: readText(part["filename"]) } : {};
  return [{ type: "file", mediaType, ...named, data: file }];
}

function reasoningEntries(item: ModelItem, { provider, omitted }: Translation): Entry[] {
  const options = optionsOf(item, provider);
  if (options.providerOptions === undefined && item["provider_metadata"] !== undefined) {
    omitted.push("reasoning of another provider");
    return [];
  }
  if (readText(item["encrypted_content"]) !== "") {
    omitted.push("encrypted reasoning of another provider");
    return [];
  }
  return [{ role: "assistant", part: { type: "reasoning", text: summaryText(item), ...options } }];
}

function summaryText({ summary }: ModelItem): string {
  const parts = Array.isArray(summary) ? summary : [];
  return parts.map((part) => (isRecord(part) ? readText(part["text"]) : "")).join("");
}

function callPart(item: ModelItem, { provider }: Translation): AiSdkAssistantPart {
  const given = readText(item["arguments"]) || readText(item["input"]);
  return {
    type: "tool-call",
    toolCallId: readText(item["call_id"]),
    toolName: readText(item["name"]),
    input: objectOf(given),
    ...optionsOf(item, provider),
  };
}

/**
 * Returns the arguments of a call as an object, which providers require. A text that is no JSON object is wrapped in one; the
 * result of such a call says to the model that its arguments were wrong.
 */
function objectOf(text: string): unknown {
  if (refusalOf(text) !== null) return { invalid_json: text };
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    // The SDKs write the request by recursion, so one call with thousands of levels would make every later turn fail.
    if (meter(value, Number.POSITIVE_INFINITY) !== null) return { invalid_json: text };
    return isRecord(value) ? value : { value };
  } catch {
    return { invalid_json: text };
  }
}

function resultPart(item: ModelItem, translation: Translation): AiSdkResultPart {
  const toolCallId = readText(item["call_id"]);
  const toolName = translation.names.get(toolCallId) ?? "";
  const { output } = item;
  const parts = Array.isArray(output) ? output.filter(isRecord) : [];
  const texts = parts.map((part) => readText(part["text"])).filter((text) => text !== "");
  const value = typeof output === "string" ? output : texts.join("\n");
  const files = parts
    .flatMap((part) => fileOf(part, translation))
    .map((file) =>
      translation.isTagged ? file : ({ ...file, type: untaggedType(file) } as unknown as AiSdkFilePart),
    );
  return { type: "tool-result", toolCallId, toolName, output: outputWith(value, files) };
}

/** Returns the type of a file in an output: specification v3 has one for each kind of data. */
function untaggedType({ mediaType }: AiSdkFilePart): "image-data" | "file-data" {
  return mediaType.startsWith("image/") ? "image-data" : "file-data";
}

/** Makes exactly one text, because some packages write an answer for each text, and none if there is no text. */
function outputWith(value: string, files: readonly AiSdkFilePart[]): AiSdkResultPart["output"] {
  if (files.length > 0)
    return { type: "content", value: [{ type: "text", text: value || "(a file)" }, ...files] };
  return { type: value.startsWith("Error: ") ? "error-text" : "text", value };
}

function optionsOf(item: ModelItem, provider: string): { readonly providerOptions?: AiSdkOptions } {
  const kept = item["provider_metadata"];
  if (!isRecord(kept) || kept["provider"] !== provider || !isRecord(kept["metadata"])) return {};
  return { providerOptions: kept["metadata"] as AiSdkOptions };
}

/** Adds a server's own members to a call. The package for Chat Completions writes these options into the call unchanged. */
function withOptions(entry: Entry, members: Readonly<Record<string, Json>>): Entry {
  if (entry.role !== "assistant" || Object.keys(members).length === 0) return entry;
  const openaiCompatible = withFunction(entry.part, members) as AiSdkOptions[string];
  const providerOptions = { ...entry.part.providerOptions, openaiCompatible };
  return { ...entry, part: { ...entry.part, providerOptions } };
}

/** Returns the members with the call's name and arguments, if the server had added members to its function. */
function withFunction(part: AiSdkAssistantPart, members: Readonly<Record<string, Json>>): object {
  const { function: own } = members;
  if (part.type !== "tool-call" || !isRecord(own)) return members;
  return { ...members, function: { ...own, name: part.toolName, arguments: JSON.stringify(part.input) } };
}

/** Does the same as {@link withOptions}, for a whole message. */
function echoInto(message: AiSdkMessage | undefined, members: Readonly<Record<string, Json>>): void {
  if (message?.role !== "assistant" || Object.keys(members).length === 0) return;
  const { openaiCompatible: before } = message.providerOptions ?? {};
  message.providerOptions = { ...message.providerOptions, openaiCompatible: { ...before, ...members } };
}

/** Appends a part. Consecutive parts of the same role form one message. */
function append(messages: AiSdkMessage[], { role, part }: Entry): void {
  const last = messages.at(-1);
  if (last?.role === role) (last.content as (typeof part)[]).push(part);
  else messages.push({ role, content: [part] } as AiSdkMessage);
}

function mark(messages: AiSdkMessage[], cacheMark: AiSdkOptions): void {
  const system = messages.find(({ role }) => role === "system");
  for (const message of new Set([system, messages.at(-1)]))
    if (message !== undefined) message.providerOptions = cacheMark;
}
