import type { Json } from "@toolmount/core";
import { imageProblem } from "./image-header.ts";
import { isItem, readText, type Item } from "./items.ts";
import { isRefused, type PartRules } from "./refused-parts.ts";

/** Returns a text without incomplete surrogate pairs, which servers refuse. */
export function legalText(text: string): string {
  return text.toWellFormed();
}

/**
 * Returns arguments as the text of a JSON object, because servers refuse other arguments in a conversation. What was wrong with
 * them is said in the call's output.
 */
export function legalArguments(text: string): string {
  if (text.trim() === "") return "{}";
  const value = parseJson(text);
  if (!isItem(value)) return JSON.stringify({ invalid_json: legalText(text) });
  // A text with an escape such as `\ud800` is well-formed, but its parsed value is not.
  return text.isWellFormed() && !/\\ud[89a-f]/i.test(text) ? text : JSON.stringify(wellFormed(value));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return legalText(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isItem(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [legalText(key), wellFormed(inner)]));
}

/**
 * Returns the content of a message without blank texts, and with images only of types that the server reads; null if nothing is
 * left.
 */
export function legalContent(content: Json | undefined, rules: PartRules): Json | null {
  if (typeof content === "string") return isBlank(content) ? null : legalText(content);
  const parts = legalParts(content, rules);
  return parts.length === 0 ? null : [...parts];
}

/**
 * Returns the output of a call. A blank output gets a note, because some servers refuse it, and a model takes it for its own
 * mistake.
 */
export function legalOutput(output: Json | undefined, rules: PartRules): string | Item[] {
  if (typeof output === "string") return isBlank(output) ? noOutput : legalText(output);
  const parts = legalParts(output, rules);
  return parts.length === 0 ? noOutput : parts;
}

const noOutput = "(no output)";

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

function legalParts(content: Json | undefined, rules: PartRules): Item[] {
  const given = Array.isArray(content) ? content : [];
  return given.flatMap((part): Item[] => {
    if (typeof part === "string") return isBlank(part) ? [] : [{ type: "input_text", text: legalText(part) }];
    if (!isItem(part)) return [];
    if (isRefused(part, rules)) return [refusedNote(part)];
    if (part["type"] === "input_image") return [legalImage(part, rules)];
    const { text, refusal } = part;
    if (typeof text === "string") return isBlank(text) ? [] : [{ ...part, text: legalText(text) }];
    if (typeof refusal === "string") return isBlank(refusal) ? [] : [part];
    return part["type"] === "input_file" ? [legalFile(part, rules)] : [];
  });
}

/** Returns an image if the server can read it, with its real type. Otherwise returns a text that says what is missing. */
function legalImage(part: Item, { images, maxImageBytes, maxImageSide = longestSide }: PartRules): Item {
  const url = readText(part["image_url"]);
  const [, declared, data] = /^data:([^;,]*);base64,([A-Za-z0-9+/]+=*)$/.exec(url) ?? [];
  if (declared === undefined || data === undefined)
    return /^https?:\/\//.test(url) ? part : note("an image whose data cannot be read");
  const mediaType = sniffed(data) ?? declared;
  const bytes = Buffer.byteLength(data, "base64");
  if (!images.includes(mediaType)) return note(`an image of the type ${mediaType}`);
  if (bytes > maxImageBytes) return note(`an image of ${bytes} bytes; at most ${maxImageBytes} can be sent`);
  const problem = imageProblem(data, mediaType, maxImageSide);
  if (problem !== null) return note(problem);
  return mediaType === declared ? part : { ...part, image_url: `data:${mediaType};base64,${data}` };
}

/** Maximum number of pixels on a side of an image if the server states no limit. JPEG and WEBP cannot have more. */
const longestSide = 65_535;

function refusedNote({ type }: Item): Item {
  const what = type === "input_image" ? "an image" : "a file";
  return { type: "input_text", text: `(${what}, which the model's server refused)` };
}

/** Returns a file if it contains no data, or if the server reads its type; otherwise a text that names the file. */
function legalFile(part: Item, { files = [] }: PartRules): Item {
  const [, mediaType = ""] = /^data:([^;,]*);base64,/.exec(readText(part["file_data"])) ?? [];
  if (part["file_data"] === undefined || files.includes(mediaType)) return part;
  return note(`the file ${readText(part["filename"])} of the type ${mediaType}`);
}

function note(what: string): Item {
  return { type: "input_text", text: `(${what}, which this model does not take)` };
}

/**
 * Returns the type of an image by its first bytes; null if it is unknown. Tools often state a wrong type, which servers refuse.
 */
function sniffed(base64: string): string | null {
  const head = Buffer.from(base64.slice(0, 24), "base64").toString("latin1");
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : null;
}
