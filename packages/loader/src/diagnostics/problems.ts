import { coverHidden } from "@toolmount/core/text";
import { errorMessage, ToolmountError, type ErrorCode, type ErrorDetails } from "@toolmount/core/errors";
import { codeFrame } from "./code-frame.ts";
import { findPlace, showPath, type Path, type Place, type PlanMap } from "./positions.ts";
import { positionAt } from "./source-text.ts";
import { isVariable } from "./typed-variables.ts";

/** A problem of a plan, with its place and how to correct it. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  /** The path inside the plan, e.g. `tools[0].config.root`. */
  readonly path?: string;
  readonly file?: string;
  /** The line of the problem, from 1. */
  readonly line?: number;
  /** The column of the problem in UTF-16 units, from 1. */
  readonly column?: number;
  /** The lines of the plan around the problem, with a caret below it. */
  readonly frame?: string;
  /** A suggestion how to correct it. */
  readonly hint?: string;
  /** The details of the error code. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** How many problems an error lists. The others are only counted. */
const maxListed = 100;

/** Maximum number of characters of a problem's message, and of each text in its details. */
const maxMessage = 1000;

/** Maximum number of characters of the text about all problems. */
const maxReport = 20_000;

interface ProblemPlace {
  readonly path?: Path | undefined;
  readonly place?: Place | undefined;
  readonly hint?: string | undefined;
}

export function makeProblem<Code extends ErrorCode>(
  code: Code,
  details: ErrorDetails<Code>,
  { path, place, hint }: ProblemPlace = {},
): Problem {
  const position = place && positionAt(place.text, place.offset);
  return {
    code,
    message: coverHidden(errorMessage(code, details).slice(0, maxMessage)),
    ...(path !== undefined && path.length > 0 && { path: showPath(path) }),
    ...(place && position && { ...position, frame: codeFrame(place.text, position) }),
    ...(hint !== undefined && { hint }),
    details: Object.fromEntries(Object.entries(details).map(([key, value]) => [key, shorten(value)])),
  };
}

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, maxListed).map(shorten);
  return typeof value === "string" ? value.slice(0, maxMessage) : value;
}

/**
 * Returns a function that masks secrets in the message, hint and details of a problem. The frame is not masked, because it shows
 * the plan as written, with variables instead of their values.
 */
export function maskProblem(mask: (text: string) => string): (problem: Problem) => Problem {
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") return mask(value);
    return Array.isArray(value) ? value.map(hide) : value;
  };
  return ({ details = {}, hint, ...problem }) => ({
    ...problem,
    message: mask(problem.message),
    ...(hint !== undefined && { hint: mask(hint) }),
    details: Object.fromEntries(Object.entries(details).map(([key, value]) => [key, hide(value)])),
  });
}

export interface Reporter {
  readonly problems: Problem[];
  readonly report: <Code extends ErrorCode>(
    code: Code,
    details: ErrorDetails<Code>,
    at: {
      readonly path: Path;
      readonly part?: "key" | "value" | undefined;
      readonly hint?: string | undefined;
    },
  ) => Problem;
  /** Tests whether the text at a path of the plan consists of one variable and nothing else. */
  readonly isVariable: (path: Path) => boolean;
}

export function createReporter(map: PlanMap): Reporter {
  const problems: Problem[] = [];
  return {
    problems,
    isVariable: (path) => isVariable(map, path),
    report(code, details, { path, part, hint }) {
      const problem = makeProblem(code, details, { path, place: findPlace(map, path, part), hint });
      problems.push(problem);
      return problem;
    },
  };
}

/** Creates the error of a plan that cannot be mounted: `PLAN_INVALID`, with its problems in the order of the plan. */
export function planError(
  problems: readonly Problem[],
  options?: { cause?: unknown },
): ToolmountError<"PLAN_INVALID"> {
  const sorted = problems.toSorted(byPlace);
  const listed = sorted.slice(0, maxListed);
  const [first] = listed;
  return new ToolmountError(
    "PLAN_INVALID",
    {
      count: sorted.length,
      problems: listed,
      report: formatProblems(sorted),
      ...(first?.file !== undefined && {
        file: first.file,
        line: first.line ?? 1,
        column: first.column ?? 1,
      }),
    },
    options,
  );
}

/**
 * Formats problems as text for people: for each its code, message, place, frame and hint. Problems beyond `maxReport` characters
 * are only counted.
 */
function formatProblems(problems: readonly Problem[]): string {
  const blocks: string[] = [];
  let length = 0;
  for (const problem of problems.slice(0, maxListed)) {
    const block = formatProblem(problem);
    length += block.length;
    if (blocks.length > 0 && length > maxReport) break;
    blocks.push(block);
  }
  const more = problems.length - blocks.length;
  return [...blocks, ...(more > 0 ? [`and ${more} more`] : [])].join("\n\n");
}

function formatProblem({ code, message, path, file, line, column, frame, hint }: Problem): string {
  const place =
    file === undefined ? path : `${file}:${line}:${column}${path === undefined ? "" : ` (${path})`}`;
  return [`${code}: ${message}`, place && `  at ${place}`, frame && indent(frame), hint && `  hint: ${hint}`]
    .filter(Boolean)
    .join("\n");
}

function indent(frame: string): string {
  return frame.replaceAll(/^/gm, "  ");
}

export function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return (a.file ?? "") < (b.file ?? "") ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
