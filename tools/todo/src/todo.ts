import { isDeepStrictEqual } from "node:util";
import {
  changedSince,
  data,
  defineTool,
  failure,
  type PartialResult,
  type Preview,
  type SessionState,
  type ToolContext,
  type UndoRequest,
} from "@toolmount/core";
import { z } from "zod";
import { config, type ParsedSettings, type Settings } from "./config.ts";
import { countTodos, readList, shown, todo, writeList, type Todo } from "./list.ts";
import { changedEvent, type Services } from "./services.ts";
import { todoUsage as usage } from "./todo-usage.ts";

const actions = ["create", "update", "list"] as const;

const schema = z
  .strictObject({
    action: z
      .enum(actions, {
        error: ({ input }) =>
          input === undefined
            ? `action is required. Valid actions: ${actions.join(", ")}`
            : `Unknown action: ${shown(input)}. Valid actions: ${actions.join(", ")}`,
      })
      .describe("create and update replace the whole list, list shows it"),
    todos: z.array(todo).optional().describe("The whole list, in the order of work; for create and update"),
  })
  .refine(({ action, todos }) => action === "list" || todos !== undefined, {
    path: ["todos"],
    error: "todos is required for create and update; an empty list clears it",
  });

/** The data that `todo` returns. */
type TodoAnswer =
  | { readonly status: "created" | "listed"; readonly count: number; readonly todos: readonly Todo[] }
  | ({ readonly status: "updated"; readonly count: number } & Readonly<Record<Todo["status"], number>>);

/** Makes the tool `todo`, which keeps the session's list of tasks. */
export function createTodo(settings: Settings = {}, services: Services = {}) {
  const parsed = config.parse(settings);
  return defineTool({
    name: "todo",
    description:
      "Keeps this session's list of tasks and their status. Use for work of three steps or more, and after each step; not for a single quick step.",
    summary: "Keeps the list of work.",
    usage,
    schema,
    category: "write",
    control: [],
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["todo"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: (change, { session }) => undoList(change, session),
    execute: (params, context) => work(params, context, parsed, services.announce),
    preview: async (params, context): Promise<Preview> => {
      const before = linesOf(readList(context.session));
      const result = await work(params, context, parsed);
      const after = linesOf(readList(context.session));
      const difference = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join("\n");
      return {
        result,
        effects: isDeepStrictEqual(before, after)
          ? []
          : [{ target: "the list of tasks", change: "change", difference }],
      };
    },
  });
}

function linesOf(list: readonly Todo[]): readonly string[] {
  return list.map(({ status, content }) => `${status}: ${content}`);
}

/** Shows or replaces the list of the session or, in a rehearsal, the staged list. */
async function work(
  { action, todos = [] }: z.output<typeof schema>,
  context: ToolContext,
  settings: ParsedSettings,
  announce?: Services["announce"],
): Promise<PartialResult<TodoAnswer>> {
  if (action === "list") {
    const list = readList(context.session);
    return data({ status: "listed", count: list.length, todos: list }, noteOf(context));
  }
  if (todos.length > settings.max_todos) return tooMany(todos, settings);
  await context.undoable?.({ before: readList(context.session), after: todos });
  writeList(context.session, todos);
  const count = todos.length;
  const counts = countTodos(todos);
  announce?.(changedEvent, { action, count, ...counts, ...callFacts(context) });
  return action === "create"
    ? data({ status: "created", count, todos }, noteOf(context))
    : data({ status: "updated", count, ...counts }, noteOf(context));
}

/** The list before and after a call, as it is kept for an undo. */
const kept = z.strictObject({ before: z.array(todo), after: z.array(todo) });

/** Restores the list from before a call, unless the list has changed since the call. */
function undoList({ data: given }: UndoRequest, session: SessionState): PartialResult<{ changed: boolean }> {
  const { before, after } = kept.parse(given);
  const now = JSON.stringify(readList(session));
  if (now === JSON.stringify(before)) return data({ changed: false });
  if (now !== JSON.stringify(after)) return changedSince("the list was changed since");
  writeList(session, before);
  return data({ changed: true });
}

function tooMany(todos: readonly Todo[], { max_todos }: ParsedSettings) {
  return failure(`${todos.length} items are too many: the list may have ${max_todos}`, {
    code: "TOO_MANY_TODOS",
    details: { count: todos.length, max: max_todos },
  });
}

/** Returns a warning for a call without a session, whose list cannot be kept. */
function noteOf({ sessionId }: ToolContext) {
  return sessionId === undefined
    ? { warnings: ["this call belongs to no session: the list is not kept"] }
    : undefined;
}

function callFacts({ tool, callId, runId, sessionId }: ToolContext) {
  return {
    tool_name: tool,
    tool_call_id: callId,
    run_id: runId,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  };
}
