import { ProtocolError, type Client, type RequestOptions, type Tool } from "@modelcontextprotocol/client";
import type { ExposedItems, ExposedRequest } from "../wire/exposed-source.ts";
import { isRecord } from "@toolmount/core/json";
import type { ServerSettings } from "./config.ts";
import { isExposed } from "./ui.ts";

/** Key under `_meta` that marks a definition of something that the server exposes, rather than of one of its tools. */
const exposedMetaKey = "dev.toolmount/exposed";

/** The item of the server or the kind of requests for which an internal tool exists. */
export type Exposed =
  | {
      [Kind in keyof ExposedItems]: { readonly kind: Kind; readonly item: ExposedItems[Kind] };
    }[keyof ExposedItems]
  | { readonly kind: "request"; readonly request: ExposedRequest }
  | { readonly kind: "instructions"; readonly text: string };

/** Returns the item or the kind of requests for which an internal tool was made; undefined for a tool of the server. */
export function exposedOf({ _meta }: Pick<Tool, "_meta">): Exposed | undefined {
  const exposed = _meta?.[exposedMetaKey];
  return isRecord(exposed) ? (exposed as unknown as Exposed) : undefined;
}

/** Returns a tool as its server lists it, without the key that only this host may set. */
export function withoutExposed(tool: Tool): Tool {
  if (exposedOf(tool) === undefined) return tool;
  const { _meta: meta, ...own } = tool;
  return { ...own, _meta: { ...meta, [exposedMetaKey]: undefined } };
}

type ExposeSettings = Pick<ServerSettings, "name" | "expose" | "ask">;

/** Groups of items that a server lists. */
export type ExposedGroup = "resources" | "prompts";

/** Returns the settings for a request; with `maxTimeoutMs` as the timeout if the server may ask a person or a model during it. */
export function limitsOf(exposed: Exposed, settings: ServerSettings): ServerSettings {
  const { ask, maxTimeoutMs } = settings;
  const mayAsk =
    exposed.kind === "request"
      ? exposed.request === "resources.read" || ask.some((kind) => kind === exposed.request)
      : exposed.kind !== "instructions";
  return mayAsk && ask.length > 0 ? { ...settings, timeoutMs: maxTimeoutMs } : settings;
}

export function groupOf(exposed: Exposed | undefined): ExposedGroup | undefined {
  if (exposed === undefined || exposed.kind === "request" || exposed.kind === "instructions")
    return undefined;
  return exposed.kind === "prompt" ? "prompts" : "resources";
}

/** Returns the groups of items that the plan exposes of a server. */
export function groupsOf({ expose }: Pick<ServerSettings, "expose">): readonly ExposedGroup[] {
  const groups = expose.map((what) => (what === "ui" ? "resources" : what));
  return [...new Set(groups)];
}

/** Returns the internal tools of a server for requests that concern no single item, and for its questions to clients. */
export function requestTools(settings: ExposeSettings): readonly Tool[] {
  const groups = groupsOf(settings);
  const requests: ExposedRequest[] = [
    ...(groups.includes("resources")
      ? (["resources.list", "resources.read", "resources.subscribe"] as const)
      : []),
    ...(groups.includes("prompts") ? (["prompts.list"] as const) : []),
    ...(groups.length > 0 ? (["completions"] as const) : []),
    ...settings.ask,
  ];
  return requests.map((request) => ({
    name: requestTool(settings, request),
    description: `${texts[request]} of the MCP server ${settings.name}`,
    inputSchema: request.startsWith("resources.") && request !== "resources.list" ? uriOnly : anything,
    _meta: { [exposedMetaKey]: { kind: "request", request } satisfies Exposed },
  }));
}

export function requestTool({ name }: Pick<ServerSettings, "name">, request: ExposedRequest): string {
  return `${name}.${request}`;
}

const texts: Readonly<Record<ExposedRequest, string>> = {
  "resources.list": "Lists the resources",
  "resources.read": "Reads a resource",
  "resources.subscribe": "Subscribes to changes of a resource",
  "prompts.list": "Lists the prompts",
  completions: "Completes an argument of a prompt or a resource template",
  elicitation: "Asks the user of the client, for a call",
  sampling: "Asks the model of the client, for a call",
  roots: "Asks the client for its folders, for a call",
};

const anything: Tool["inputSchema"] = { type: "object" };

const uriOnly: Tool["inputSchema"] = {
  type: "object",
  properties: { uri: { type: "string" } },
  required: ["uri"],
};

/** Longest instructions of a server that are passed on, in characters. */
const maxInstructions = 32_768;

/**
 * Returns an internal tool whose description is the server's instructions; an empty list if there are none. So this text is
 * scanned, locked and compared like the definitions of tools.
 */
export function instructionsTool(client: Client, { name }: Pick<ServerSettings, "name">): readonly Tool[] {
  const text = (client.getInstructions() ?? "").trim().slice(0, maxInstructions);
  if (text === "") return [];
  const exposed: Exposed = { kind: "instructions", text };
  return [
    {
      name: `${name}.instructions`,
      description: text,
      inputSchema: anything,
      _meta: { [exposedMetaKey]: exposed },
    },
  ];
}

/** Lists the items of a group as internal tools, which are locked and compared like the server's own tools. */
export async function listExposed(
  client: Client,
  settings: ServerSettings,
  group: ExposedGroup,
  options?: RequestOptions,
): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.[group] === undefined) return [];
  const { name } = settings;
  if (group === "prompts") {
    const { prompts } = await client.listPrompts(undefined, options).catch(refused({ prompts: [] }));
    return prompts.map((item) => promptTool(name, item));
  }
  const { resources } = await client.listResources(undefined, options).catch(refused({ resources: [] }));
  const { resourceTemplates } = await client
    .listResourceTemplates(undefined, options)
    .catch(refused({ resourceTemplates: [] }));
  const read = (kind: "resource" | "template", item: object & { name: string }, uri: string): Tool => ({
    name: `${name}.resources.read.${uri}`,
    description: describeItem("Reads", item),
    inputSchema: uriOnly,
    _meta: { [exposedMetaKey]: { kind, item } },
  });
  return [
    ...resources
      .filter(({ uri }) => isExposed(uri, settings))
      .map((item) => read("resource", item, item.uri)),
    ...resourceTemplates
      .filter(({ uriTemplate }) => isExposed(uriTemplate, settings))
      .map((item) => read("template", item, item.uriTemplate)),
  ];
}

/** Returns a handler that takes an error which the server answered as an empty list: many servers do not know templates. */
function refused<Empty>(empty: Empty): (error: unknown) => Empty {
  return (error) => {
    if (error instanceof ProtocolError) return empty;
    throw error;
  };
}

function promptTool(server: string, item: ExposedItems["prompt"]): Tool {
  const { name, arguments: args = [] } = item;
  const properties = args.map(({ name: argument, description }) => [
    argument,
    { type: "string", ...(description !== undefined && { description }) },
  ]);
  return {
    name: `${server}.prompts.get.${name}`,
    description: describeItem("Gets the prompt", item),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties) as never,
      required: args.filter(({ required }) => required === true).map(({ name: argument }) => argument),
    },
    _meta: { [exposedMetaKey]: { kind: "prompt", item } satisfies Exposed },
  };
}

/** Returns all texts of an item that a client may show to a model, so that they are scanned like those of a tool. */
function describeItem(
  verb: string,
  item: { name: string; title?: string | undefined; description?: string | undefined },
): string {
  const { name, title, description } = item;
  const shown = [title, description].filter((text) => text !== undefined && text.trim() !== "");
  return `${verb} "${name}"${shown.length === 0 ? "" : `: ${shown.join(". ")}`}`;
}
