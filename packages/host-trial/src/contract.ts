/** A tool of a trial. Its effect is a line in the ledger, which the tool's process writes and flushes. */
export interface TrialTool {
  readonly name: string;
  readonly description: string;
  /** The arguments, as JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether a person has to approve each call. */
  readonly asks: boolean;
  /** Does the work, with the arguments as the host passes them. Resolves to what the model reads. */
  readonly run: (args: unknown) => Promise<unknown>;
  /** Undoes what one run with these arguments did; absent if it cannot be undone. In the ledger it is the tool `undo`. */
  readonly undo?: (args: unknown) => Promise<unknown>;
}

/** A question that waits for a person. */
export interface Question {
  /** The id by which an answer refers to the question. */
  readonly id: string;
  readonly tool: string;
  /** The arguments, as the person sees them: a value, or JSON text. */
  readonly arguments: unknown;
}

/** A person's answer to one question. */
export interface Answer {
  readonly question: string;
  readonly approve: boolean;
  /** Other arguments for the call, for a host that lets people change them. */
  readonly arguments?: unknown;
  /** `stranger` is a person whom the host knows, but who may not answer. Only for hosts with the ability `people`. */
  readonly by?: "stranger";
}

/** A call in a list that a person approves as a whole. */
export interface ListedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The state of a thread after a message or an answer. */
export interface Turn {
  /** `done`: the model has answered. `waits`: questions are open. `refused`: the host accepted nothing, and `text` says why. */
  readonly status: "done" | "waits" | "refused";
  readonly questions: readonly Question[];
  /** The last text of the model, or why the host refused. */
  readonly text: string;
}

/** A host that runs in one process. */
export interface OpenHost {
  /** Sends a message of the user to a thread. Resolves when the turn has ended or waits. */
  say(thread: string, message: string): Promise<Turn>;
  /** Answers questions of a thread. Resolves when the turn that follows has ended or waits. */
  answer(thread: string, answers: readonly Answer[]): Promise<Turn>;
  /** Continues a turn that was cut off when its process ended. Only for hosts with the ability `crash`. */
  resume?(thread: string): Promise<Turn>;
  /** Ends the running turn of a thread as soon as possible. Only for hosts with the ability `cancel`. */
  cancel?(thread: string): Promise<void>;
  /** Revokes the questions of a thread, so that its turn ends. Only for hosts with the ability `withdraw`. */
  withdraw?(thread: string): Promise<void>;
  /** Undoes what the calls of a thread changed, the last call first. Only for hosts with the ability `undo`. */
  undo?(thread: string): Promise<void>;
  /** Asks one question for several calls, which run in this order once approved. Only for hosts with the ability `lists`. */
  list?(thread: string, calls: readonly ListedCall[]): Promise<Question>;
  /** Returns the open questions of a thread, for a process that did not ask them. */
  open(thread: string): Promise<readonly Question[]>;
}

/** What an adapter gets for starting its host. */
export interface TrialWorld {
  /** The folder for everything that must outlive the host's process. */
  readonly folder: string;
  readonly tools: readonly TrialTool[];
  /** The URL of an OpenAI Chat Completions server, which ends with `/v1`. It accepts any key and any model name. */
  readonly modelUrl: string;
  /** Maximum number of requests to the model in one turn. Only for hosts with the ability `limit`. */
  readonly mostRequests: number;
}

/** How a model hands a task to the host's sub-agent, which has the same tools. */
export interface Delegation {
  readonly tool: string;
  /** The name of the argument that takes the task. */
  readonly task: string;
  /** Further arguments that the call needs. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** An ability of a host. A row that needs an ability which the host lacks is not tried, and is shown as a dash. */
export type Ability =
  /** A thread that waits can be resumed by another process. */
  | "resume"
  /** A person may change the arguments of a call. */
  | "edit"
  /** A turn that was cut off by the end of its process can be resumed, and what its call did is known or reported. */
  | "crash"
  /** A running turn can be ended. */
  | "cancel"
  /** A question can be revoked. */
  | "withdraw"
  /** The number of requests to the model in a turn is limited, and an answer does not restart the count. */
  | "limit"
  /** What calls changed can be undone. */
  | "undo"
  /** Several calls can be approved with one answer. */
  | "lists"
  /** The host knows who may answer. */
  | "people"
  /** A model can hand a task to a sub-agent. */
  | "agents";

/** The export `adapter` of an adapter's file: a host, used as its own documentation says. */
export interface HostAdapter {
  readonly name: string;
  readonly version: string;
  readonly can: readonly Ability[];
  /** Only for hosts with the ability `agents`. */
  readonly delegation?: Delegation;
  start(world: TrialWorld): Promise<OpenHost>;
}
