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

/** A tool as Amplifier writes it; nothing is inherited. Its schema is `input_schema`, or what `get_schema()` returns. */
export interface AmplifierTool<Input = never> {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
  get_schema?(): Readonly<Record<string, unknown>>;
  execute(input: Input): Promise<AmplifierReturn> | AmplifierReturn;
}

/**
 * Renders Amplifier tools: `{ name, description, execute(input) }`, with a schema as `input_schema` or by
 * `get_schema()`, and its modules, whose `mount` gets the coordinator they know.
 */
export function createAmplifierAdapter(sessions: AmplifierSessions): ToolAdapter {
  return {
    name: "amplifier",
    recognises: isAmplifierTool,
    adapt: (thing, services) => adapt(thing as AmplifierTool<unknown>, services, sessions),
    adaptModule: (exports) => adaptAmplifierModule(exports, sessions),
  };
}

/** Structural, as its contract is; one that lacks a part is refused by that part. What has a `schema` is of another contract. */
function isAmplifierTool(thing: unknown): boolean {
  if (typeof thing !== "object" || thing === null || Array.isArray(thing)) return false;
  if ("schema" in thing || "ExecuteAsync" in thing) return false;
  return "execute" in thing || "name" in thing;
}

/** Whether a value has what the contract's Tool has: a name, a description and `execute`. Nothing of it runs. */
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

/** A tool without a description is offered by its name, as its contract only warns of it. */
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

/** Returns what a tool says of its approval; hints are for people. */
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

/** Amplifier shows message and type of a thrown error; paths of the host's code and secrets are not among them. */
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
