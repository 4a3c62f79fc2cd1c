// Lists what a server may answer and how each answer is read. Because of one wrong member, the SDK refuses a whole list or a
// whole connection; here each item is judged by itself.
import { isRecord } from "@toolmount/core/json";
import type { Note } from "../wire/shapes.ts";
import {
  contents,
  linked,
  named,
  readBlock,
  readCapabilities,
  readImplementation,
  withName,
} from "./content.ts";
import {
  flag,
  itemOf,
  listOf,
  logLevels,
  oneOf,
  shape,
  text,
  withoutNulls,
  type Members,
  type Read,
} from "./members.ts";
import { readForm } from "./form.ts";
import { readInputSchema, readOutputSchema } from "./schema.ts";

/** Returns the result of a method in the form that the SDK takes. With `isLegacy`, the connection is of before 2026. */
export function readResult(method: string, given: unknown, isLegacy: boolean, note: Note): Members {
  const result = withoutNulls(isRecord(given) ? given : {});
  const read = Object.hasOwn(results, method) ? results[method]!(result, note, isLegacy) : result;
  return "_meta" in read && !isRecord(read["_meta"]) ? { ...read, _meta: {} } : read;
}

const toolMembers = {
  ...named,
  annotations: shape({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  execution: shape({ taskSupport: oneOf("required", "optional", "forbidden") }),
};

const toolOf = (isLegacy: boolean): Read => {
  const rest = itemOf(toolMembers, ["name"], ["inputSchema", "outputSchema"]);
  return (value, note) => {
    const tool = rest(value, note) as Members | undefined;
    if (tool === undefined) return undefined;
    const { inputSchema, outputSchema, ...others } = tool;
    const output = readOutputSchema(outputSchema, isLegacy, note);
    return {
      ...others,
      inputSchema: readInputSchema(inputSchema, note),
      ...(output !== undefined && { outputSchema: output }),
    };
  };
};

const promptMessage: Read = (value, note) =>
  isRecord(value)
    ? {
        role: oneOf("user", "assistant")(value["role"], note) ?? "user",
        content: readBlock(value["content"], note),
      }
    : undefined;

const promptArgument = shape({ name: text, description: text, required: flag }, ["name"]);

/** Adds how long a result of the 2026 revision may be kept, which the SDK requires. */
const kept = (result: Members): Members => ({
  ...result,
  ttlMs: typeof result["ttlMs"] === "number" && result["ttlMs"] >= 0 ? Math.floor(result["ttlMs"]) : 0,
  cacheScope: result["cacheScope"] === "public" ? "public" : "private",
});

type ReadResult = (result: Members, note: Note, isLegacy: boolean) => Members;

const list =
  (member: string, what: string, of: (isLegacy: boolean) => Read): ReadResult =>
  (result, note, isLegacy) => {
    const items = result[member] === undefined ? [] : listOf(what, of(isLegacy))(result[member], note);
    const { nextCursor, ...others } = result;
    const page = {
      ...others,
      ...(nextCursor !== undefined && { nextCursor: text(nextCursor, note) }),
      [member]: items,
    };
    return isLegacy ? page : kept(page);
  };

/** Reads how a server introduces itself when it is connected to, in both revisions. */
const introduction: ReadResult = (result, note, isLegacy) => {
  const stated = readCapabilities(result["capabilities"], note, changing);
  return {
    ...(isLegacy ? { protocolVersion: "2025-03-26" } : kept({})),
    ...result,
    // A server that states no capabilities is asked for its tools.
    capabilities: Object.keys(stated).length === 0 ? { tools: {} } : stated,
    ...(isLegacy && { serverInfo: readImplementation(result["serverInfo"], note) }),
    ...("instructions" in result && { instructions: text(result["instructions"], note) }),
  };
};

const change = shape({ listChanged: flag, subscribe: flag });

/** Readers of the capabilities of those groups whose changes a server may announce. */
const changing = { tools: change, resources: change, prompts: change };

const empty: ReadResult = () => ({});

/** Reads the questions in a result that needs input. */
export const asking: ReadResult = (result, note) => {
  const { inputRequests } = result;
  if (!isRecord(inputRequests)) return result;
  const read = Object.entries(inputRequests).map(([key, request]) => {
    if (!isRecord(request) || typeof request["method"] !== "string") return [key, request] as const;
    return [key, { ...request, params: readParams(request["method"], request["params"], note) }] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(read) };
};

const results: Readonly<Record<string, ReadResult>> = {
  initialize: introduction,
  "server/discover": introduction,
  ping: empty,
  "logging/setLevel": empty,
  "tasks/get": asking,
  "resources/subscribe": empty,
  "resources/unsubscribe": empty,
  "tools/list": list("tools", "tool", toolOf),
  "prompts/list": list("prompts", "prompt", () =>
    itemOf({ ...named, arguments: listOf("argument", promptArgument) }, ["name"]),
  ),
  "resources/list": list("resources", "resource", () => withName(itemOf(linked, ["uri"]), "uri")),
  "resources/templates/list": list("resourceTemplates", "resource template", () =>
    withName(itemOf(linked, ["uriTemplate"]), "uriTemplate"),
  ),
  "resources/read": (result, note, isLegacy) => {
    const page = { ...result, contents: listOf("resource", contents)(result["contents"] ?? [], note) };
    return isLegacy ? page : kept(page);
  },
  "prompts/get": (result, note) => ({
    ...result,
    ...("description" in result && { description: text(result["description"], note) }),
    messages: listOf("message", promptMessage)(result["messages"] ?? [], note),
  }),
  "completion/complete": (result, note) => {
    const { values, total, hasMore } = isRecord(result["completion"])
      ? result["completion"]
      : ({} as Members);
    const completion = {
      values: (listOf("value", text)(values ?? [], note) as readonly string[]).slice(0, 100),
      ...(typeof total === "number" && { total }),
      ...(typeof hasMore === "boolean" && { hasMore }),
    };
    return { ...result, completion };
  },
};

/** Reads the parameters of what a server reports or asks by itself; members that are null are absent. */
export function readParams(method: string, given: unknown, note: Note): Members | undefined {
  if (!isRecord(given)) return undefined;
  const params = withoutNulls(given);
  if (method === "elicitation/create" && "requestedSchema" in params)
    return {
      ...params,
      requestedSchema: readForm(params["requestedSchema"], (sentence) => note(`a question: ${sentence}`)),
    };
  if (method !== "notifications/message") return params;
  const level = oneOf(...logLevels);
  return { data: null, ...params, level: level(params["level"], () => {}) ?? "info" };
}

/** Whether the result of a method has no members, so that some servers leave it out. */
export function mayBeEmpty(method: string | undefined): boolean {
  return method !== undefined && Object.hasOwn(results, method) && results[method] === empty;
}

/** Reads the error in an answer, also one that is only a text. */
export function readError(given: unknown): { code: number; message: string; data?: unknown } {
  if (!isRecord(given))
    return { code: -32_603, message: typeof given === "string" ? given : JSON.stringify(given) };
  const { code, message, data } = given;
  return {
    code: Number.isInteger(Number(code ?? Number.NaN)) ? Number(code) : -32_603,
    message: typeof message === "string" ? message : JSON.stringify(message ?? given),
    ...(data !== undefined && { data }),
  };
}
