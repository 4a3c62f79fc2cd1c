import { createHash } from "node:crypto";
import type { CallToolRequest, CallToolResult, RequestOptions, Tool } from "@modelcontextprotocol/client";
import type { Skill } from "@modelcontextprotocol/client/ext/skills";
import { ProtocolError } from "@modelcontextprotocol/client";
import {
  data,
  failure,
  type Json,
  type PartialResult,
  type ToolContext,
  type ToolDefinition,
} from "@toolmount/core";
import { digestOf, withoutUndefined } from "@toolmount/core/json";
import { classify, foldName, type Classification } from "@toolmount/core/modules";
import { messageOf, ToolError } from "@toolmount/core/errors";
import { refusedAtRoot } from "@toolmount/core/schemas";
import { matchesGlob } from "@toolmount/core/text";
import { isServedToItself } from "../wire/chain.ts";
import { withShownTexts } from "../wire/foreign-texts.ts";
import { withOwnNames, withPlainArguments } from "../reading/argument-names.ts";
import { takeNotes, unreadableText } from "../reading/reader.ts";
import { fromMcpResult } from "../wire/result.ts";
import type { ServerSettings } from "./config.ts";
import { causeOf, gone, httpStatusOf, isLost, isUnsent, unanswered } from "./failures.ts";
import { MessageTooLarge } from "../wire/message-size.ts";
import { skillOf, toOffered } from "./skills.ts";
import { withServedLinks } from "./ui.ts";

export interface CallServerOptions extends RequestOptions {
  readonly idempotent: boolean;
  /** The definition as the server listed it. */
  readonly definition: Tool;
  /** The skill to read; undefined for a tool of the server itself. */
  readonly skill?: Skill | undefined;
}

/** Calls a tool of a server for one call of the host. */
export type CallServer = (
  params: CallToolRequest["params"],
  context: ToolContext,
  options: CallServerOptions,
) => Promise<CallToolResult>;

/** Longest name of a mounted tool, in characters, without a prefix of the plan. */
const maxName = 96;

/**
 * Returns the name under which a tool of a server is mounted: its own, with `_` for characters that are not allowed. A name
 * that is too long, or that is taken or differs from a taken one only by case, `-` or `_`, ends in six digits of its hash.
 * `taken` has folded names.
 */
export function mountedName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_") || "tool";
  const isFree = plain.length <= maxName && !taken.has(foldName(plain)) && !(plain in Object.prototype);
  if (isFree) return plain;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 6);
  return `${plain.slice(0, maxName - 7)}_${hash}`;
}

/** Returns a tool of a server as a tool of this host. The host checks arguments and results by its schemas; arguments get plain names. */
export function toDefinition(
  tool: Tool,
  name: string,
  settings: ServerSettings,
  call: CallServer,
): ToolDefinition {
  const { inputSchema, outputSchema, description, title } = tool;
  const args = withPlainArguments(inputSchema);
  const facts = classificationOf(tool, settings);
  const skill = skillOf(tool);
  return {
    name,
    description:
      firstText(description, title, tool.annotations?.title) ??
      `${tool.name} of the MCP server ${settings.name}`,
    schema: args.schema,
    ...(outputSchema !== undefined && { outputSchema: outputSchema }),
    timeout: settings.timeoutMs,
    maxTimeout: settings.maxTimeoutMs,
    origin: "mcp",
    ...facts,
    ...(skill !== undefined && { tags: ["skill"], version: toOffered(skill).digest }),
    execute: (params, context) =>
      callTool(
        { name: tool.name, arguments: withOwnNames(params as Record<string, unknown>, args) },
        context,
        { idempotent: facts.idempotent ?? false, skill, definition: tool },
        call,
        settings,
      ),
  };
}

/** Returns what models and clients get otherwise than the server wrote it, a sentence each. */
export function schemaNotes({ inputSchema }: Tool): readonly string[] {
  const lost = refusedAtRoot(inputSchema);
  const names = [...withPlainArguments(inputSchema).owns];
  return [
    ...names.map(([name, own]) => `its argument ${JSON.stringify(own)} is offered as ${name}`),
    ...(lost.length === 0
      ? []
      : [
          `models and clients from before 2026 get its schema without ${lost.join(" and ")} at its root, because many refuse it there; the host checks the whole`,
        ]),
  ];
}

/**
 * Returns an internal tool that reads something that a server exposes, such as a prompt. Its version is a digest of that item.
 */
export function toInternal(
  { inputSchema, description = "", ...tool }: Tool,
  name: string,
  { timeoutMs, name: server }: ServerSettings,
  run: (params: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<unknown>,
): ToolDefinition {
  return {
    name,
    description,
    schema: inputSchema,
    ...classify("read", { readOnlyHint: true }),
    requiresConfirmation: false,
    status: "internal",
    timeout: timeoutMs,
    origin: "mcp",
    version: `sha256:${digestOf(tool)}`,
    async execute(params, context) {
      try {
        return data<unknown>(await run(params as Readonly<Record<string, unknown>>, context));
      } catch (error) {
        return explainFailure(error, context, server);
      }
    },
  };
}

function firstText(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text.trim() !== "");
}

/** Classifies a tool. What the plan says takes precedence over the name, and the name over the server's hints. */
function classificationOf(tool: Tool, { classify: rules, hints }: ServerSettings): Classification {
  // Reading a skill changes nothing, whatever the skill is called.
  const own =
    skillOf(tool) === undefined
      ? classify(tool.name, hints === "use" ? tool.annotations : undefined)
      : classify("skill", { readOnlyHint: true });
  const rule = Object.entries(rules).find(([glob]) => matchesGlob(glob, tool.name))?.[1];
  if (rule === undefined) return own;
  const { consequence: consequenceLevel, confirm: requiresConfirmation, ...others } = rule;
  return { ...own, ...withoutUndefined({ ...others, consequenceLevel, requiresConfirmation }) };
}

async function callTool(
  params: CallToolRequest["params"],
  context: ToolContext,
  how: Pick<CallServerOptions, "idempotent" | "skill" | "definition">,
  call: CallServer,
  settings: ServerSettings,
): Promise<PartialResult> {
  const { traceparent } = context;
  const withTrace = traceparent === undefined ? params : { ...params, _meta: { traceparent } };
  try {
    const result = await call(withTrace, context, {
      ...how,
      signal: context.abortSignal,
      // The host's own deadline is shorter, so the host ends a slow call, with its own message.
      timeout: Math.min(Math.max(settings.timeoutMs, settings.maxTimeoutMs) * 2, 2 ** 31 - 1),
      onprogress: ({ progress, total, message }) => context.progress({ progress, total, message }),
    });
    return fromServer(withServedLinks(result, settings), settings);
  } catch (error) {
    return explainFailure(error, context, settings.name);
  }
}

/**
 * Turns a server's result into ours. Hidden characters are made visible, unless the plan allows them, so that a person who
 * watches sees what the model reads.
 */
function fromServer(result: CallToolResult, settings: ServerSettings): PartialResult {
  const given = withShownTexts(result, settings);
  const { result: shown, notes } = takeNotes(given);
  const read = fromMcpResult(shown);
  const warnings = given === result || read.error !== undefined ? notes : [...notes, shownWarning];
  return warnings.length === 0 ? read : { ...read, warnings };
}

const shownWarning = "characters that people cannot see are written as code points, such as \\u{202e}";

/** Returns what went wrong between this host and the server, in words for a model. Throws other errors again. */
function explainFailure(error: unknown, { abortSignal }: ToolContext, server: string): PartialResult {
  const text = error instanceof ProtocolError ? unreadableText(error.data) : undefined;
  if (text !== undefined) return unanswered(messageOf(error), { code: "MCP_ANSWER_UNREADABLE", text });
  if (error instanceof ProtocolError)
    return failure(error.message, { code: "MCP_ERROR", details: { code: error.code, ...dataOf(error) } });
  // The host has its own message for a call that was cancelled or took too long.
  if (abortSignal.aborted) return failure("the call was cancelled", { code: "MCP_CANCELLED" });
  if (isServedToItself(error)) throw new ToolError(error.message, { code: error.code });
  const of = `the MCP server "${server}"`;
  if (error instanceof MessageTooLarge)
    return unanswered(`the answer of ${of} was not read: ${error.message}`, {
      code: "MCP_MESSAGE_TOO_LARGE",
    });
  if (isLost(error))
    return unanswered(`the connection to ${of} ended while the call ran`, { code: "MCP_CONNECTION_LOST" });
  const status = httpStatusOf(error);
  const answered = `${of} answered the call with HTTP status ${status}`;
  if (status !== undefined) return unanswered(answered, { code: "MCP_HTTP_STATUS", details: { status } });
  if (isUnsent(error)) throw gone(server, causeOf(error, undefined), error);
  throw error;
}

/** Returns the data that the server sent with an error, as plain JSON. */
function dataOf({ data: given }: ProtocolError): { data?: Json } {
  return given === undefined ? {} : { data: JSON.parse(JSON.stringify(given)) as Json };
}
