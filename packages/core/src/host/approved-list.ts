import { data, failure, type ToolReturn } from "../contract/result.ts";
import type { ToolContext } from "../contract/context.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { callOf } from "../call/tool-context.ts";
import type { StandardSchema } from "../contract/standard-schema.ts";
import { isRecord, type Json, type JsonObject } from "../json/json.ts";
import { CallBundle, keyOf, listTool, type ApprovedListArguments } from "../sessions/bundle.ts";
import type { Session } from "../contract/session.ts";
import { randomName } from "../pending/ticket.ts";
import { SessionRehearsal } from "../sessions/rehearsal.ts";
import type { HostState } from "./host-state.ts";

/** Only the host makes these calls; an approver can cut the list, and change nothing else that would count. */
const schema: StandardSchema<ApprovedListArguments> = {
  "~standard": {
    version: 1,
    vendor: "toolmount",
    validate: (value) =>
      isList(value) ? { value } : { issues: [{ message: "this is not a list of calls" }] },
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  },
};

const jsonSchema = {
  type: "object",
  properties: {
    run: { type: "array", items: { type: "object" } },
    calls: { type: "array", items: { type: "object" } },
    harmless: { type: "array", items: { type: "string" } },
    first: { type: "integer", minimum: 1 },
  },
  required: ["run", "calls", "harmless"],
  additionalProperties: false,
};

function isList(value: unknown): value is ApprovedListArguments {
  if (!isRecord(value)) return false;
  const { run, calls, harmless, first, ...others } = value;
  return (
    Object.keys(others).length === 0 &&
    [run, calls].every((list) => Array.isArray(list) && list.every(isNamedCall)) &&
    (calls as readonly { asks?: unknown }[]).every(({ asks }) => areTexts(asks)) &&
    areTexts(harmless) &&
    (first === undefined || (Number.isSafeInteger(first) && (first as number) >= 1))
  );
}

function isNamedCall(value: unknown): boolean {
  return isRecord(value) && typeof value["tool"] === "string" && isRecord(value["arguments"]);
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Mounts the tool in a host that has not needed it before. */
export function mountListTool(host: HostState): void {
  if (host.moduleSet.generation().find(listTool)?.module !== host.ownModule)
    host.ownModule.coordinator.mount("tools", definition);
}

/** A rehearsal of a session's calls, which can make the calls of its list. */
export function createRehearsal(
  host: HostState,
  session: Session,
  makeOwn: Session["call"],
): SessionRehearsal {
  return new SessionRehearsal(
    randomName(),
    (...given) => session.call(...given),
    (list, context) => {
      mountListTool(host);
      return makeOwn({ name: listTool, arguments: list as unknown as JsonObject }, context);
    },
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
  // Its calls have a log: after a death it continues where it was.
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

/** The person who approved this call has approved the listed ones, as far as they are exactly those, and in their order. */
function cover({ calls, harmless, first = calls.length }: ApprovedListArguments, context: ToolContext): void {
  const call = callOf(context);
  const by = call.approval?.approvedBy ?? null;
  if (by === null) return;
  const digest = keyOf(listTool, call.arguments);
  call.given = {
    ...call.given,
    approved: new CallBundle({ digest, by }, calls.slice(0, first), new Set(harmless)),
  };
}

/** Where the calls themselves are called, only the approved ones are. */
function runOf({ run, calls, first = calls.length }: ApprovedListArguments): ApprovedListArguments["run"] {
  const isOfItself = run.length === calls.length && run.every(({ tool }, at) => tool === calls[at]!.tool);
  return isOfItself ? run.slice(0, first) : run;
}
