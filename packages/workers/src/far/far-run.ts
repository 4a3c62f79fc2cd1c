import {
  createRunnerContext,
  systemClock,
  ToolError,
  type CallRequest,
  type Json,
  type Logger,
  type Progress,
  type SessionState,
  type StagedEffects,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { ContractBreach, loggedOf, ProgressPace } from "@toolmount/core/internal";
import type { FarMessage } from "./far-message.ts";
import { maxMessageBytes, type HostMessage } from "./messages.ts";
import { returnedJson, thrownJson } from "./to-json.ts";

type Send = (message: FarMessage) => void;
type RunRequest = Extract<HostMessage, { type: "run" }>;

/** Services of the host for a tool. */
interface FarHost {
  /** Makes a call of another tool, which the tool of this run asks for. */
  call(runId: string, request: CallRequest): Promise<ToolOutcome>;
  /**
   * Lets the host store the change that the tool is about to make, with the data for its undo or the reason why it cannot be
   * undone. Absent if no host stores changes.
   */
  readonly keep?: (runId: string, kept: Kept) => Promise<void>;
  /** Returns the effects that earlier previews of a rehearsal have staged in this process. Throws if they are lost. */
  stage?(rehearsalId: string, which: "first" | "again"): StagedEffects;
}

/** What a tool passes to `undoable` or to `irreversible`. */
export type Kept =
  | { readonly type: "keep"; readonly data: Json }
  | { readonly type: "keep-irreversible"; readonly reason: string };

/** Runs one call of a tool and sends its end. */
export async function runFar(
  tool: ToolDefinition,
  request: RunRequest,
  signal: AbortSignal,
  send: Send,
  host: FarHost,
): Promise<void> {
  const { runId } = request;
  const pace = new ProgressPace(systemClock, ({ progress, total, message }) => {
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    send({ type: "progress", runId, progress: { progress, ...more } });
  });
  const end = await endOf(tool, request, () => createContext(request, signal, send, host, pace));
  pace.flush();
  send(end);
}

async function endOf(
  tool: ToolDefinition,
  { runId, arguments: given, instead }: RunRequest,
  open: () => ToolContext,
): Promise<FarMessage> {
  try {
    const context = open();
    if (instead !== undefined && "preview" in instead) {
      const { effects, result } = await tool.preview!(given, context);
      return { type: "returned", runId, value: returnedJson({ effects, result: returnedJson(result) }) };
    }
    const work = instead === undefined ? tool.execute(given, context) : tool.undo!(instead.undo, context);
    return { type: "returned", runId, value: returnedJson(await work) };
  } catch (thrown) {
    return { type: "threw", runId, thrown: thrownJson(thrown) };
  }
}

/** Returns a message as text. An answer that is too large is replaced by a breach of the contract. */
export function messageText(message: FarMessage): string {
  const text = JSON.stringify(message);
  const breach = breachOfSize(message, text);
  return breach === undefined ? text : JSON.stringify(breach);
}

/** Returns the message that is sent instead of an answer that is too large; undefined for any other message. */
export function breachOfSize(
  message: FarMessage,
  text: string,
): Extract<FarMessage, { type: "threw" }> | undefined {
  // A character has at most three bytes in UTF-8.
  if (message.type !== "returned" || text.length * 3 <= maxMessageBytes) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxMessageBytes) return undefined;
  const breach = new ContractBreach(
    `its answer has ${bytes} bytes, and a process may send ${maxMessageBytes}`,
  );
  return { type: "threw", runId: message.runId, thrown: thrownJson(breach) };
}

function createContext(
  { runId, info, state, keeps, staged, withheld = [] }: RunRequest,
  signal: AbortSignal,
  send: Send,
  host: FarHost,
  pace: ProgressPace,
) {
  const keep = keeps === true ? host.keep : undefined;
  const rehearsal = staged === undefined ? undefined : host.stage?.(info.rehearsalId!, staged);
  const context: ToolContext = createRunnerContext(info, {
    abortSignal: signal,
    logger: createLogger(runId, {}, send),
    progress: (report: Progress) => {
      // JSON has no infinite numbers and no NaN.
      if (Number.isFinite(report.progress)) pace.report({ ...report });
    },
    call: (request) => host.call(runId, request),
    session: createState(runId, state, send),
    ...(keep !== undefined && {
      undoable: (data: Json) =>
        keep(runId, { type: "keep", data: (returnedJson({ data }) as { data: Json }).data }),
      irreversible: (reason: string) => keep(runId, { type: "keep-irreversible", reason: String(reason) }),
    }),
    ...(rehearsal !== undefined && { rehearsal }),
  });
  return withhold(context, withheld);
}

/** Makes a tool fail if it reads a member that only the host has, because without the member it would do something else. */
function withhold(context: ToolContext, names: readonly string[]): ToolContext {
  for (const name of names)
    Object.defineProperty(context, name, {
      get: () => {
        throw new ToolError(
          `context.${name} is made by another module in the host, and does not reach the process of this tool; a plan that trusts the tool says run: { in: inline }`,
        );
      },
    });
  return context;
}

/** Makes the session's state as it was when the call began. The call's own changes are applied to it and sent to the host. */
function createState(runId: string, values: Readonly<Record<string, Json>>, send: Send): SessionState {
  const state = new Map(Object.entries(values));
  return {
    get: (key) => state.get(key),
    set(key, value) {
      const copy = returnedJson({ value }) as { value: Json };
      state.set(key, copy.value);
      send({ type: "set", runId, key, value: copy.value });
    },
    delete(key) {
      send({ type: "delete", runId, key });
      return state.delete(key);
    },
  };
}

function createLogger(runId: string, bindings: Readonly<Record<string, unknown>>, send: Send): Logger {
  const write =
    (level: "trace" | "debug" | "info" | "warn" | "error") => (given: object | string, message?: string) => {
      const [fields, text] = loggedOf(given, message);
      send({
        type: "log",
        runId,
        level,
        fields: { ...bindings, ...readable(fields) },
        ...(text !== undefined && { message: text }),
      });
    };
  return {
    trace: write("trace"),
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (more) => createLogger(runId, { ...bindings, ...readable(more) }, send),
  };
}

/** Returns the fields of a log as JSON; an error becomes its name, message and stack. */
function readable(fields: object): Record<string, unknown> {
  const show = (value: unknown): unknown =>
    value instanceof Error ? { type: value.name, message: messageOf(value), stack: value.stack } : value;
  try {
    const members = Object.entries(fields instanceof Error ? { err: fields } : fields); // pino does the same
    const shown = Object.fromEntries(members.map(([key, value]) => [key, show(value)]));
    return JSON.parse(JSON.stringify(shown)) as Record<string, unknown>;
  } catch {
    return { unreadable: true };
  }
}
