import { parseExact } from "@toolmount/core/json";
import type { EventData, HookResult } from "@toolmount/core";
import { z } from "zod";
import type { CommandHook } from "./config.ts";
import type { HookEnd } from "./hook-process.ts";

type Dialect = CommandHook["dialect"];

/** Names of the events. Sources: code.claude.com/docs/en/hooks, geminicli.com/docs/hooks/reference. */
const eventNames: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  claude: { "tool:pre": "PreToolUse", "tool:post": "PostToolUse" },
  gemini: { "tool:pre": "BeforeTool", "tool:post": "AfterTool" },
};

/** Writes a call as a hook reads it. Tools and arguments have the names of this host. */
export function writeHookInput(
  dialect: Dialect,
  event: string,
  data: EventData,
  cwd: string | undefined,
): string {
  return JSON.stringify({
    session_id: data["session_id"] ?? "",
    cwd: cwd ?? "",
    hook_event_name: eventNames[dialect][event],
    tool_name: data["tool_name"],
    tool_input: data["tool_input"],
    tool_use_id: data["tool_call_id"],
    timestamp: data["timestamp"],
    ...(event === "tool:post" && { tool_response: data["tool_result"] }),
  });
}

const text = z.string().max(65_536);
const newInput = z.record(z.string(), z.unknown());

/** What a hook may answer, in both dialects. Other members are for other applications, and are ignored. */
const answerSchema = z.object({
  decision: z.enum(["approve", "allow", "block", "deny", "ask"]).optional(),
  reason: text.optional(),
  continue: z.boolean().optional(),
  stopReason: text.optional(),
  systemMessage: text.optional(),
  hookSpecificOutput: z
    .object({
      permissionDecision: z.enum(["allow", "deny", "ask"]).optional(),
      permissionDecisionReason: text.optional(),
      updatedInput: newInput.optional(),
      tool_input: newInput.optional(),
      additionalContext: text.optional(),
    })
    .optional(),
});

/** A gate's answer, or why the hook failed. */
type HookAnswer = { readonly result: HookResult } | { readonly failure: string };

/** Reads the answer of a hook that has ended. */
export function readHookAnswer(end: HookEnd, event: string, data: EventData): HookAnswer {
  if (end.kind === "failed") return { failure: end.problem };
  const { code, stdout, stderr } = end;
  if (code === 2) return { result: refuse(event, stderr.trim() || "a hook denies it") };
  if (code !== 0)
    return { failure: `exit code ${code}${stderr.trim() === "" ? "" : `: ${firstLine(stderr)}`}` };
  // Output that is not JSON is no answer: hooks print it for people.
  if (!stdout.trimStart().startsWith("{")) return { result: { action: "continue" } };
  const parsed = answerSchema.safeParse(parseJson(stdout));
  return parsed.success
    ? readAnswer(parsed.data, event, data)
    : { failure: "its answer is not as hooks answer" };
}

function readAnswer(answer: z.output<typeof answerSchema>, event: string, data: EventData): HookAnswer {
  const { hookSpecificOutput: output = {}, decision, systemMessage } = answer;
  const said = output.permissionDecision ?? decision;
  const reason = output.permissionDecisionReason ?? answer.reason;
  const input = output.updatedInput ?? output.tool_input;
  const message =
    systemMessage === undefined ? {} : { userMessage: systemMessage, userMessageLevel: "warning" as const };
  if (answer.continue === false)
    return { result: refuse(event, answer.stopReason ?? reason ?? "a hook stopped the call") };
  if (said === "deny" || said === "block") return { result: refuse(event, reason ?? "a hook denies it") };
  if (said === "ask" && input !== undefined)
    return { failure: "it asks and changes the arguments; it may do one of the two" };
  if (said === "ask")
    return { result: { action: "ask_user", reason, approvalPrompt: reason ?? "a hook asks", ...message } };
  if (input !== undefined && event === "tool:pre")
    return { result: { action: "modify", data: { ...data, tool_input: input }, ...message } };
  if (output.additionalContext !== undefined)
    return { result: { action: "inject_context", contextInjection: output.additionalContext, ...message } };
  return { result: { action: "continue", ...message } };
}

/** Denies a call before it runs. Afterwards the tool has run, so the model only reads the reason with the result. */
function refuse(event: string, reason: string): HookResult {
  return event === "tool:pre"
    ? { action: "deny", reason }
    : { action: "inject_context", contextInjection: reason, appendToLastToolResult: true };
}

function parseJson(written: string): unknown {
  try {
    // A number that JavaScript would change becomes a text with its digits.
    return parseExact(written);
  } catch {
    return undefined;
  }
}

function firstLine(written: string): string {
  return written.trim().split("\n", 1)[0]!.slice(0, 500);
}
