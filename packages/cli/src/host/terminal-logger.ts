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
 * Creates a logger that writes each message of a host, its modules and its tools on a line: by default warnings and errors; with
 * `--verbose` or `--debug` the others, too. `--debug` adds fields and stacks.
 */
export function createTerminalLogger(screen: Screen, verbosity: Verbosity): Logger {
  let last = "";
  const method = (level: Level) => {
    if (!levels[verbosity].includes(level)) return () => {};
    const { text, style } = labels[level];
    return (fields: object, message = "") => {
      const facts = level === "warn" ? factsOf(fields, message) : "";
      const line =
        `${screen.paint(style, text)} ${printable(message)}${facts}${causeOf(fields, message)}`.trimEnd();
      // A command may read a plan twice. Its warnings are then shown once.
      if (line === last && !("run_id" in fields)) return;
      last = line;
      screen.line(line);
      if (verbosity === "debug")
        for (const detail of detailsOf(fields)) screen.line(screen.paint("dim", `  ${detail}`));
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

/**
 * Returns a logger without the loader's warnings about modules that could not be mounted, because the command reports these
 * itself.
 */
export function withoutFailures(logger: Logger): Logger {
  const warn: Logger["warn"] = (fields, message) => {
    if (!("module" in fields && "code" in fields)) logger.warn(fields, message);
  };
  return { ...logger, warn };
}

/** Maximum number of facts that a line shows, and maximum number of characters of a fact. */
const shownFacts = { count: 4, length: 80 };

/**
 * Returns the facts of a warning in brackets: its short text fields, in the order in which they were logged, without ids and
 * texts that the message has.
 */
function factsOf(fields: object, message: string): string {
  const facts = Object.entries(fields).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : value;
    const isShort = typeof text === "string" && text !== "" && text.length <= shownFacts.length;
    return isShort && !/_?[iI]d$/.test(name) && !message.includes(text) ? [`${name}: ${text}`] : [];
  });
  return facts.length === 0 ? "" : printable(` (${facts.slice(0, shownFacts.count).join("; ")})`);
}

interface LoggedError {
  readonly message?: unknown;
  readonly stack?: unknown;
}

/**
 * Returns the message of a logged error, unless the line already contains the message, and the place in the code that threw the
 * error.
 */
function causeOf(fields: object, message: string): string {
  const { err } = fields as { readonly err?: LoggedError };
  const text = typeof err?.message === "string" && !message.includes(err.message) ? ` (${err.message})` : "";
  const place = placeOf(err);
  return printable(`${text}${place === undefined ? "" : ` at ${place}`}`);
}

/** Returns `file:line:column` of the first stack frame that is neither below `node_modules` nor in Node itself. */
function placeOf(error: LoggedError | undefined): string | undefined {
  if (typeof error?.stack !== "string") return undefined;
  const frames = [
    ...error.stack.matchAll(
      /^\s+at (?:async )?(?:[^()\n]* \()?(?:file:\/\/)?(\/[^()\n?]+?)(?:\?[^:()\n]*)?:(\d+):(\d+)\)?$/gm,
    ),
  ];
  const frame = frames.find(([, file]) => !file!.includes("/node_modules/"));
  return frame === undefined ? undefined : frame.slice(1, 4).join(":");
}

function detailsOf({ err, ...fields }: { readonly err?: LoggedError }): string[] {
  const facts =
    Object.keys(fields).length === 0 ? [] : [printable(inspect(fields, { breakLength: Infinity, depth: 4 }))];
  const stack = typeof err?.stack === "string" ? printableLines(err.stack).split("\n") : [];
  return [...facts, ...stack];
}
