import type { Coordinator, ToolDefinition } from "@toolmount/core";
import { answerOf, fromBlocks, readBlock } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord, readText, type Members } from "../schema/guards.ts";
import { connectServer, isMcpServer } from "./mcp-server.ts";

type Method = (...given: readonly unknown[]) => unknown;

/**
 * Returns the tools of a value that holds several: a server of MCP's SDK, a toolkit with `getTools()` or `tools`, or a callable
 * tool of Gemini's SDK. Null for a value that holds none.
 */
export async function toolsOf(value: unknown, coordinator: Coordinator): Promise<readonly unknown[] | null> {
  if (typeof value !== "object" || value === null) return null;
  const holder = value as Members;
  const server = holder["type"] === "sdk" && isMcpServer(holder["instance"]) ? holder["instance"] : value;
  if (isMcpServer(server)) return connectServer(server, coordinator);
  if (typeof holder["tool"] === "function" && typeof holder["callTool"] === "function")
    return geminiTools(holder);
  if (typeof holder["getTools"] === "function") return listOf(await openedTools(value, holder));
  return isPlain(value) ? null : listOf(holder["tools"] ?? holder["functions"]);
}

/** Returns the tools of a toolkit. Some toolkits have to be initialized first, and throw until then. */
async function openedTools(toolkit: object, { getTools, initialize }: Members): Promise<unknown> {
  const ask = () => Reflect.apply(getTools as Method, toolkit, []);
  if (typeof initialize !== "function") return await ask();
  try {
    return await ask();
  } catch {
    // The toolkit may not be initialized. If something else is wrong, the second call throws again.
    await Reflect.apply(initialize as Method, toolkit, []);
    return await ask();
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function listOf(given: unknown): readonly unknown[] | null {
  if (Array.isArray(given)) return given;
  if (typeof given !== "object" || given === null) return null;
  return Symbol.iterator in given ? [...(given as Iterable<unknown>)] : [given];
}

/**
 * Returns the functions that a callable tool declares, as definitions of ours. To do the work of one, the callable tool is
 * called with one function call, and answers with parts.
 */
async function geminiTools(callable: Members): Promise<readonly ToolDefinition[]> {
  const declared: unknown = await Reflect.apply(callable["tool"] as Method, callable, []);
  const list = isRecord(declared) ? declared["functionDeclarations"] : undefined;
  const declarations = Array.isArray(list) ? list.filter(isRecord) : [];
  return declarations.map((declaration) => {
    const name = readText(declaration["name"]);
    return foreignTool({
      name,
      description: declaration["description"],
      arguments: readSchema(name, declaration["parametersJsonSchema"] ?? declaration["parameters"]),
      run: async (args, { callId }) => {
        const call = { id: callId, name, args };
        return fromParts(await Reflect.apply(callable["callTool"] as Method, callable, [[call]]));
      },
    });
  });
}

function fromParts(parts: unknown): ReturnType<typeof answerOf> {
  const list = Array.isArray(parts) ? parts.filter(isRecord) : [];
  const responses = list.map((part) => part["functionResponse"]).filter(isRecord);
  const media = list.flatMap((part) => {
    const inline = isRecord(part["inlineData"]) ? readBlock({ type: "media", ...part["inlineData"] }) : null;
    return inline === null ? [] : [inline];
  });
  const [first] = responses;
  const response = first?.["response"];
  if (isRecord(response) && response["error"] !== undefined) return failureOf(response["error"]);
  const value = isRecord(response) && "output" in response ? response["output"] : response;
  return media.length === 0 ? answerOf(value === undefined ? list : value) : fromBlocks(media, value);
}

function failureOf(error: unknown): ReturnType<typeof answerOf> {
  return { error: typeof error === "string" && error !== "" ? error : (JSON.stringify(error) ?? "failed") };
}
