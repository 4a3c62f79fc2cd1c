import { relative } from "node:path";
import type { Problem } from "@toolmount/loader";
import { printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { wrapped } from "../screen/wrap.ts";

/** Shows every problem of a plan: what is wrong, where, the lines around it, and how to fix it. */
export function writeProblems(screen: Screen, problems: readonly Problem[], cwd: string): void {
  for (const problem of problems) {
    const place = placeOf(problem, cwd);
    const at = place === "" ? "" : ` ${screen.paint("bold", place)}`;
    screen.line(`${screen.paint("red", problem.code)}${at}`);
    screen.line(wrapped(screen, printableLines(sentenceOf(problem)), 2));
    if (problem.frame !== undefined) screen.line(frameText(screen, problem.frame));
    const origin = originOf(problem);
    if (origin !== undefined) {
      screen.line(`  ${printable(`${shortPath(origin.file, cwd)}:${origin.line}:${origin.column}`)}`);
      screen.line(frameText(screen, origin.frame));
    }
    const { hint } = problem;
    if (hint !== undefined)
      screen.line(wrapped(screen, `${screen.paint("cyan", "hint:")} ${printable(hint)}`, 2));
    screen.line();
  }
}

interface Origin {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly frame: string;
}

/** Returns the problem's message without the place in the module's code, which is shown below with its lines of code. */
function sentenceOf(problem: Problem): string {
  const origin = originOf(problem);
  if (origin === undefined) return problem.message;
  return problem.message.replace(` (at ${origin.file}:${origin.line}:${origin.column})`, "");
}

/** Returns the place in the module's code where its error was thrown; undefined if it is not known. */
function originOf({ details }: Pick<Problem, "details">): Origin | undefined {
  return (details as { readonly origin?: Origin } | undefined)?.origin;
}

function placeOf({ file, line, column, path }: Problem, cwd: string): string {
  if (file === undefined) return printable(path ?? "");
  return printable(`${shortPath(file, cwd)}:${line}:${column}`);
}

/** Returns a path relative to the working folder, unless that is longer. */
export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.length < path.length && short !== "" ? short : path;
}

function frameText(screen: Screen, frame: string): string {
  return frame
    .split("\n")
    .map((row) => {
      if (row.startsWith(">")) return `  ${screen.paint("bold", row)}`;
      return /^\s*\|\s*\^$/.test(row) ? `  ${screen.paint("red", row)}` : `  ${screen.paint("dim", row)}`;
    })
    .join("\n");
}
