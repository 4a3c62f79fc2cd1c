// Reads what a client sends before the SDK does. A request that is nearly right is served; any other gets an error with its id
// at once.
import { isRecord } from "@toolmount/core/json";
import { readCapabilities, readImplementation } from "./content.ts";
import { tryParse, withoutNulls, type Members } from "./members.ts";

/** A message of a client as the SDK takes it, or the error for one that cannot be served. */
export type ReadMessage = { readonly message: object } | { readonly refusal: object };

/** Reads a message of a client, and adds members that some clients leave out. What cannot be served becomes an error. */
export function readClientMessage(given: unknown): ReadMessage {
  if (!isRecord(given)) return refuse(null, -32_600, "a message is an object");
  const { id, method, params, error, ...others } = given;
  if ("result" in others || (error !== undefined && error !== null)) {
    const answer = { ...others, id, jsonrpc: "2.0" };
    return { message: error === undefined || error === null ? answer : { ...answer, error } };
  }
  const isRequest = "id" in given;
  const shown = typeof id === "string" || typeof id === "number" ? id : null;
  if (typeof method !== "string") return refuse(shown, -32_600, "the message has no method");
  if (isRequest && typeof id !== "string" && !Number.isInteger(id))
    return refuse(shown, -32_600, "the id of a request is a text or an integer");
  if (params !== undefined && params !== null && !isRecord(params))
    return refuse(shown, -32_602, "params is an object");
  const stated = isRecord(params) ? params : method === "initialize" ? {} : undefined;
  const read = stated && { params: readParams(method, stated) };
  return { message: { ...others, jsonrpc: "2.0", ...(isRequest && { id }), method, ...read } };
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
  const { _meta: meta, ...others } = withoutNulls(given);
  const params = { ...others, ...(isRecord(meta) && { _meta: withoutNulls(meta) }) } as Members;
  if (method === "initialize") return introduction(params);
  if (method !== "tools/call" || isRecord(params["arguments"])) return params;
  const { arguments: args, ...rest } = params;
  const read = readArguments(args);
  return read === undefined ? rest : { ...rest, arguments: read };
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
    capabilities: readCapabilities(capabilities, () => {}),
    clientInfo: readImplementation(clientInfo, () => {}),
  };
}
