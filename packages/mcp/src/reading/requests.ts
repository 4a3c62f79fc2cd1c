// Reads what a client sends before the SDK does. A request that is nearly right is served; any other gets an error with its id
// at once.
import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/client";
import { isRecord } from "@toolmount/core/json";
import { readCapabilities, readImplementation } from "./content.ts";
import { flag, logLevels, shape, tryParse, withoutNulls, type Members } from "./members.ts";

/** A message of a client as the SDK takes it, or the error for one that cannot be served. */
export type ReadMessage = { readonly message: object } | { readonly refusal: object };

/**
 * Reads a message of a client, and adds members that some clients leave out. Members that no message has are dropped, because
 * the SDK drops the whole message for one. What cannot be served becomes an error.
 */
export function readClientMessage(given: unknown): ReadMessage {
  if (!isRecord(given)) return refuse(null, -32_600, "a message is an object");
  const { id, method, params, error, result } = given;
  if (method === undefined && ("result" in given || (error !== undefined && error !== null))) {
    const ending = error === undefined || error === null ? { result } : { error };
    return { message: { jsonrpc: "2.0", id, ...ending } };
  }
  const isRequest = "id" in given;
  const shown = typeof id === "string" || typeof id === "number" ? id : null;
  if (typeof method !== "string") return refuse(shown, -32_600, "the message has no method");
  if (isRequest && typeof id !== "string" && !Number.isSafeInteger(id))
    return refuse(shown, -32_600, "the id of a request is a text or an integer");
  if (params !== undefined && params !== null && !isRecord(params))
    return refuse(shown, -32_602, "params is an object");
  const stated = isRecord(params) ? params : method === "initialize" ? {} : undefined;
  const read = stated && { params: readParams(method, stated) };
  const problem = isRequest ? problemOf(method, read?.params ?? {}) : undefined;
  if (problem !== undefined) return refuse(shown, -32_602, problem);
  return { message: { jsonrpc: "2.0", ...(isRequest && { id }), method, ...read } };
}

/** Parameters that are texts, by method; a `cursor` may be absent. */
const texts: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "resources/subscribe": "uri",
  "resources/unsubscribe": "uri",
  "logging/setLevel": "level",
  "tasks/get": "taskId",
  "tasks/result": "taskId",
  "tasks/cancel": "taskId",
};

/** Methods of those that the revision of 2026 has, too. */
const later = new Set(["tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/cancel"]);

/** Returns what is wrong with the parameters of a request, in one sentence; the SDK would answer with a dump of its schema. */
function problemOf(method: string, params: Members): string | undefined {
  const meta = params["_meta"] as Members | undefined;
  // The revision of 2026 has fewer methods, so a request of it for one of the others is for the SDK to refuse.
  if (meta?.[PROTOCOL_VERSION_META_KEY] !== undefined && !later.has(method)) return undefined;
  const name = Object.hasOwn(texts, method) ? texts[method]! : undefined;
  if (name !== undefined && typeof params[name] !== "string") return `params.${name} is a text`;
  if (params["cursor"] !== undefined && typeof params["cursor"] !== "string")
    return "params.cursor is a text";
  if (name === "level" && !logLevels.includes(String(params["level"])))
    return `params.level is one of ${logLevels.join(", ")}`;
  const { arguments: args } = params;
  return args === undefined || isRecord(args) || !/^(?:tools\/call|prompts\/get)$/.test(method)
    ? undefined
    : "params.arguments is an object";
}

/** Returns the error for a message that is not served. */
export function refuse(
  id: string | number | null,
  code: number,
  problem: string,
): { readonly refusal: object } {
  return { refusal: { jsonrpc: "2.0", id, error: { code, message: problem } } };
}

/** Reads the parameters of a request; members that are null are absent. */
function readParams(method: string, given: Members): Members {
  const { _meta: meta, cursor, ...named } = withoutNulls(given);
  // Some clients ask for the first page with an empty cursor.
  const others = cursor === undefined || cursor === "" ? named : { ...named, cursor };
  const params = { ...others, ...(isRecord(meta) && { _meta: readMeta(meta) }) } as Members;
  if (method === "initialize") return introduction(params);
  if (method !== "tools/call" || isRecord(params["arguments"])) return params;
  const { arguments: args, ...rest } = params;
  const read = readArguments(args);
  return read === undefined ? rest : { ...rest, arguments: read };
}

/** Reads `_meta`. A token for progress that is neither a text nor an integer is left out, as the protocol has no other. */
function readMeta(given: Members): Members {
  const { progressToken: token, ...others } = withoutNulls(given);
  const isToken = typeof token === "string" || Number.isSafeInteger(token);
  return isToken ? { ...others, progressToken: token } : others;
}

/**
 * Reads arguments, also from a JSON text, which models write. An empty list, which PHP writes for an empty object, is absent.
 */
function readArguments(given: unknown): unknown {
  if (Array.isArray(given) && given.length === 0) return undefined;
  const read = typeof given === "string" ? tryParse(given) : given;
  return isRecord(read) ? read : given;
}

function introduction({ protocolVersion, capabilities, clientInfo, ...others }: Members): Members {
  return {
    ...others,
    protocolVersion: typeof protocolVersion === "string" ? protocolVersion : "2025-11-25",
    capabilities: readCapabilities(capabilities, () => {}, { roots: shape({ listChanged: flag }) }),
    clientInfo: readImplementation(clientInfo, () => {}),
  };
}
