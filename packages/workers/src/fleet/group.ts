import type { RunnerJob, ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { lockDigest } from "@toolmount/core/modules";

const known = new WeakMap<ToolInfo, string>();

/** Another number for jobs, messages or answers that older hosts and workers cannot read. */
const protocol = 2;

/**
 * The digest by which a host and a worker compare a tool, and how they write of it. Its timeout may differ: the call
 * brings its own.
 */
export function digestOfTool(info: ToolInfo): string {
  const digest = known.get(info) ?? `${protocol}.${lockDigest({ ...info, timeoutMs: 0 })}`;
  known.set(info, digest);
  return digest;
}

/**
 * The identity of a call for a host that makes it again: session, user, call id, tool and arguments. A call
 * without a session has none, since call ids are unique in a session only; nor has a call by a tool.
 */
export function identityOf(
  digest: string,
  { info, arguments: given }: Pick<RunnerJob, "info" | "arguments">,
): string | undefined {
  const { sessionId, userId = null, callId, depth, tool } = info;
  if (sessionId === undefined || depth > 0) return undefined;
  return digestOf({ sessionId, userId, callId, tool, digest, arguments: given });
}

/** The same for workers of a queue that have the same tools: the engine delivers to any of them. */
export function groupOf(tools: Readonly<Record<string, string>>): string {
  return digestOf(tools)
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(-16);
}
