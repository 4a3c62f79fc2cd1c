import type { Readable, Writable } from "node:stream";
import type { Screen } from "../screen/screen.ts";
import type { CallWatch } from "./watchdog.ts";

/** Exit codes of the command, as scripts see them. */
export const exitCodes = {
  done: 0,
  /** A call or a check failed. */
  failed: 1,
  wrongUsage: 2,
  /** A call is pending; its ticket was printed. */
  pending: 3,
  /** The plan is invalid. */
  planInvalid: 78,
  /** A signal ended the work: 128 and the number of the signal, as shells count. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Signals that abort the work. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const signals: Readonly<Record<EndSignal, { readonly text: string; readonly exitCode: ExitCode }>> = {
  SIGINT: { text: "Ctrl-C", exitCode: exitCodes.interrupted },
  SIGTERM: { text: "the process was asked to end", exitCode: exitCodes.terminated },
  SIGHUP: { text: "the terminal was closed", exitCode: exitCodes.hungUp },
};

/** The reason of an abort that a signal caused: its `cause` is the signal. */
export function interruption(signal: EndSignal): Error {
  return new Error(signals[signal].text, { cause: signal });
}

/** The signal that aborted the work, if one did. */
export function signalOf({ reason }: AbortSignal): EndSignal | undefined {
  const { cause } = (reason ?? {}) as { readonly cause?: unknown };
  return typeof cause === "string" && cause in signals ? (cause as EndSignal) : undefined;
}

/** The exit code of a process that a signal ended. */
export function exitCodeOfSignal(signal: EndSignal): ExitCode {
  return signals[signal].exitCode;
}

/** Whether the whole command has to end, not only one turn: the process was asked to, or its terminal is gone. */
export function isAskedToEnd(signal: AbortSignal): boolean {
  const cause = signalOf(signal);
  return cause === "SIGTERM" || cause === "SIGHUP";
}

/** How much the command logs: warnings and errors; only errors; also what tools and modules log; with stacks. */
export type Verbosity = "normal" | "quiet" | "verbose" | "debug";

/** Global options. The program sets them before it runs a command. */
export interface Settings {
  verbosity: Verbosity;
  /** The plan of `--plan`. */
  plan: string | undefined;
}

/** What surrounds the command: everything it reads from the process, and everything it writes to. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly settings: Settings;
  readonly input: Readable;
  /** Receives answers. */
  readonly out: Screen;
  /** Receives errors, warnings and questions. */
  readonly err: Screen;
  /** Where questions are drawn; undefined when the command does not run at a terminal. */
  readonly terminal: { readonly input: Readable; readonly output: Writable } | undefined;
  /** Ends the process when a call blocks the thread past its deadline. */
  readonly calls: CallWatch;
  /** Opens the place of answers as a stream, for a protocol. Nothing else writes there. */
  openAnswerStream(): Writable;
  /** Sets the exit code. */
  end(code: ExitCode): void;
  /** Runs work that Ctrl-C aborts; a second Ctrl-C ends the process. */
  interruptible<Value>(work: (controller: AbortController) => Promise<Value>): Promise<Value>;
}
