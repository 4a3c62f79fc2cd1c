import type { Json } from "@toolmount/core";
import { isRecord, parseJson, readText, type Members } from "../schema/guards.ts";
import type { AiSdkMetadata } from "./ai-sdk-types.ts";
import type { ModelItem } from "./model.ts";

/** Key under which members that the SDK's package does not know are added to the end of an answer. */
const echoKey = "toolmountEcho";

/** Members of a message, and members of its calls by the calls' ids. */
interface Echo {
  readonly message: Record<string, Json>;
  readonly calls: Record<string, Record<string, Json>>;
}

/** Members of a message of Chat Completions that the SDK's package reads, or that every request has. */
const knownOfMessage: ReadonlySet<string> = new Set(
  "role content reasoning reasoning_content tool_calls function_call refusal name audio annotations".split(
    " ",
  ),
);
const knownOfCall: ReadonlySet<string> = new Set(["index", "id", "type", "function", "extra_content"]);

/**
 * Returns settings for the SDK's Chat Completions package that keep the members of answers which the package does not know, and
 * send them back. Some servers refuse the next request without them: OpenRouter without `reasoning_details`, for example, and
 * DeepSeek without a `reasoning_content` in each message, even an empty one.
 */
export function createEcho(fetchModel: typeof fetch) {
  let wantsReasoning = false;
  const withReasoning = (body: Members): Members => {
    const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isRecord) : [];
    wantsReasoning ||= messages.some((message) => typeof message["reasoning_content"] === "string");
    return wantsReasoning ? { ...body, messages: messages.map(filled) } : body;
  };
  return {
    metadataExtractor: {
      extractMetadata: async ({ parsedBody }: { readonly parsedBody: unknown }) => {
        const reader = createReader();
        reader.processChunk(parsedBody);
        return reader.buildMetadata();
      },
      createStreamExtractor: createReader,
    },
    transformRequestBody: withReasoning,
    /** Sends a request again if the server refused it because messages that another model wrote have no reasoning. */
    fetch: async (...[url, init]: Parameters<typeof fetch>): Promise<Response> => {
      const response = await fetchModel(url, init);
      const sent = parseJson(readText(init?.body));
      if (response.status !== 400 || wantsReasoning || !isRecord(sent)) return response;
      const text = await response.text();
      wantsReasoning = /reasoning_content/.test(text);
      if (!wantsReasoning) return new Response(text, response);
      return fetchModel(url, { ...init, body: JSON.stringify(withReasoning(sent)) });
    },
  };
}

function filled(message: Record<string, unknown>): Record<string, unknown> {
  if (message["role"] !== "assistant" || typeof message["reasoning_content"] === "string") return message;
  return { ...message, reasoning_content: "" };
}

/** Collects the unknown members of an answer, from its chunks or from the whole answer. */
function createReader() {
  const echo: Echo = { message: {}, calls: {} };
  const ids = new Map<unknown, string>();
  return {
    processChunk(chunk: unknown): void {
      const [choice] =
        isRecord(chunk) && Array.isArray(chunk["choices"]) ? (chunk["choices"] as unknown[]) : [];
      const { delta, message = delta } = isRecord(choice) ? choice : {};
      if (!isRecord(message)) return;
      addTo(echo.message, message, knownOfMessage);
      if (message["reasoning_content"] === "") echo.message["reasoning_content"] ??= "";
      const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isRecord) : [];
      for (const [at, call] of calls.entries()) {
        const place = call["index"] ?? at;
        const id = readText(call["id"]) || ids.get(place);
        if (id === undefined) continue;
        ids.set(place, id);
        addTo((echo.calls[id] ??= {}), call, knownOfCall);
        addToFunction(echo.calls[id], call["function"]);
      }
      if (readText(message["reasoning_content"]) !== "") delete echo.message["reasoning_content"];
    },
    buildMetadata: (): AiSdkMetadata => ({ [echoKey]: { ...echo } }),
  };
}

function addTo(members: Record<string, Json>, given: Members, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(given))
    if (!known.has(name) && !isEmpty(value) && name !== "__proto__")
      members[name] = joined(members[name], value as Json);
}

const knownOfFunction: ReadonlySet<string> = new Set(["name", "arguments"]);

/** Collects members of a call's function other than its name and arguments. */
function addToFunction(call: Record<string, Json>, given: unknown): void {
  if (!isRecord(given)) return;
  const members = isRecord(call["function"]) ? call["function"] : {};
  addTo(members, given, knownOfFunction);
  if (Object.keys(members).length > 0) call["function"] = members as Json;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

/** Joins the pieces of a member, which arrive one after the other: texts and parts of lists grow. */
function joined(before: Json | undefined, piece: Json): Json {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (Array.isArray(before) && Array.isArray(piece)) return piece.reduce(withPart, before);
  if (isRecord(before) && isRecord(piece)) return { ...before, ...piece };
  return piece;
}

/**
 * Adds a piece to a list of parts. The piece continues the last part if both have the same index, type and id; otherwise it
 * becomes a new part.
 */
function withPart(parts: Json, piece: Json): Json {
  const list = parts as readonly Json[];
  const last = list.at(-1);
  const isSame =
    isRecord(last) &&
    isRecord(piece) &&
    piece["index"] !== undefined &&
    ["index", "type", "id"].every((name) => last[name] === piece[name]);
  return isSame ? [...list.slice(0, -1), grown(last, piece) as Json] : [...list, piece];
}

const growing: ReadonlySet<string> = new Set(["text", "summary", "data"]);

function grown(part: Members, piece: Members): Members {
  const members = Object.entries(piece).filter(([, value]) => !isEmpty(value));
  const pairs = members.map(([name, value]) => [
    name,
    growing.has(name) ? readText(part[name]) + readText(value) : value,
  ]);
  return { ...part, ...Object.fromEntries(pairs) };
}

/** Stores the unknown members with the items of an answer, for the server that sent them. */
export function withEcho(
  items: readonly ModelItem[],
  metadata: AiSdkMetadata | undefined,
  { server, provider }: { readonly server: string; readonly provider: string },
): readonly ModelItem[] {
  const echo = metadata?.[echoKey] as unknown as Echo | undefined;
  if (echo === undefined) return items;
  const first = items.find(({ type }) => type !== "reasoning") ?? items[0];
  return items.map((item) => {
    const call = echo.calls[readText(item["call_id"])] ?? {};
    const message = item === first ? echo.message : {};
    if (Object.keys(call).length + Object.keys(message).length === 0) return item;
    const kept = isRecord(item["provider_metadata"]) ? item["provider_metadata"] : { provider, metadata: {} };
    return { ...item, provider_metadata: { ...kept, echo: { server, message, call } } };
  });
}

/** Returns the members that a server sent with an item; they are only for that server. */
export function echoOf(
  item: ModelItem,
  server: string,
): Pick<Echo, "message"> & { readonly call: Record<string, Json> } {
  const kept = isRecord(item["provider_metadata"]) ? item["provider_metadata"]["echo"] : undefined;
  if (!isRecord(kept) || kept["server"] !== server) return { message: {}, call: {} };
  return { message: kept["message"] as Echo["message"], call: kept["call"] as Record<string, Json> };
}
