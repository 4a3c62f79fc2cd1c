import { z } from "zod";

/** The extension by which a client and a server of 2026 agree on tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Statuses that are final. */
const ended = ["completed", "failed", "cancelled"] as const;

/** Reads a task as its server describes it, in the form of 2025-11-25 or of the extension. */
export const task = z.looseObject({
  taskId: z.string(),
  status: z.enum(["working", "input_required", ...ended]),
  statusMessage: z.string().optional(),
  pollInterval: z.number().optional(),
  pollIntervalMs: z.number().optional(),
  /** The extension only: what the server asks the client. */
  inputRequests: z.record(z.string(), z.unknown()).optional(),
  /** The extension only: the result, or the error, of a task that has ended. */
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

export type Task = z.output<typeof task>;

export function isEnded({ status }: Pick<Task, "status">): boolean {
  return ended.some((state) => state === status);
}
