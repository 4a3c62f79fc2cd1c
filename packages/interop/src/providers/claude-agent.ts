import { randomUUID } from "node:crypto";
import type { ToolInfo, ToolOutcome } from "@toolmount/core";
import { z } from "zod";
import { outcomeText, sentSchema } from "../schema/definition.ts";
import { isRecord } from "../schema/guards.ts";
import { AgentCalls, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { seenOf } from "./seen-content.ts";

/** A tool of the Claude Agent SDK, for `tools` of `createSdkMcpServer`. */
export interface ClaudeAgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, z.ZodType>;
  readonly handler: (input: unknown, extra: unknown) => Promise<ClaudeAgentResult>;
}

/** A result in the form of an MCP server. */
export interface ClaudeAgentResult {
  readonly [member: string]: unknown;
  readonly content: (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image"; readonly data: string; readonly mimeType: string }
    | {
        readonly type: "resource";
        readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
      }
  )[];
  readonly isError?: boolean;
}

/** Tools of a host for the Claude Agent SDK. */
export interface ClaudeAgentExport {
  readonly tools: ClaudeAgentTool[];
  /** Returns the ids of calls that have begun to wait for a person since these tools were made. */
  waiting(): readonly string[];
  /**
   * Runs the calls that waited. Resolves to the next prompt for the SDK's session, which has their results. Resolves to null if
   * a call still waits, or if none waited.
   */
  resume(): Promise<string | null>;
}

/**
 * Returns tools of a host for the Claude Agent SDK. If the host asks a person about a call, the call ends with a result that
 * says so. After the answer, `resume` runs the call, in any process, and its result is the next prompt of the session (`resume:
 * sessionId`).
 */
export function toClaudeAgentTools(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: AgentContext = {},
): ClaudeAgentExport {
  const calls = new AgentCalls(host, context);
  const waiting = new Set<string>();
  return {
    waiting: () => [...waiting],
    resume: async () => {
      const outcomes = await calls.resumeAll();
      if (outcomes === null) return null;
      for (const { callId } of outcomes) waiting.delete(callId);
      return outcomes.map(sentenceOf).join("\n\n");
    },
    tools: infos.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: shapeOf(sentSchema(inputSchema)),
      handler: async (input, extra) => {
        const id = callIdOf(extra);
        const outcome = await calls.run(
          { id, name, arguments: JSON.stringify(input ?? {}) },
          signalOf(extra),
        );
        if (outcome.status === "pending") waiting.add(id);
        return resultOf(outcome);
      },
    })),
  };
}

function sentenceOf(outcome: ToolOutcome): string {
  return `The call ${outcome.callId} of ${outcome.tool}, which waited for a person, has ended. Its result:\n${outcomeText(outcome)}`;
}

/** Returns the Zod shape that the SDK requires. Its members carry their JSON Schema; only the host checks the arguments. */
function shapeOf({ properties = {}, required = [] }: ToolInfo["inputSchema"]): Record<string, z.ZodType> {
  const members = Object.entries(properties as Readonly<Record<string, object>>);
  return Object.fromEntries(
    members.map(([name, schema]) => {
      const member = z.unknown().meta({ ...schema });
      return [name, (required as readonly string[]).includes(name) ? member : member.optional()];
    }),
  );
}

/** Returns the id of a call, which Claude Code writes into the metadata of its request. */
function callIdOf(extra: unknown): string {
  const meta = isRecord(extra) && isRecord(extra["_meta"]) ? extra["_meta"] : {};
  const id = meta["claudecode/toolUseId"];
  return typeof id === "string" ? id : randomUUID();
}

function signalOf(extra: unknown) {
  const signal = isRecord(extra) ? extra["signal"] : undefined;
  return signal instanceof AbortSignal ? { abortSignal: signal } : {};
}

function resultOf(outcome: ToolOutcome): ClaudeAgentResult {
  const { text, images, files } = seenOf(outcome);
  const shown = [
    ...images.map(({ data, mimeType }) => ({ type: "image" as const, data, mimeType })),
    ...files.map(({ uri, data, mimeType }) => ({
      type: "resource" as const,
      resource: { uri, mimeType, blob: data },
    })),
  ];
  const content = [{ type: "text" as const, text }, ...shown];
  return { content, ...(outcome.status === "ok" ? {} : { isError: true }) };
}
