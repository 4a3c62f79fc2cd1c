import { ToolmountError, type ToolDefinition } from "@toolmount/core";
import { fromAiSdkTool } from "./ai-sdk.ts";
import { fromLangChainTool } from "./langchain.ts";
import { isParser, isShape } from "../schema/foreign-schema.ts";
import { isRecord, type Members } from "../schema/guards.ts";
import { fromAgentSdkTool, fromAnthropicRunnable } from "./anthropic.ts";
import { fromMastraTool, isMastraTool } from "./mastra.ts";
import { fromOpenAIAgentsTool } from "./openai-agents.ts";
import { fromPlainTool, partsOf } from "./plain.ts";

/** How tools of one library are recognised and converted. */
interface Shape {
  readonly library: string;
  /** Whether the library's tools have their own names; if not, a tool gets the name under which it is exported. */
  readonly isNamed: boolean;
  matches(tool: Members): boolean;
  convert(tool: Members, name: string): ToolDefinition;
}

const isWork = (value: unknown): boolean => typeof value === "function";
const isName = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The libraries, in the order in which they are tried. The last two have only common members, so they come last. */
const shapes: readonly Shape[] = [
  {
    library: "LangChain",
    isNamed: true,
    matches: ({ lc_namespace: space, name, schema, invoke }) =>
      Array.isArray(space) && isName(name) && schema !== undefined && isWork(invoke),
    convert: (tool) => fromLangChainTool(tool as never),
  },
  {
    library: "OpenAI Agents",
    isNamed: true,
    matches: ({ type, name, invoke, parameters }) =>
      type === "function" && isName(name) && isWork(invoke) && parameters !== undefined,
    convert: fromOpenAIAgentsTool,
  },
  {
    library: "OpenAI Agents",
    isNamed: true,
    matches: ({ type, name, providerData }) =>
      type === "hosted_tool" && isName(name) && isRecord(providerData),
    convert: ({ name }) => refuseHosted(String(name), "OpenAI"),
  },
  { library: "Mastra", isNamed: true, matches: isMastraTool, convert: fromMastraTool },
  {
    library: "Anthropic's SDK",
    isNamed: true,
    matches: ({ name, run, input_schema: schema, type }) =>
      isName(name) && isWork(run) && (isRecord(schema) || /_\d{8}$/.test(String(type))),
    convert: fromAnthropicRunnable,
  },
  {
    library: "Anthropic's agent SDK, or another with handlers",
    isNamed: true,
    matches: ({ name, handler, inputSchema, parameters }) =>
      isName(name) && isWork(handler) && (inputSchema ?? parameters ?? null) !== null,
    convert: fromAgentSdkTool,
  },
  {
    library: "a schema with a function",
    isNamed: true,
    matches: (tool) => !isOfContract(tool) && partsOf(tool) !== null,
    convert: (tool) => fromPlainTool(tool, partsOf(tool)!),
  },
  {
    library: "the AI SDK",
    isNamed: false,
    matches: isAiSdkTool,
    convert: (tool, name) => fromAiSdkTool(name, tool),
  },
];

function refuseHosted(tool: string, provider: string): never {
  throw new ToolmountError("TOOL_INVALID", {
    tool,
    problem: `${provider} runs it, not this program; leave it in the program that asks the model`,
  });
}

/** Whether a tool has the form of toolmount's own or of one of the three contracts, whose adapters convert it. */
function isOfContract(tool: Members): boolean {
  const { name, execute, schema, input_schema: own, inputSchema } = tool;
  if (!isName(name) || !isWork(execute)) return false;
  return schema !== undefined || own !== undefined || (isRecord(inputSchema) && !isParser(inputSchema));
}

/**
 * Whether a tool is of the AI SDK: it has no name, but `{ description, inputSchema, execute }`, or `parameters` before version
 * 5.
 */
function isAiSdkTool(tool: Members): boolean {
  const { name, type, id, execute } = tool;
  if (name !== undefined && type !== "provider" && type !== "provider-defined") return false;
  if ((type === "provider" || type === "provider-defined") && typeof id === "string") return true;
  const schema = tool["inputSchema"] ?? tool["parameters"];
  if (isWork(execute)) return isSchema(schema);
  return typeof tool["description"] === "string" && isRecord(schema) && isParser(schema);
}

function isSchema(schema: unknown): boolean {
  if (typeof schema === "function") return true;
  if (!isRecord(schema)) return false;
  return isParser(schema) || schema["type"] === "object" || isRecord(schema["jsonSchema"]) || isShape(schema);
}

/** Returns the library of a tool, and the tool's members; null for a value that is not a tool of a library. */
export function shapeOf(value: unknown): { readonly shape: Shape; readonly members: Members } | null {
  const members = membersOf(value);
  if (members === null) return null;
  try {
    const shape = shapes.find((candidate) => candidate.matches(members));
    return shape === undefined ? null : { shape, members };
  } catch {
    // A member throws when it is read. The adapters of the three contracts report which one.
    return null;
  }
}

/** Returns a value's members. A function has a name in JavaScript, so only members that were added to it count. */
function membersOf(value: unknown): Members | null {
  if (typeof value === "function")
    return Object.keys(value).length === 0 ? null : Object.fromEntries(Object.entries(value));
  return isRecord(value) ? value : null;
}
