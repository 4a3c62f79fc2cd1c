import { modelFailureText } from "./model-failure-text.ts";
/** The message of every error that toolmount throws or returns in a result, by code. `docs/reference/errors.md` explains each. */
const messages = {
  // Calls
  INVALID_ARGUMENTS: (d: { message: string }) => d.message,
  TOOL_NOT_FOUND: (d: { tool: string; near?: readonly string[] }) =>
    `no tool named "${d.tool}" is mounted${d.near?.length ? `; did you mean ${d.near.map((name) => `"${name}"`).join(" or ")}?` : ""}`,
  DENIED: (d: { tool: string; reason: string }) => `"${d.tool}" was not run: ${d.reason}`,
  APPROVAL_EXPIRED: (d: { tool: string }) =>
    `the approval of "${d.tool}" expired without an answer; call the tool again to ask again`,
  PENDING: (d: { tool: string; waitsFor: "approval" | "client" | "run" }) => {
    if (d.waitsFor === "run") return `waiting for "${d.tool}" to end`;
    return `waiting for ${d.waitsFor === "client" ? "the client to run" : "a person to approve"} "${d.tool}"`;
  },
  CANCELLED: (_: object) => "Request was cancelled",
  TIMED_OUT: (d: { tool: string; timeoutMs: number }) =>
    `"${d.tool}" ran longer than ${d.timeoutMs} ms and was stopped`,
  TOOL_FAILED: (d: { tool: string; message?: string }) => d.message ?? `${d.tool} failed`,
  CONTRACT_VIOLATION: (d: { tool: string; rule: string }) => `"${d.tool}" broke the tool contract: ${d.rule}`,
  OUTPUT_TOO_LARGE: (d: { tool: string; excess: string }) =>
    `"${d.tool}" ran, and its result ${d.excess} and cannot be cut; ask for less`,
  OUTPUT_INVALID: (d: { tool: string; problem: string }) =>
    `the result of "${d.tool}" does not match its output schema: ${d.problem}`,
  UNAVAILABLE: (d: { tool: string; reason: string }) => `"${d.tool}" cannot run now: ${d.reason}`,
  OUTCOME_UNKNOWN: (d: { tool: string }) =>
    `"${d.tool}" was started, and it is not known whether it finished; check its effects before calling it again`,
  UNDO_UNAVAILABLE: (d: { tool: string; reason: string }) => `"${d.tool}" cannot undo its call: ${d.reason}`,
  PROGRAM_DIVERGED: (d: { number: number; tool: string; now: string }) =>
    `it ran again, and its call ${d.number}, "${d.tool}" in the run before, was ${d.now}; nothing ran twice`,
  REHEARSAL_ENDED: (d: { tool: string; reason: string }) =>
    `the rehearsal ends before "${d.tool}": ${d.reason}`,
  DUPLICATE_CALL: (d: { callId: string }) =>
    `a call with the id "${d.callId}" is already running in this session`,
  INTERRUPTED: (d: { tool: string }) => `"${d.tool}" interrupted the run to ask a person`,
  LOCK_DRIFT: (d: { tool: string; isLocked: boolean } | { file: string; change: string }) =>
    "file" in d
      ? `the file "${d.file}" ${d.change}, so nothing of the plan is run`
      : `${d.isLocked ? `the definition of "${d.tool}" differs from` : `"${d.tool}" is not in`} the lock file; review it and accept it with toolmount lock --accept`,
  INTERNAL: (d: { message?: string }) => d.message ?? "the host failed; see its log",
  // Calls that wait
  TICKET_INVALID: (_: object) =>
    "no waiting call of this session has this ticket; check the ticket, the session and the user",
  TICKET_USED: (d: { tool: string }) =>
    `the call of "${d.tool}" has ended, and a ticket resumes its call only once`,
  CLIENT_RESULT_REFUSED: (d: { tool: string; problem: string }) =>
    `the client's result of "${d.tool}" was refused: ${d.problem}`,
  APPROVAL_NOT_FOUND: (_: object) => "no approval has this id; toolmount approvals lists the ids",
  APPROVAL_DECIDED: (d: { tool: string; state: string }) =>
    `the question about "${d.tool}" cannot be decided: it is already ${d.state}`,
  RUN_REFUSED: (d: { tool: string; problem: string }) => `"${d.tool}" cannot be run here: ${d.problem}`,
  /** `away` says that the server of the store cannot be reached now, but perhaps later. */
  STATE_UNAVAILABLE: (d: { where: string; problem: string; away?: boolean }) =>
    `the state store at ${d.where} cannot be opened: ${d.problem}`,
  ENGINE_UNAVAILABLE: (d: { where: string; problem: string; away?: boolean }) =>
    `the engine of a fleet at ${d.where} cannot be opened: ${d.problem}`,
  // Turns of a model
  AGENT_REASONER_MAX_ITERATIONS_EXCEEDED: (d: { maxIterations: number }) =>
    `the model called tools in each of ${d.maxIterations} requests and gave no answer; raise maxIterations, or ask for less`,
  AGENT_BUDGET_EXHAUSTED: (d: { budget: string; limit: number; period?: "day" | "month" }) =>
    `the budget of ${d.limit} ${d.budget} is used up; raise it in the plan, or ${d.period === undefined ? "start a new session" : `wait for the next ${d.period}`}`,
  ANSWER_CUT: (d: { tool: string; reason: string }) =>
    `your answer was cut (${d.reason}) before it was complete, so its call of "${d.tool}" did not run; answer again in smaller steps`,
  AGENT_NOT_FOUND: (d: { agent: string; known: readonly string[] }) =>
    `there is no agent "${d.agent}"; the plan has ${d.known.join(", ") || "no agents"}`,
  PROVIDER_FAILED: modelFailureText,
  SESSION_NOT_FOUND: (d: { session: string }) => `there is no session "${d.session}"`,
  SESSION_UNREADABLE: (d: { session: string; problem: string }) =>
    `the log of the session "${d.session}" cannot be read: ${d.problem}; start a new session`,
  SESSION_CONFLICT: (d: { session: string; problem: string }) =>
    `session "${d.session}" cannot do that now: ${d.problem}`,
  INJECTION_TOO_LARGE: (d: { source: string; bytes: number; maxBytes: number }) =>
    `${d.source} adds ${d.bytes} bytes to the model's context, and at most ${d.maxBytes} are allowed; shorten the text`,
  REPLAY_INVALID: (d: { file: string; problem: string }) => `${d.file} cannot be replayed: ${d.problem}`,
  RECORD_FAILED: (d: { file: string; problem: string }) =>
    `calls cannot be recorded in ${d.file}: ${d.problem}; name a file that does not exist yet`,
  REPLAY_MISMATCH: (d: { problem: string }) =>
    `this call is not as it was recorded: ${d.problem}; record again if the change is intended`,
  STORE_FAILED: (_: object) => "the store failed and confirmed nothing; see the host's log, then try again",
  READ_TOO_LONG: (d: { seconds: number }) => `it took over ${d.seconds} s; ask for less time, or one tool`,
  // Definitions and mounting
  TOOL_INVALID: (d: { tool: string; problem: string }) => `tool "${d.tool}" cannot be mounted: ${d.problem}`,
  TOOL_DUPLICATE: (d: { tool: string; existing: string; owner: string; existingOwner: string }) =>
    d.tool === d.existing
      ? `tool "${d.tool}" is mounted by both ${d.existingOwner} and ${d.owner}; rename one with a prefix or "as", or set override: true`
      : `tool "${d.tool}" of ${d.owner} is too close to "${d.existing}" of ${d.existingOwner}: names may not differ only in case, "-" or "_"`,
  SCHEMA_NOT_JSON: (d: { tool: string; problem: string }) =>
    `the schema of "${d.tool}" does not describe JSON: ${d.problem}; transforms, dates and coercion belong inside execute`,
  MOUNT_POINT_UNKNOWN: (d: { point: string }) =>
    `there is no mount point "${d.point}"; see MountPoints of @toolmount/core`,
  MOUNT_INVALID: (d: { point: string; problem: string }) =>
    `the value cannot be mounted at "${d.point}": ${d.problem}`,
  EVENT_RESERVED: (d: { event: string }) =>
    `the event "${d.event}" is reserved for the host; emit an event with a name of your own`,
  OPTION_INVALID: (d: { option: string; problem: string }) => `option ${d.option}: ${d.problem}`,
  USAGE_INVALID: (d: { problem: string }) => d.problem,
  MODE_UNKNOWN: (d: { mode: string; known: readonly string[] }) =>
    `there is no mode "${d.mode}"; the catalog has ${d.known.join(", ") || "no modes"}`,
  MODES_UNAVAILABLE: (d: { problem: string }) => `the modes cannot be read: ${d.problem}`,
  SIGN_IN_FAILED: (d: { server: string; problem: string }) =>
    `the sign-in to the MCP server "${d.server}" failed: ${d.problem}`,
  SIGN_IN_REFUSED: (d: { server: string; problem: string }) =>
    `the browser came back from a sign-in to the MCP server "${d.server}" that is not waited for: ${d.problem}; begin again on the page of this server`,
  HOST_CLOSED: (_: object) => "the host is closed; open a new one",
  SANDBOX_UNAVAILABLE: (d: { border: string; problem: string }) =>
    `calls cannot run behind the border "${d.border}" here: ${d.problem}; fix that, or choose another border in the plan`,
  EXTENSION_MISSING: (d: { what: string; module: string; install?: string }) =>
    `${d.what} needs ${d.module}, which is not installed${d.install ? `; install it with: ${d.install}` : ""}`,
  OUTPUT_NOT_FOUND: (d: { ref: string }) =>
    `no stored output has the ref "${d.ref}"; it may have been dropped to make room for newer ones`,
  // Plans
  PLAN_NOT_FOUND: (d: { path: string }) => `there is no mount plan at ${d.path}`,
  PLAN_INVALID: (d: { count: number; report?: string }) =>
    `${d.count === 1 ? "the mount plan has a problem" : `the mount plan has ${d.count} problems`}${d.report === undefined ? "" : `\n\n${d.report}\n`}`,
  PLAN_SERVES_ITSELF: (d: { path: string; hosts?: number | undefined }) =>
    d.hosts === undefined
      ? `${d.path} is served to itself: an entry leads to a server of the same plan, directly or through another plan; remove that entry`
      : `${d.path} runs behind ${d.hosts} other hosts, each of which mounts the next: a plan starts itself again and again; remove the entry that starts it`,
  PLAN_SYNTAX: (d: { problem: string }) => d.problem,
  PLAN_TOO_LARGE: (d: { problem: string }) => d.problem,
  PLAN_KEY_UNKNOWN: (d: { key: string; near?: string }) =>
    `unknown key "${d.key}"${d.near === undefined ? "" : `; did you mean "${d.near}"?`}`,
  PLAN_VALUE_INVALID: (d: { problem: string }) => d.problem,
  VARIABLE_MISSING: (d: { variable: string }) =>
    `the environment variable ${d.variable} is not set; set it, or write \${${d.variable}:-a default}`,
  /** `installed` is a package of exactly that name, which a plan can name only with `npm:`. */
  SOURCE_NOT_FOUND: (d: { source: string; tried?: readonly string[]; installed?: string }) =>
    `module "${d.source}" was not found${d.tried?.length ? `; tried ${d.tried.join(", ")}` : ""}`,
  SOURCE_REFUSED: (d: { source: string; problem: string }) => `source "${d.source}" is refused: ${d.problem}`,
  SOURCE_FOREIGN: (d: { source: string; hint: string }) =>
    `source "${d.source}" belongs to another system: ${d.hint}`,
  MODULE_IMPORT_FAILED: (d: { module: string; problem: string; origin?: CodePlace }) =>
    `module "${d.module}" cannot be imported: ${d.problem}${placeOf(d)}`,
  MODULE_INVALID: (d: { module: string; problem: string }) =>
    `module "${d.module}" is not a toolmount module: ${d.problem}`,
  CONTRACT_UNSUPPORTED: (d: { module: string; problem: string }) => `module "${d.module}" ${d.problem}`,
  MODULE_MOUNT_FAILED: (d: { module: string; problem: string; origin?: CodePlace }) =>
    `module "${d.module}" failed to mount: ${d.problem}${placeOf(d)}`,
  INSTALL_FAILED: (d: { problem: string }) => `the plan's packages were not installed: ${d.problem}`,
  CONFIG_INVALID: (d: { module: string; problem: string }) => `config of "${d.module}": ${d.problem}`,
} as const;

/** A place in a module's own code, with the lines around it. */
export interface CodePlace extends PlanPosition {
  readonly frame: string;
}

function placeOf({ origin }: { readonly origin?: CodePlace }): string {
  return origin === undefined ? "" : ` (at ${origin.file}:${origin.line}:${origin.column})`;
}

type Messages = typeof messages;

/** Every code that toolmount itself uses. The codes are stable: none is renamed or used again with another meaning. */
export type ErrorCode = keyof Messages;

/** The details of an error, by code. */
export type ErrorDetails<Code extends ErrorCode> = Parameters<Messages[Code]>[0];

/** All codes, in the order of the table. */
export const errorCodes = Object.keys(messages) as readonly ErrorCode[];

/** A position in a plan. Line and column count from 1. */
export interface PlanPosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the message of an error code with its details. */
export function errorMessage<Code extends ErrorCode>(code: Code, details: ErrorDetails<Code>): string {
  return (messages[code] as (details: ErrorDetails<Code>) => string)(details);
}

/** An error of misuse, or of a plan that cannot be mounted. Read `code` and `details`, not the message. */
export class ToolmountError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "ToolmountError";
  readonly code: Code;
  readonly details: ErrorDetails<Code> & Partial<PlanPosition> & Readonly<Record<string, unknown>>;

  constructor(
    code: Code,
    details: ErrorDetails<Code> & Partial<PlanPosition> & Readonly<Record<string, unknown>>,
    options?: { cause?: unknown },
  ) {
    super(errorMessage(code, details), options);
    this.code = code;
    this.details = details;
  }
}

/** Whether a value is a ToolmountError, of this copy of core or another. */
export function isToolmountError(value: unknown): value is ToolmountError {
  return value instanceof Error && value.name === "ToolmountError" && "code" in value && "details" in value;
}

/** Codes that only the host may put into a result; a tool that returns one breaks the contract. */
export const hostCodes: ReadonlySet<string> = new Set([...errorCodes, "INTERNAL"]);

type Details = Readonly<Record<string, unknown>>;

/** An error whose message is for the model: if `execute` throws it, the message becomes the `error` of the result. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: string | undefined;
  readonly details: Details | undefined;

  constructor(
    message: string,
    options?: { code?: string | undefined; details?: Details | undefined; cause?: unknown },
  ) {
    super(message, { cause: options?.cause });
    this.code = options?.code;
    this.details = options?.details;
  }
}

/** A runner's report that a call ended without an answer of its tool. The outcome takes its code, message and status. */
export class RunnerFailure extends Error {
  override readonly name = "RunnerFailure";
  readonly code: ErrorCode;
  readonly status: "failed" | "invalid" | "timed_out" | "cancelled" | "unknown";
  readonly details: Details | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      status?: RunnerFailure["status"] | undefined;
      details?: Details | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? "failed";
    this.details = options.details;
  }
}

/** Whether a value is a RunnerFailure. It compares names, so that an error from another copy of core counts. */
export function isRunnerFailure(value: unknown): value is RunnerFailure {
  return value instanceof Error && value.name === "RunnerFailure" && "code" in value && "status" in value;
}

/** Returns the message of a thrown value: an error's message, or its name if that is empty; any other value as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}
