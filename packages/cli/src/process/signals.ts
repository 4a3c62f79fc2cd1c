import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** Signals that abort the work. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const signals: Readonly<Record<EndSignal, { readonly text: string; readonly exitCode: ExitCode }>> = {
  SIGINT: { text: "Ctrl-C", exitCode: exitCodes.interrupted },
  SIGTERM: { text: "the process was asked to end", exitCode: exitCodes.terminated },
  SIGHUP: { text: "the terminal was closed", exitCode: exitCodes.hungUp },
};

/** Creates the reason of an abort that a signal caused. Its `cause` is the signal. */
export function interruption(signal: EndSignal): Error {
  return new Error(signals[signal].text, { cause: signal });
}

/** Returns the signal that aborted the work, if one did. */
export function signalOf({ reason }: AbortSignal): EndSignal | undefined {
  const { cause } = (reason ?? {}) as { readonly cause?: unknown };
  return typeof cause === "string" && cause in signals ? (cause as EndSignal) : undefined;
}

/** Returns the exit code of a process that a signal ended. */
export function exitCodeOfSignal(signal: EndSignal): ExitCode {
  return signals[signal].exitCode;
}

/**
 * Tests whether the signal ends the whole command and not only one turn: the process was asked to end, or its terminal is gone.
 */
export function isAskedToEnd(signal: AbortSignal): boolean {
  const cause = signalOf(signal);
  return cause === "SIGTERM" || cause === "SIGHUP";
}
