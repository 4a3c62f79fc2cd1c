import { isRecord } from "@toolmount/core/json";
import type { Note } from "../wire/shapes.ts";
import {
  flag,
  itemOf,
  kindOf,
  listOf,
  matching,
  number,
  oneOf,
  prose,
  record,
  shape,
  text,
  withoutNulls,
  type Members,
  type Read,
} from "./members.ts";

const icons = listOf(
  "icon",
  shape({ src: text, mimeType: text, sizes: listOf("size", text), theme: oneOf("light", "dark") }, ["src"]),
);
export const named = { name: text, title: prose, description: prose, icons, _meta: record };
const implementation = shape({ ...named, version: text, websiteUrl: text });

/** Reads the name and version of a client or a server; "unknown" if it states none. */
export function readImplementation(given: unknown, note: Note): Members {
  return { name: "unknown", version: "unknown", ...(implementation(given, note) as object) };
}

/**
 * Reads the stated capabilities, each as an object. Null and `false` mean not stated; any other value becomes an empty object.
 */
export function readCapabilities(
  given: unknown,
  note: Note,
  members: Readonly<Record<string, Read>> = {},
): Members {
  const stated = Object.entries(isRecord(given) ? given : {}).flatMap(([name, value]) => {
    if (value === null || value === false) return [];
    if (!isRecord(value) && value !== true)
      note(`its capability ${name} is ${kindOf(value)}; taken as stated`);
    const own = isRecord(value) ? withoutNulls(value) : {};
    return [[name, Object.hasOwn(members, name) ? members[name]!(own, note) : own] as const];
  });
  return Object.fromEntries(stated);
}

const annotations = shape({
  audience: listOf("audience", oneOf("user", "assistant")),
  priority: (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined),
  lastModified: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/),
});

export const linked = { ...named, uri: text, uriTemplate: text, mimeType: text, size: number, annotations };

/** Reads the contents of a resource: a text or bytes. With neither, the text is empty. */
export const contents: Read = (value, note) => {
  const read = shape({ uri: text, mimeType: text, text, blob: base64, _meta: record })(value, note);
  if (!isRecord(read)) return undefined;
  const { blob, ...others } = { uri: "", ...read } as Members;
  return "text" in others || blob === undefined ? { text: "", ...others } : { ...others, blob };
};

/** Wraps a reader so that an item without a name gets its address as its name. */
export function withName(read: Read, address: string): Read {
  return (value, note) => {
    const taken = read(value, note);
    return isRecord(taken) ? { name: taken[address], ...taken } : undefined;
  };
}

/** Reads the result of a call. The call has run, so everything is kept: what has no known form is shown as JSON. */
export function readCallResult(
  given: unknown,
  note: Note,
): Members & { readonly content: readonly unknown[] } {
  if (!isRecord(given)) {
    note("the answer is no object; it is shown as it is");
    return { content: given === null ? [] : [readBlock(given, note)] };
  }
  const { content, isError, _meta, ...others } = withoutNulls(given);
  const isElsewhere =
    (content === undefined || (Array.isArray(content) && content.length === 0)) &&
    others["structuredContent"] === undefined &&
    Object.keys(others).some((name) => name !== "resultType");
  if (isElsewhere) note("the answer has no content; it is shown as JSON");
  const blocks = isElsewhere ? [JSON.stringify(others)] : (content ?? []);
  const failed = isError === undefined ? undefined : flag(isError, note);
  return {
    ...others,
    content: (Array.isArray(blocks) ? (blocks as readonly unknown[]) : [blocks]).map((block, at) =>
      readBlock(block, (sentence) => note(`content block ${at + 1}: ${sentence}`)),
    ),
    ...(failed !== undefined && { isError: failed }),
    ...(isRecord(_meta) && { _meta }),
  };
}

const marks = { annotations, _meta: record };

const blocks: Readonly<Record<string, Read>> = {
  text: itemOf({ ...marks, text }, ["text"], ["type"]),
  image: itemOf({ ...marks, data: base64, mimeType: text }, ["data"], ["type"]),
  audio: itemOf({ ...marks, data: base64, mimeType: text }, ["data"], ["type"]),
  resource_link: withName(itemOf(linked, ["uri"], ["type"]), "uri"),
  resource: itemOf({ ...marks, resource: contents }, ["resource"], ["type"]),
};

/** Reads one block of content. A block of no known form becomes a text, its own or its JSON, or a resource with its bytes. */
export function readBlock(block: unknown, note: Note): unknown {
  if (typeof block === "string") return { type: "text", text: block };
  const type = isRecord(block) && typeof block["type"] === "string" ? block["type"] : "";
  const read = Object.hasOwn(blocks, type) ? blocks[type]!(block, note) : undefined;
  if (isRecord(read))
    return type === "image" || type === "audio" ? withMimeType(read, block as Members) : read;
  const file = fileIn(block);
  if (file !== undefined) note("it is not of a form that MCP has; it is passed on as a resource");
  if (file !== undefined) return file;
  const own = isRecord(block) && typeof block["text"] === "string" ? block["text"] : undefined;
  note(`it is not of a form that MCP has; it is shown as ${own === undefined ? "JSON" : "its text"}`);
  return { type: "text", text: own ?? JSON.stringify(block) };
}

/** Returns a resource with the bytes in a block of a type that MCP does not have, such as a video; undefined if it has none. */
function fileIn(block: unknown): Members | undefined {
  const { type, data, mimeType, uri } = isRecord(block) ? block : ({} as Members);
  if (typeof mimeType !== "string" || /^text\/|json/.test(mimeType)) return undefined;
  const blob = base64(data);
  if (blob === undefined || blob === "") return undefined;
  return {
    type: "resource",
    resource: {
      uri: typeof uri === "string" ? uri : `content:${typeof type === "string" ? type : "file"}`,
      mimeType,
      blob,
    },
  };
}

function withMimeType(read: Members, { data }: Members): Members {
  const inUrl = /^data:([^;,]+)/.exec(String(data))?.[1];
  return { mimeType: inUrl ?? "application/octet-stream", ...read };
}

/** Reads bytes in base64, also from a data URL, in the alphabet for URLs, or broken into lines. */
function base64(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (isBase64(value)) return value;
  const plain = value
    .replace(/^data:[^,]*;base64,/, "")
    .replaceAll(/\s/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const padded = plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
  return isBase64(padded) ? padded : undefined;
}

function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
