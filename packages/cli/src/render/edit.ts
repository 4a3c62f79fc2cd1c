import type { EditReport } from "../edit/edit-plan.ts";
import type { Shell } from "../process/shell.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { printable } from "../screen/printable.ts";
import { shortPath } from "./problems.ts";

/**
 * Reports an edit of a plan and sets the exit code. With `json`, the report also has the members of `extra`. `isDryRun` says that
 * nothing was written.
 */
export function reportEdit(
  report: EditReport,
  shell: Shell,
  json: boolean,
  extra: object = {},
  isDryRun = false,
): void {
  const { out } = shell;
  if (json) out.json({ ...report, ...extra });
  else {
    const file = printable(shortPath(report.file, shell.cwd));
    const line = (sign: string, ids: readonly string[], what: string) => {
      if (ids.length > 0) out.line(`${sign} ${file}: ${what} ${ids.map(printable).join(", ")}`);
    };
    line(out.paint("green", "✔"), report.added, isDryRun ? "would get" : "added");
    line(out.paint("green", "✔"), report.removed, "removed");
    line(out.paint("yellow", "•"), report.kept, "has already");
  }
  shell.end(exitCodes.done);
}

/** A part of another application's list, or a variable, with the reason why it is reported. */
interface Because {
  readonly name: string;
  readonly because: string;
}

/** Prints the parts of another application's list that were left out, and the environment variables to set. */
export function reportList(left: readonly Because[], variables: readonly Because[], { out }: Shell): void {
  const line = (word: string, what: string, because: string) => {
    out.line(
      `  ${out.paint("yellow", word)} ${printable(what)} ${out.paint("dim", `(${printable(because)})`)}`,
    );
  };
  for (const { name, because } of left) line("left out", name, because);
  for (const { name, because } of variables) line("set", `the environment variable ${name}`, because);
}
