import { ToolmountError } from "../contract/errors.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { ChangingCall } from "../sessions/changes.ts";
import type { Call } from "./call.ts";

/** Whether the changes of a call are kept: those of a session, whose tool can undo them in this process. */
export function keepsChanges(call: Call): boolean {
  const { given, undo } = call;
  const isReal = undo === null && given.rehearsal === undefined;
  return given.sessionId !== undefined && isReal && undoProblem(call) === null;
}

/** Stores a change of a call before its tool makes it. */
export async function keepChange(call: Call, data: Json): Promise<void> {
  requireRunning(call);
  const kept = frozenCopy(data);
  warn(call, await call.host.changes.keep(call.given.sessionId!, changingCall(call), kept));
}

/** Stores that a call cannot be undone, though others of its tool can. */
export async function keepIrreversible(call: Call, reason: string): Promise<void> {
  requireRunning(call);
  await call.host.changes.keepIrreversible(call.given.sessionId!, changingCall(call), String(reason));
  warn(call, reason);
}

/** Stores that a call begins whose tool says that it is irreversible. */
export function announceIrreversible(call: Call): Promise<void> {
  const reason = `what "${call.tool!.name}" does cannot be undone`;
  return call.host.changes.keepIrreversible(call.given.sessionId!, changingCall(call), reason);
}

/** After its end, a call changes nothing more that could be undone. */
function requireRunning({ executing, tool }: Call): void {
  if (!executing) throw new ToolmountError("UNAVAILABLE", { tool: tool!.name, reason: "its call has ended" });
}

function warn(call: Call, reason: string | null): void {
  if (reason === null) return;
  call.warnings = [...(call.warnings ?? []), `this call cannot be undone: ${reason}`];
}

function changingCall(call: Call): ChangingCall {
  const { name, owner, info } = call.tool!;
  const { turnId } = call.given;
  const given = call.arguments as JsonObject;
  const { control } = info;
  return {
    tool: name,
    owner,
    callId: call.callId,
    runId: call.runId,
    ...(turnId !== undefined && { turnId }),
    parents: parentsOf(call),
    arguments:
      control === undefined
        ? given
        : Object.fromEntries(Object.entries(given).filter(([key]) => control.includes(key))),
  };
}

function parentsOf({ parent }: Call): readonly string[] {
  const runIds: string[] = [];
  for (let call = parent; call !== null; call = call.parent) runIds.push(call.runId);
  return runIds;
}

/** Why the tool of a call cannot undo; null when it can. */
function undoProblem({ tool, host }: Call): string | null {
  if (tool!.definition.undo === undefined) return "the tool has no undo";
  if (tool!.info.execution === "client") return "it runs at the client";
  return tool!.runner !== null || host.runner !== null ? "it runs in another process" : null;
}

/** Why an undo cannot run: its tool is not the one that made the change, or cannot undo any more. Null when it can. */
export function undoRefusal(call: Call, owner: string): string | null {
  const { owner: now } = call.tool!;
  return now === owner ? undoProblem(call) : `"${owner}" mounted it, and now "${now}" does`;
}
