/** A tool of a trial. Its effect is a line of the ledger, which its own process writes and flushes. */
export interface TrialTool {
  readonly name: string;
  readonly description: string;
  /** The arguments, as JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether a person has to approve each call. */
  readonly asks: boolean;
  /** Does the work, with the arguments as the host gives them. Returns what the model reads. */
  readonly run: (args: unknown) => Promise<unknown>;
  /** Undoes what one run with these arguments did; absent where that cannot be. The ledger has it as `undo`. */
  readonly undo?: (args: unknown) => Promise<unknown>;
}

/** A question that waits for a person. */
export interface Question {
  /** How an answer names it. */
  readonly id: string;
  readonly tool: string;
  /** The arguments, as the person sees them: a value, or JSON text. */
  readonly arguments: unknown;
}

/** What a person says to one question. */
export interface Answer {
  readonly question: string;
  readonly approve: boolean;
  /** Other arguments, for a host that lets people change them. */
  readonly arguments?: unknown;
  /** `stranger`: a person whom the host knows, and who may not answer. Only of hosts that know `people`. */
  readonly by?: "stranger";
}

/** A call that a person's list has. */
export interface ListedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Where a thread stands after a message or an answer. */
export interface Turn {
  /** `done`: the model has answered. `waits`: questions are open. `refused`: the host took nothing of it, and says why. */
  readonly status: "done" | "waits" | "refused";
  readonly questions: readonly Question[];
  /** The last text of the model, or why the host refused. */
  readonly text: string;
}

/** A host that is open in one process. */
export interface OpenHost {
  /** A message of the user in a thread. Resolves when the turn has ended, or waits. */
  say(thread: string, message: string): Promise<Turn>;
  /** Answers to questions of a thread, and the turn that follows. */
  answer(thread: string, answers: readonly Answer[]): Promise<Turn>;
  /** Continues a turn that the end of its process cut. Only of hosts that can `crash`. */
  resume?(thread: string): Promise<Turn>;
  /** Ends the turn that a thread is in, as soon as it can. Only of hosts that can `cancel`. */
  cancel?(thread: string): Promise<void>;
  /** Revokes the questions of a thread: its turn ends. Only of hosts that can `withdraw`. */
  withdraw?(thread: string): Promise<void>;
  /** Undoes what the calls of a thread changed, the last one first. Only of hosts that can `undo`. */
  undo?(thread: string): Promise<void>;
  /** Asks one question for several calls, which run in this order after its answer. Only of hosts that can `lists`. */
  list?(thread: string, calls: readonly ListedCall[]): Promise<Question>;
  /** The questions of a thread that are open, for a process that did not ask them. */
  open(thread: string): Promise<readonly Question[]>;
}

/** What an adapter may use. */
export interface TrialWorld {
  /** A folder in which the host keeps what must outlive its process. */
  readonly folder: string;
  readonly tools: readonly TrialTool[];
  /** An OpenAI Chat Completions server, with `/v1` at its end. Any key is right, and any model's name. */
  readonly modelUrl: string;
  /** Most requests to the model in one turn. Only for hosts that can `limit`. */
  readonly mostRequests: number;
}

/** How a model hands a task to the sub-agent of a host, which has the same tools. */
export interface Delegation {
  readonly tool: string;
  /** The argument that takes the task. */
  readonly task: string;
  /** What the call needs beside it. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** What a host can do at all. A row that needs more is not tried, and is shown as a dash. */
export type Ability =
  /** A thread that waits can be resumed by another process. */
  | "resume"
  /** A person may change the arguments of a call. */
  | "edit"
  /** A turn that was cut by a death is resumed, and what a call did is known or reported. */
  | "crash"
  /** A turn that runs can be ended. */
  | "cancel"
  /** A question can be revoked. */
  | "withdraw"
  /** A turn has at most so many requests to the model, and an answer does not begin the count again. */
  | "limit"
  /** What calls changed can be undone. */
  | "undo"
  /** Several calls can be approved with one answer. */
  | "lists"
  /** The host knows who may answer. */
  | "people"
  /** A model can hand a task to a sub-agent. */
  | "agents";

/** What an adapter's file exports as `adapter`: one host, as its own documentation uses it. */
export interface HostAdapter {
  readonly name: string;
  readonly version: string;
  readonly can: readonly Ability[];
  /** Only of hosts that can `agents`. */
  readonly delegation?: Delegation;
  start(world: TrialWorld): Promise<OpenHost>;
}
