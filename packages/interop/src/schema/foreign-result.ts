import { data, failure, type ContentBlock, type PartialResult } from "@toolmount/core";
import { isRecord, readText, type Members } from "./guards.ts";

/**
 * Returns a value in the form that it has as JSON: a date becomes its text, and members that are `undefined` are removed.
 * Throws for bytes, because a model cannot read them.
 */
export function plainValue(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array || value instanceof ArrayBuffer)
    throw new Error("the tool returned bytes; return base64 in an image or file block, or a text");
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Turns a value into a result. Content blocks of any of the libraries become content; other values become data. */
export function answerOf(value: unknown): PartialResult {
  if (!Array.isArray(value) || value.length === 0) {
    const [single] = isRecord(value) ? [readBlock(value)] : [];
    return single === undefined || single === null || single.type === "text"
      ? data(plainValue(single?.type === "text" ? single.text : value))
      : data(null, { content: [single] });
  }
  const blocks = value.map((item) => (isRecord(item) ? readBlock(item) : null));
  return blocks.every((block) => block !== null) ? fromBlocks(blocks) : data(plainValue(value));
}

/** Makes a result from blocks: texts become data, the other blocks stay content. */
export function fromBlocks(blocks: readonly ContentBlock[], value?: unknown): PartialResult {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const content = blocks.filter(({ type }) => type !== "text");
  const said = value === undefined ? (texts.length === 0 ? null : texts.join("\n")) : plainValue(value);
  return content.length === 0 ? data(said) : data(said, { content });
}

/** Turns a result of MCP's `tools/call` into ours. */
export function fromMcpResult(result: Members): PartialResult {
  const items: readonly unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const blocks = items.map((item) => (isRecord(item) ? readBlock(item) : null));
  if (result["isError"] === true) return failure(textsOf(blocks) || "the tool failed");
  if (blocks.some((block) => block === null)) return data(plainValue(result));
  return fromBlocks(blocks as ContentBlock[], result["structuredContent"]);
}

function textsOf(blocks: readonly (ContentBlock | null)[]): string {
  return blocks.flatMap((block) => (block?.type === "text" ? [block.text] : [])).join("\n");
}

/** Reads an output of `toModelOutput` of the AI SDK; undefined for any other value. */
export function fromModelOutput(output: unknown): PartialResult | undefined {
  if (!isRecord(output)) return undefined;
  const { type, value } = output;
  const text = typeof value === "string" ? value : undefined;
  if (type === "text" && text !== undefined) return data(text);
  if (type === "json" && "value" in output) return data(plainValue(value));
  if (type === "error-text" && text !== undefined) return failure(text || "the tool failed");
  if (type === "error-json") return failure(JSON.stringify(value) ?? "the tool failed");
  if (type === "execution-denied")
    return failure(readText(output["reason"]) || "the tool refused to run", { code: "REFUSED" });
  return type === "content" && Array.isArray(value) ? answerOf(value) : undefined;
}

/**
 * Reads one content block in the form of the AI SDK, LangChain, OpenAI, Anthropic, MCP or OpenAI Agents; null for any other
 * form.
 */
export function readBlock(block: Members): ContentBlock | null {
  const { type, text } = block;
  if ((type === "text" || type === "input_text" || type === "output_text") && typeof text === "string")
    return { type: "text", text };
  if (type === "resource" && isRecord(block["resource"])) return readResource(block["resource"]);
  if (type === "resource_link" && typeof block["uri"] === "string") return fileAt(block["uri"], block);
  if (typeof type !== "string" || !mediaTypes.has(type)) return null;
  const mimeType = mimeOf(block);
  for (const place of placesOf(block)) {
    const read = readMedia(place, mimeOf(isRecord(place) ? place : {}) ?? mimeType, block);
    if (read !== null) return read;
  }
  return null;
}

const mediaTypes: ReadonlySet<string> = new Set(
  "image image_url image-url image-data media audio file file-data file-url input_image input_file input_audio document".split(
    " ",
  ),
);

/** Returns the members in which the libraries have the bytes or the address, as far as they are set. */
function placesOf(block: Members): readonly unknown[] {
  return ["source", "image_url", "imageUrl", "image", "file", "data", "url", "fileUrl"]
    .map((key) => block[key])
    .concat([block])
    .filter((place) => place !== undefined);
}

function mimeOf(holder: Members): string | undefined {
  const names = ["mimeType", "mediaType", "media_type", "mime_type"];
  return names.map((name) => holder[name]).find((value) => typeof value === "string");
}

function readMedia(place: unknown, mimeType: string | undefined, block: Members): ContentBlock | null {
  if (typeof place === "string") return readAddress(place, mimeType, block);
  if (place instanceof URL) return readAddress(place.href, mimeType, block);
  if (!isRecord(place)) return null;
  const inner = [place["data"], place["base64"], place["url"], place["uri"]].find(
    (value) => typeof value === "string",
  );
  return inner === undefined ? null : readAddress(inner, mimeType, block);
}

const dataAddress = /^data:([^;,]*);base64,(.*)$/s;

/** Reads an address, a `data:` address, or base64; null for any other text. */
function readAddress(text: string, mimeType: string | undefined, block: Members): ContentBlock | null {
  const [, type, bytes] = dataAddress.exec(text) ?? [];
  if (bytes !== undefined) return withBytes(bytes, type || mimeType, block);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return fileAt(text, { ...block, mimeType });
  return /^[A-Za-z0-9+/_=\s-]*$/.test(text) ? withBytes(text, mimeType, block) : null;
}

function withBytes(bytes: string, given: string | undefined, { type, filename }: Members): ContentBlock {
  const mimeType = given ?? (String(type).includes("image") ? "image/png" : "application/octet-stream");
  const kind = /^(?:image|audio)(?=\/)/.exec(mimeType)?.[0] as "image" | "audio" | undefined;
  if (kind !== undefined) return { type: kind, data: bytes, mimeType };
  const name = typeof filename === "string" ? filename : "file";
  return { type: "file", uri: `attachment:${encodeURIComponent(name)}`, name, mimeType, data: bytes };
}

function fileAt(uri: string, facts: Members): ContentBlock {
  const name = [facts["name"], facts["filename"]].find((value) => typeof value === "string");
  const mimeType = mimeOf(facts);
  return {
    type: "file",
    uri,
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
  };
}

function readResource(resource: Members): ContentBlock | null {
  const { uri, text, blob } = resource;
  if (typeof uri !== "string") return null;
  const file = fileAt(uri, resource) as Extract<ContentBlock, { type: "file" }>;
  if (typeof text === "string") return { ...file, text };
  return typeof blob === "string" ? { ...file, data: blob } : file;
}
