import type { Readable, Writable } from "node:stream";
import type { Screen } from "../screen/screen.ts";

/** Ends of the command, as scripts see them. */
export const exitCodes = {
  done: 0,
  /** A call or a check failed. */
  failed: 1,
  wrongUsage: 2,
  /** A call waits; its ticket was printed. */
  pending: 3,
  /** The plan is invalid. */
  planInvalid: 78,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Why work was aborted by the process: `cause` is the signal. */
export function interruption(signal: "SIGINT" | "SIGTERM" | "SIGHUP"): Error {
  const text = {
    SIGINT: "Ctrl-C",
    SIGTERM: "the process was asked to end",
    SIGHUP: "the terminal was closed",
  };
  return new Error(text[signal], { cause: signal });
}

/** Whether more than one piece of work is meant to end: the process was asked to, or its terminal is gone. */
export function isAskedToEnd({ reason }: AbortSignal): boolean {
  return reason instanceof Error && (reason.cause === "SIGTERM" || reason.cause === "SIGHUP");
}

/** What surrounds the command: everything it reads from the process, and everything it writes to. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly input: Readable;
  /** Where answers go. */
  readonly out: Screen;
  /** Where errors, warnings and questions go. */
  readonly err: Screen;
  /** Where questions are drawn; undefined when nobody sits at a terminal. */
  readonly terminal: { readonly input: Readable; readonly output: Writable } | undefined;
  /** Says how the command ended. */
  end(code: ExitCode): void;
  /** Runs work that Ctrl-C aborts; a second Ctrl-C ends the process. */
  interruptible<Value>(work: (controller: AbortController) => Promise<Value>): Promise<Value>;
}
