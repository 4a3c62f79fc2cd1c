import type { EventData, Host, Json, Phase, ToolResult, Undo } from "@toolmount/core";
import { lockDigest } from "@toolmount/core/modules";
import { redactArguments, type Redactor } from "@toolmount/core/text";
import type { TapeCall, TapeDecision, TapeResult } from "./tape.ts";

/** The options of a recorder. */
export interface RecordOptions {
  /** Masks secrets in arguments and results before they are written. */
  readonly redact: Redactor;
  /** Receives each call when it ends. Calls may end in another order than they began in, so `order` numbers their beginnings. */
  readonly write: (call: TapeCall) => void;
}

/**
 * Records every call of a host when it ends, however it was made. Returns a function that stops the recording.
 *
 * A call that waits for a person is recorded only after its end. The recorder only observes, and never changes or delays a call.
 */
export function recordCalls(
  host: Pick<Host, "coordinator" | "tools">,
  { redact, write }: RecordOptions,
): Undo {
  const begun = new Map<string, { readonly order: number; readonly decision: TapeDecision }>();
  const digestOf = digestsOf(host);
  let last = 0;
  const begin = (runId: string, decision: TapeDecision) => {
    const known = begun.get(runId);
    // A call that waited has two decisions: the policy's, which was to ask, and the person's answer. The first one is recorded.
    const entry = { order: known?.order ?? (last += 1), decision: known?.decision ?? decision };
    begun.set(runId, entry);
    return entry;
  };
  const end = (data: EventData): void => {
    const { order, decision } = begin(String(data["run_id"]), "none");
    begun.delete(String(data["run_id"]));
    const tool = String(data["tool_name"]);
    write({
      order,
      tool: redact(tool) as string,
      definition: digestOf(tool),
      arguments: redactArguments(data["tool_input"] as Json, redact),
      decision,
      ran: data["phase"] === undefined || phasesOfTools.has(data["phase"]),
      result: redact(
        withoutOrigin(data["tool_result"] as ToolResult) as unknown as Json,
      ) as unknown as TapeResult,
      ...(data["parent_id"] === undefined ? {} : { nested: true }),
    });
  };
  return observe(host, (runId, decision) => void begin(runId, decision), end);
}

const phasesOfTools = new Set<unknown>(["execute", "shape"] satisfies Phase[]);

export function observe(
  { coordinator: { hooks } }: Pick<Host, "coordinator">,
  onDecision: (runId: string, decision: TapeDecision, data: EventData) => void,
  onEnd: (data: EventData) => void,
): Undo {
  const undos = [
    hooks.observe("tool:pre", (_event, data) =>
      onDecision(String(data["run_id"]), data["decision"] as TapeDecision, data),
    ),
    hooks.observe("tool:post", (_event, data) => onEnd(data)),
    hooks.observe("tool:error", (_event, data) => onEnd(data)),
  ];
  return () => {
    for (const undo of undos) undo();
  };
}

/** Returns a function that finds the definition digest of a tool by its offered name; null if no such tool is mounted. */
export function digestsOf(host: Pick<Host, "tools">): (tool: string) => string | null {
  return (tool) => {
    const info = host.tools({ includeDeprecated: true }).find(({ name }) => name === tool);
    return info === undefined ? null : lockDigest(info);
  };
}

/** Returns a result without its time, which always differs, and its tool, which the tape stores separately. */
export function withoutOrigin(result: ToolResult): TapeResult {
  const { tool: _tool, fetchedAt: _time, ...rest } = result;
  return rest;
}
