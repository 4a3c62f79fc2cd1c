import { isToolmountError, ToolmountError, messageOf } from "@toolmount/core/errors";
import type { Problem } from "@toolmount/loader";
import { isPathError } from "@toolmount/paths";
import { countOf } from "../screen/count.ts";
import { printable, printableLines } from "../screen/printable.ts";
import { writeProblems } from "./problems.ts";
import type { Shell } from "../process/shell.ts";
import { exitCodes, type ExitCode } from "../process/exit-codes.ts";

/** Reports why a command failed: to people on stderr, to programs on stdout. Returns the exit code. */
export function reportFailure(error: unknown, shell: Shell, json: boolean): ExitCode {
  const known = fileError(error) ?? (isToolmountError(error) ? error : internalError(error));
  if (json) shell.out.json({ error: describeFailure(known) });
  else writeFailure(known, shell);
  return exitCodeOfError(known);
}

/** Returns the members that a failure has in the output of `--json`. */
function describeFailure(error: ToolmountError): Readonly<Record<string, unknown>> {
  const problems = problemsOf(error);
  if (problems === undefined)
    return { code: error.code, message: error.message, details: error.details, hint: hintOf(error) };
  return { code: error.code, message: `the mount plan has ${countOf(problems, "problem")}`, problems };
}

/** Returns the problems of a plan that could not be mounted; undefined for other errors. */
export function problemsOf(error: unknown): readonly Problem[] | undefined {
  if (!isToolmountError(error)) return undefined;
  const { problems } = error.details as { readonly problems?: readonly Problem[] };
  return problems;
}

function writeFailure(error: ToolmountError, shell: Shell): void {
  const problems = problemsOf(error);
  if (problems !== undefined) {
    writeProblems(shell.err, problems, shell.cwd);
    return shell.err.line(shell.err.paint("red", `✖ ${countOf(problems, "problem")}`));
  }
  shell.err.line(`${shell.err.paint("red", error.code)} ${printableLines(error.message)}`);
  const hint = hintOf(error);
  if (hint !== undefined) shell.err.line(`  ${shell.err.paint("cyan", "hint:")} ${hint}`);
  const isBug = error.code === "INTERNAL" || shell.settings.verbosity === "debug";
  if (isBug && error.cause instanceof Error)
    shell.err.line(shell.err.paint("dim", printableLines(error.cause.stack ?? "")));
}

/** Returns what to type next after an error; undefined for most codes. */
function hintOf({ code }: ToolmountError): string | undefined {
  return hints.get(code);
}

const hints: ReadonlyMap<string, string> = new Map([
  ["PLAN_NOT_FOUND", "toolmount init writes a plan; --plan names one"],
  [
    "TICKET_INVALID",
    "resume with the --session and --user of the call; toolmount approvals list shows what is pending",
  ],
  ["TOOL_NOT_FOUND", "toolmount list shows the tools"],
]);

/** Errors of a disk that has no room, which the system may report without a path. */
const noRoom: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** SQLITE_CORRUPT and SQLITE_NOTADB; 13 is SQLITE_FULL. Source: SQLite's result codes. */
const broken: ReadonlySet<number> = new Set([11, 26]);

/**
 * Converts an error of the file system, which is the user's to correct and not a bug. Undefined for any other error.
 */
function fileError(error: unknown): ToolmountError | undefined {
  const isOfStore = isToolmountError(error) && error.code === "STORE_FAILED";
  const cause = isOfStore ? error.cause : error;
  const problem = isPathError(cause) ? cause.message : systemProblem(cause);
  if (problem === undefined) return undefined;
  return new ToolmountError("USAGE_INVALID", { problem: `${problem}; ${adviceFor(cause)}` }, { cause });
}

function systemProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code, syscall, path } = cause as NodeJS.ErrnoException;
  if (code === "ERR_SQLITE_ERROR") return `the file of the plan's state: ${cause.message}`;
  if (syscall === undefined || code === undefined) return undefined;
  if ((path === undefined && !noRoom.has(code)) || !code.startsWith("E") || syscall.startsWith("spawn"))
    return undefined;
  const what = cause.message.replace(/^\w+: /, "").replace(/, \w+(?: .*)?$/s, "");
  return `${path === undefined ? "" : `${path}: `}${what} (${syscall}, ${code})`;
}

function adviceFor(cause: unknown): string {
  const {
    code,
    errcode = 0,
    details,
  } = cause as {
    readonly code?: unknown;
    readonly errcode?: number;
    readonly details?: { readonly errno?: unknown };
  };
  if (noRoom.has(details?.errno ?? code) || errcode === 13)
    return "free some space, and run the command again";
  if (broken.has(errcode & 0xff)) return "put a copy of it back, or move it away and begin with new state";
  if (code === "FILE_CHANGED") return "run the command again";
  return "correct its permissions, or name another place";
}

/** Wraps a bug of the command itself. The error keeps its stack. */
function internalError(cause: unknown): ToolmountError {
  const message = messageOf(cause);
  return new ToolmountError("INTERNAL", { message: `toolmount failed: ${printable(message)}` }, { cause });
}

function exitCodeOfError({ code }: ToolmountError): ExitCode {
  if (code === "USAGE_INVALID") return exitCodes.wrongUsage;
  return code.startsWith("PLAN_") ? exitCodes.planInvalid : exitCodes.failed;
}
