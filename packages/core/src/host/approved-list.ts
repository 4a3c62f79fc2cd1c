import { data, failure, type ToolReturn } from "../contract/result.ts";
import type { CallContext, ToolContext } from "../contract/context.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { callOf } from "../call/tool-context.ts";
import type { StandardSchema } from "../contract/standard-schema.ts";
import { canonicalJson } from "../json/canonical.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { CallBundle, grantsOfList, listTool, type ApprovedListArguments } from "../sessions/bundle.ts";
import type { GrantedCall } from "../pending/grant.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import type { Session, SessionCallContext } from "../contract/session.ts";
import { startCall, type CallOrigin } from "../call/pipeline.ts";
import { randomName } from "../pending/ticket.ts";
import { SessionRehearsal } from "../sessions/rehearsal.ts";
import type { HostState } from "./host-state.ts";
import { prepareOwnTool } from "./mount-tool.ts";

/** The schema of a list of calls. Only the host makes these calls, so it checks only what an approver may change: `first`. */
const schema: StandardSchema<ApprovedListArguments> = {
  "~standard": {
    version: 1,
    vendor: "toolmount",
    validate: (value) =>
      isCut(value as ApprovedListArguments)
        ? { value: value as ApprovedListArguments }
        : { issues: [{ message: "first is not a number of its calls" }] },
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  },
};

const jsonSchema = {
  type: "object",
  properties: {
    run: { type: "array", items: { type: "object" } },
    calls: { type: "array", items: { type: "object" } },
    harmless: { type: "array", items: { type: "object" } },
    first: { type: "integer", minimum: 1 },
  },
  required: ["run", "calls", "harmless"],
  additionalProperties: false,
};

function isCut({ calls, first = 1 }: ApprovedListArguments): boolean {
  return Number.isSafeInteger(first) && first >= 1 && first <= Math.max(1, calls.length);
}

/** Whether an approver changed a list in another way than by shortening it. People approve the calls that they read. */
export function isOtherList(
  { first: _, ...edited }: JsonObject,
  { first: __, ...shown }: JsonObject,
): boolean {
  return canonicalJson(edited) !== canonicalJson(shown);
}

/** Returns the host's own tool of a name. It is in no generation, so callers cannot find it by name, and no reload removes it. */
export function ownToolOf(host: HostState, name: string): MountedTool | null {
  return name === listTool ? (host.listTool ??= prepareOwnTool(host, definition)) : null;
}

/** Creates a rehearsal of a session's calls, which can make the calls of its list. `begin` prepares a call of the session. */
export function createRehearsal(
  host: HostState,
  session: Session,
  begin: (given: SessionCallContext) => Promise<{ context: CallContext; origin: CallOrigin }>,
): SessionRehearsal {
  const make = async (list: ApprovedListArguments, given: SessionCallContext = {}) => {
    const { context, origin } = await begin(given);
    const request = { name: listTool, arguments: list as unknown as JsonObject };
    return startCall(host, request, context, { ...origin, own: ownToolOf(host, listTool) });
  };
  const call: Session["call"] = (...given) => session.call(...given);
  return new SessionRehearsal(
    { id: randomName(), sessionId: session.id },
    () => host.clock.now(),
    call,
    make,
  );
}

const definition: ToolDefinition<typeof schema> = {
  name: listTool,
  description:
    "Makes the calls of a rehearsal that a person approved with one answer. Only the host itself calls it.",
  question: "Make all calls of this list, in their order, and no other",
  status: "internal",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
  // The calls of this tool are kept in a log, so that it continues where it was if its process dies.
  repeatable: true,
  timeout: 0,
  schema,
  execute: makeCalls,
};

async function makeCalls(given: ApprovedListArguments, context: ToolContext): Promise<ToolReturn> {
  cover(given, context);
  const made: JsonObject[] = [];
  const todo = runOf(given);
  for (const [at, { tool, arguments: own }] of todo.entries()) {
    const { status, result, runId } = await context.call({ name: tool, arguments: own });
    const { error, code, data: value = null } = result;
    const ended =
      error === undefined ? { data: value as Json } : { error, ...(code !== undefined && { code }) };
    made.push({ tool, runId, status, ...ended });
    if (status !== "ok")
      return failure(`call ${at + 1} of ${todo.length}, "${tool}", ended as ${status}: ${error ?? ""}`, {
        code: "APPROVED_CALL_FAILED",
        details: { made, left: todo.length - made.length },
      });
  }
  return data({ made });
}

/** Lets the listed calls run without questions, if a person approved this call: exactly these calls, and in their order. */
function cover(list: ApprovedListArguments, context: ToolContext): void {
  const call = callOf(context);
  const grant = call.approval?.grant ?? null;
  if (grant === null) return;
  const { calls, harmless } = grantsOfList(list, call.given as GrantedCall, { ...grant, expiresAt: null });
  const { digest, by } = { digest: grant.argumentsDigest ?? "", by: grant.by };
  call.given = {
    ...call.given,
    approved: new CallBundle({ digest, by }, calls.slice(0, list.first), harmless),
  };
}

/** Returns the calls to make: `run`, shortened to the approved calls if it consists of the listed calls themselves. */
function runOf({ run, calls, first = calls.length }: ApprovedListArguments): ApprovedListArguments["run"] {
  const isOfItself = run.length === calls.length && run.every(({ tool }, at) => tool === calls[at]!.tool);
  return isOfItself ? run.slice(0, first) : run;
}
