import { ToolmountError } from "../contract/errors.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { ChangingCall } from "../sessions/changes.ts";
import { ownSession } from "./call-state.ts";
import type { Runner } from "../contract/runner.ts";
import type { Call } from "./call.ts";

/** Whether changes are kept: the call has a session, is neither rehearsed nor an undo, and its tool can undo where it runs. */
export function keepsChanges(call: Call): boolean {
  const { given, undo } = call;
  const isReal = undo === null && given.rehearsal === undefined;
  return given.sessionId !== undefined && isReal && undoProblem(call) === null;
}

/** Stores a change of a call before its tool makes it. */
export async function keepChange(call: Call, data: Json): Promise<void> {
  requireRunning(call);
  const kept = frozenCopy(data);
  warn(call, await call.host.changes.keep(call.sessionKey!, changingCall(call), kept));
}

/** Stores that this call cannot be undone, although other calls of its tool can. */
export async function keepIrreversible(call: Call, reason: string): Promise<void> {
  requireRunning(call);
  await call.host.changes.keepIrreversible(call.sessionKey!, changingCall(call), String(reason));
  warn(call, reason);
}

/** Stores that a call which now begins cannot be undone: the tool says so, or its undo cannot run where the tool runs. */
export function announceIrreversible(call: Call): Promise<void> {
  const { name, info } = call.tool!;
  const because = info.irreversible === true ? "" : `: ${undoProblem(call)}`;
  const reason = `what "${name}" does cannot be undone${because}`;
  return call.host.changes.keepIrreversible(call.sessionKey!, changingCall(call), reason);
}

/** Throws `UNAVAILABLE` if the call has ended, because the undo log takes changes only while the call runs. */
function requireRunning({ executing, tool }: Call): void {
  if (!executing) throw new ToolmountError("UNAVAILABLE", { tool: tool!.name, reason: "its call has ended" });
}

function warn(call: Call, reason: string | null): void {
  if (reason === null) return;
  call.warnings = [...(call.warnings ?? []), `this call cannot be undone: ${reason}`];
}

function changingCall(call: Call): ChangingCall {
  const { name, owner, info } = call.tool!;
  const { turnId, userId, causes = [] } = call.given;
  const given = call.arguments as JsonObject;
  const { control } = info;
  return {
    tool: name,
    owner,
    callId: call.callId,
    runId: call.runId,
    ...(turnId !== undefined && { turnId }),
    parents: parentsOf(call),
    causes: causes.map((cause) => ({ ...cause, sessionId: ownSession(userId, cause.sessionId) })),
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
export function undoProblem(call: Call): string | null {
  const { definition, info, runner: name } = call.tool!;
  if (definition.undo === undefined) return "the tool has no undo";
  if (info.execution === "client") return "it runs at the client";
  const runner = runnerOf(call);
  if (runner === null || runner?.undoes === true) return null;
  return `${call.host.runner === null ? `its runner "${name}"` : "the runner of the host"} runs no undo`;
}

/** Says why an undo cannot run: another module has the tool now, or the tool cannot undo any more. Null if it can run. */
export function undoRefusal(call: Call, owner: string): string | null {
  const { owner: now } = call.tool!;
  return now === owner ? undoProblem(call) : `"${owner}" mounted it, and now "${now}" does`;
}

/** Returns the runner of a call's tool: null for this process, undefined when no runner of that name is mounted. */
export function runnerOf({ host, generation, tool }: Call): Runner | null | undefined {
  const { runner: name } = tool!;
  if (host.runner !== null || name === null) return host.runner;
  return generation.points.get("runners")?.get(name) as Runner | undefined;
}
