// What the host's thread and the sandbox's thread say to each other. Values cross as JSON text only.

/** What a thread has from its start. */
export interface Opening {
  /** The engine's WebAssembly.Module, compiled once for all threads. */
  readonly compiled: object;
  readonly memoryMb: number;
}

/** What a sandbox runs: once, then its thread ends. */
export interface Start {
  readonly type: "start";
  /** TypeScript or JavaScript: the body of an async function. */
  readonly source: string;
  /** Names of the tools that are members of `tools`. */
  readonly names: readonly string[];
  /** What `Date.now()` says, in milliseconds since the epoch, and where `Math.random()` begins; null: both throw. */
  readonly now: number | null;
  readonly seed: number;
  readonly maxSteps: number;
}

/** How a call ended: its data, or what the program can catch. */
export type Answer =
  | { readonly type: "answer"; readonly id: number; readonly data: string }
  | { readonly type: "answer"; readonly id: number; readonly error: string; readonly code: string };

export type ToSandbox = Start | Answer;

/** A call that the program makes; its arguments are JSON text. */
export interface Request {
  readonly id: number;
  readonly name: string;
  readonly arguments: string;
  /** The line of the program that makes it, from 1; null where that is not known. */
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

/** The sandbox has nothing more to compute until an answer comes, or has ended. */
export interface Turn {
  readonly type: "turn";
  readonly requests: readonly Request[];
  readonly output: string;
  readonly end: End | null;
}

export type FromSandbox = { readonly type: "ready" } | Turn;

/** How the message begins about a result that is no JSON. */
export const notJson = "the program returned what is no JSON: ";
