import type { RunnerJob, ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { lockDigest } from "@toolmount/core/modules";

const known = new WeakMap<ToolInfo, string>();

/** Version of jobs, messages and answers. It must change when older hosts and workers cannot read them any more. */
const protocol = 2;

/**
 * Returns the digest by which a host and a worker compare a tool and the version of their messages. The tool's timeout does not
 * count, because each call brings its own.
 */
export function digestOfTool(info: ToolInfo): string {
  const digest = known.get(info) ?? `${protocol}.${lockDigest({ ...info, timeoutMs: 0 })}`;
  known.set(info, digest);
  return digest;
}

/**
 * Returns the identity by which a host recognises a call that is made again: session, user, call id, tool and arguments. A call
 * without a session has none, because call ids are unique only within a session; a call by another tool has none either.
 */
export function identityOf(
  digest: string,
  { info, arguments: given }: Pick<RunnerJob, "info" | "arguments">,
): string | undefined {
  const { sessionId, userId = null, callId, depth, tool } = info;
  if (sessionId === undefined || depth > 0) return undefined;
  return digestOf({ sessionId, userId, callId, tool, digest, arguments: given });
}

/** Returns the group of workers that have the same tools; the engine delivers to any worker of the group. */
export function groupOf(tools: Readonly<Record<string, string>>): string {
  return digestOf(tools)
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(-16);
}
