import { ToolmountError } from "@toolmount/core/errors";
import type { OpenedHost } from "@toolmount/loader";
import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../process/exit-codes.ts";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";

/** The file in which calls are recorded, or from which they are answered. */
export interface TapeOptions {
  readonly record?: string;
  readonly replay?: string;
}

export function addTapeOptions(command: Command): Command {
  return command
    .option("--record <file>", "record the calls in a new file, which only its owner can read")
    .option("--replay <file>", "run no tool; answer calls from a recorded file, and fail when they differ");
}

/** Returns the options of a host that records or replays. Throws `USAGE_INVALID` for both together. */
export function tapeOf({ record, replay }: TapeOptions): TapeOptions {
  if (record !== undefined && replay !== undefined)
    throw new ToolmountError("USAGE_INVALID", { problem: "give --record or --replay, not both" });
  return { ...(record !== undefined && { record }), ...(replay !== undefined && { replay }) };
}

/**
 * Returns the exit code of a finished command. With `--replay`, each difference from the recorded calls is reported on
 * stderr, and makes a successful command fail.
 */
export function exitCodeOfReplay(host: OpenedHost, code: ExitCode, { err }: Shell): ExitCode {
  const differences = host.replayDifferences();
  for (const difference of differences)
    err.line(`${err.paint("red", "replay differs:")} ${printable(difference)}`);
  return differences.length > 0 && code === exitCodes.done ? exitCodes.failed : code;
}
