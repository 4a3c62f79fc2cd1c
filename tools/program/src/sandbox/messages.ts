// Messages between the host's thread and the sandbox's thread. Values cross only as JSON text.

/** Data that a thread gets when it is opened. */
export interface Opening {
  /** The engine's WebAssembly.Module, compiled once for all threads. */
  readonly compiled: object;
  readonly memoryMb: number;
}

/** The program that a sandbox runs. A sandbox runs only one program, and then its thread ends. */
export interface Start {
  readonly type: "start";
  /** TypeScript or JavaScript: the body of an async function. */
  readonly source: string;
  /** Names of the tools that are members of `tools`. */
  readonly names: readonly string[];
  /** Value of `Date.now()`, in milliseconds since the epoch, and seed of `Math.random()`. If `now` is null, both throw. */
  readonly now: number | null;
  readonly seed: number;
  readonly maxSteps: number;
}

/** The end of a call: its data, or an error that the program can catch. */
export type Answer =
  | { readonly type: "answer"; readonly id: number; readonly data: string }
  | { readonly type: "answer"; readonly id: number; readonly error: string; readonly code: string };

export type ToSandbox = Start | Answer;

/** A call that the program makes, with its arguments as JSON text. */
export interface Request {
  readonly id: number;
  readonly name: string;
  readonly arguments: string;
  /** The line of the program that makes the call, from 1; null if it is not known. */
  readonly line: number | null;
}

/** An error of the program, with the place where it was thrown; lines and columns count from 1. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Why a sandbox ended without the program's own result or error. */
export type Limit = "steps" | "memory" | "stuck" | "result";

export type End =
  | { readonly value: string | null }
  | { readonly thrown: Thrown }
  | ({ readonly limit: Limit } & Pick<Thrown, "line" | "column">);

/** A report that the sandbox has nothing more to compute until an answer comes, or that it has ended. */
export interface Turn {
  readonly type: "turn";
  readonly requests: readonly Request[];
  readonly output: string;
  readonly end: End | null;
}

export type FromSandbox = { readonly type: "ready" } | Turn;

/** Start of the message about a result that is not JSON. */
export const notJson = "the program returned what is no JSON: ";
