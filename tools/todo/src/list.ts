import type { SessionState } from "@toolmount/core";
import { z } from "zod";

/** Key of the list in a session's state. */
const key = "todo.items";

/** Message for an item without a required field. */
const missing = "missing required fields (content, status, activeForm)";

const statuses = ["pending", "in_progress", "completed"] as const;

function text(description: string) {
  return z
    .string({ error: ({ path }) => `Todo ${placeOf(path)} ${missing}` })
    .regex(/\S/, { error: ({ path }) => `Todo ${placeOf(path)} ${missing}` })
    .max(1000)
    .describe(description);
}

function placeOf(path: readonly PropertyKey[] | undefined): string {
  return String(path?.find((part) => typeof part === "number") ?? "");
}

/** Returns an invalid value as a short text for a message. */
export function shown(given: unknown): string {
  return (typeof given === "string" ? given : (JSON.stringify(given) ?? "")).slice(0, 100);
}

/** Checks one item of the list of tasks. */
export const todo = z.strictObject({
  content: text("What is to be done, as an order: Run the tests"),
  activeForm: text("The same while it is being done: Running the tests"),
  status: z
    .enum(statuses, {
      error: ({ input, path }) =>
        `Todo ${placeOf(path)} ${input === undefined ? missing : `has invalid status: ${shown(input)}`}`,
    })
    .describe("Where it stands; at most one should be in_progress"),
});

export type Todo = z.output<typeof todo>;

const kept = z.array(todo).catch([]);

/** Returns the list of the session. It is empty if the session has stored no list or an invalid one. */
export function readList(session: SessionState): Todo[] {
  return kept.parse(session.get(key) ?? []);
}

/** Replaces the session's list. */
export function writeList(session: SessionState, todos: readonly Todo[]): void {
  session.set(key, [...todos]);
}

/** Returns the number of items with each status. */
export function countTodos(todos: readonly Todo[]): Record<Todo["status"], number> {
  const count = (status: Todo["status"]) => todos.filter((each) => each.status === status).length;
  return { pending: count("pending"), in_progress: count("in_progress"), completed: count("completed") };
}
