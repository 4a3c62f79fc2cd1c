import { inspect } from "node:util";
import type { Logger } from "@toolmount/core";
import type { Verbosity } from "../process/shell.ts";
import { printable, printableLines } from "../screen/printable.ts";
import type { Screen, Style } from "../screen/screen.ts";

type Level = "trace" | "debug" | "info" | "warn" | "error";

const levels: Readonly<Record<Verbosity, readonly Level[]>> = {
  quiet: ["error"],
  normal: ["warn", "error"],
  verbose: ["info", "warn", "error"],
  debug: ["trace", "debug", "info", "warn", "error"],
};

const labels: Readonly<Record<Level, { readonly text: string; readonly style: Style }>> = {
  trace: { text: "trace:", style: "dim" },
  debug: { text: "debug:", style: "dim" },
  info: { text: "info:", style: "cyan" },
  warn: { text: "warning:", style: "yellow" },
  error: { text: "error:", style: "red" },
};

/**
 * Writes what a host, its modules and its tools log, one line each: warnings and errors, and the rest with `--verbose` or
 * `--debug`, which adds fields and stacks.
 */
export function createTerminalLogger(screen: Screen, verbosity: Verbosity): Logger {
  const method = (level: Level) => {
    if (!levels[verbosity].includes(level)) return () => {};
    const { text, style } = labels[level];
    return (fields: object, message = "") => {
      screen.line(`${screen.paint(style, text)} ${printable(message)}${causeOf(fields)}`.trimEnd());
      if (verbosity === "debug")
        for (const line of detailsOf(fields)) screen.line(screen.paint("dim", `  ${line}`));
    };
  };
  const logger: Logger = {
    trace: method("trace"),
    debug: method("debug"),
    info: method("info"),
    warn: method("warn"),
    error: method("error"),
    child: () => logger,
  };
  return logger;
}

function causeOf(fields: object): string {
  const { err } = fields as { readonly err?: unknown };
  return err instanceof Error ? ` (${printable(err.message)})` : "";
}

function detailsOf({ err, ...fields }: { readonly err?: unknown }): string[] {
  const facts =
    Object.keys(fields).length === 0 ? [] : [printable(inspect(fields, { breakLength: Infinity, depth: 4 }))];
  const stack = err instanceof Error ? printableLines(err.stack ?? "").split("\n") : [];
  return [...facts, ...stack];
}
