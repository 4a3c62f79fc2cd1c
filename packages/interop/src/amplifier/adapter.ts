import {
  failure,
  ToolmountError,
  type AdapterServices,
  type Json,
  type PartialResult,
  type ToolAdapter,
  type ToolDefinition,
} from "@toolmount/core";
import { findSecrets } from "@toolmount/core/scan";
import { adaptAmplifierModule } from "./module.ts";
import { Stopped, type AmplifierSessions } from "./sessions.ts";
import { approvalFlags } from "../schema/approval-flags.ts";
import { isRecord, readForeignSchema } from "../schema/guards.ts";
import { fromAmplifierResult, type AmplifierReturn } from "./tool-result.ts";

/** A tool in Amplifier's form, without a base class. Its schema is `input_schema`, or what `get_schema()` returns. */
export interface AmplifierTool<Input = never> {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  get_schema?(): Readonly<Record<string, unknown>>;
  execute(input: Input): Promise<AmplifierReturn> | AmplifierReturn;
}

/**
 * Makes the adapter for Amplifier tools, `{ name, description, execute(input) }` with a schema as `input_schema` or from
 * `get_schema()`, and for Amplifier's modules, whose `mount` gets a coordinator with Amplifier's names.
 */
export function createAmplifierAdapter(sessions: AmplifierSessions): ToolAdapter {
  return {
    name: "amplifier",
    recognises: isAmplifierTool,
    adapt: (thing, services) => adapt(thing as AmplifierTool<unknown>, services, sessions),
    adaptModule: (exports) => adaptAmplifierModule(exports, sessions),
  };
}

/**
 * Whether a thing is meant as an Amplifier tool, judged by its members. A tool that lacks a member is refused later, with a
 * message about that member. A thing with `schema` belongs to another contract.
 */
function isAmplifierTool(thing: unknown): boolean {
  if (typeof thing !== "object" || thing === null || Array.isArray(thing)) return false;
  if ("schema" in thing || "ExecuteAsync" in thing) return false;
  return "execute" in thing || "name" in thing;
}

/** Whether a value has the members of the contract's Tool: a name, a description and `execute`. Runs none of its code. */
export function isTool(value: unknown): value is AmplifierTool {
  if (typeof value !== "object" || value === null) return false;
  const { name, description, execute } = value as Partial<Record<keyof AmplifierTool, unknown>>;
  return typeof name === "string" && typeof description === "string" && typeof execute === "function";
}

function adapt(
  tool: AmplifierTool<unknown>,
  { logger }: AdapterServices,
  sessions: AmplifierSessions,
): ToolDefinition {
  const name = readName(tool);
  const description = readDescription(tool, name, logger);
  if (typeof tool.execute !== "function") refuse(name, "it has no execute", "tool_execute");
  return {
    name,
    description,
    schema: schemaOf(tool, name, logger),
    origin: "amplifier",
    ...summary(tool),
    ...approvalFlags(tool),
    ...confirmation(tool),
    failures: { className: name, describe: describeThrown },
    async execute(params, context) {
      const answer = await sessions.within(context, () => tool.execute(structuredClone(params)));
      return answer instanceof Stopped ? answer.toResult() : fromAmplifierResult(name, answer);
    },
  };
}

function readName(tool: AmplifierTool): string {
  const name = readMember(tool, "name", "");
  return typeof name === "string" && name.trim() !== ""
    ? name
    : refuse("", "its name is missing", "tool_name");
}

/** Reads the description. A tool without one is offered by its name alone, because its contract only warns about that. */
function readDescription(tool: AmplifierTool, name: string, logger: AdapterServices["logger"]): string {
  const description = readMember(tool, "description", name);
  if (typeof description === "string" && description.trim() !== "") return description;
  logger.warn({ tool: name }, "a tool has no description: a model sees its name alone");
  return name;
}

function readMember(tool: AmplifierTool, member: "name" | "description", name: string): unknown {
  try {
    return tool[member];
  } catch {
    return refuse(name, `reading its ${member} throws`, `tool_${member}`);
  }
}

function summary(tool: object): { readonly summary?: string } {
  const given = (tool as { summary?: unknown }).summary;
  return typeof given === "string" ? { summary: given } : {};
}

/** Returns `requiresConfirmation` if a tool's metadata says that it needs an approval. Its other metadata is for people. */
function confirmation(tool: object): { readonly requiresConfirmation?: true } {
  const { get_metadata: method } = tool as { get_metadata?: unknown };
  const metadata: unknown = typeof method === "function" ? Reflect.apply(method, tool, []) : tool;
  return isRecord(metadata) && metadata["requires_approval"] === true ? { requiresConfirmation: true } : {};
}

function refuse(tool: string, problem: string, rule: string): never {
  throw new ToolmountError("TOOL_INVALID", { tool: tool.slice(0, 128), problem, rule });
}

function schemaOf(tool: AmplifierTool, name: string, logger: AdapterServices["logger"]) {
  const schema = read(tool, name);
  if (schema === null) return refuse(name, "its schema is not an object", "tool_input_schema");
  if (schema !== undefined && Object.keys(schema).length > 0) return schema;
  logger.warn({ tool: name }, "a tool has no input schema: any object is passed on to it");
  return { type: "object" } as const;
}

function read(tool: AmplifierTool, name: string) {
  try {
    return readForeignSchema(tool);
  } catch {
    return refuse(name, "reading its schema throws", "tool_input_schema");
  }
}

/** Longest message of a thrown error that reaches a model, in characters. */
const maxMessage = 1_000;

/** Returns an error with the message and type of what was thrown. Secrets and paths in `node_modules` are masked. */
function describeThrown(thrown: unknown): PartialResult<never> {
  const type = thrown instanceof Error ? thrown.name : typeof thrown;
  const message = safeMessage(thrown) || type;
  const details: { [key: string]: Json } = { output: null, error: { message, type } };
  return failure(message, { code: "TOOL_FAILED", details });
}

function safeMessage(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : isRecord(thrown) ? "" : String(thrown);
  const [first = ""] = said.split(/\n\s*at /);
  const secrets = findSecrets(first).toSorted((a, b) => b.at - a.at);
  const masked = secrets.reduce(
    (text, { at, length }) => `${text.slice(0, at)}[redacted]${text.slice(at + length)}`,
    first,
  );
  return masked
    .replaceAll(/(?:file:\/\/)?\/[^\s'":]*\/node_modules\/[^\s'")]*/g, "[path]")
    .trim()
    .slice(0, maxMessage);
}
