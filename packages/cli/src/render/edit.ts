import type { EditReport } from "../edit/edit-plan.ts";
import type { Shell } from "../process/shell.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { printable } from "../screen/printable.ts";
import { shortPath } from "./problems.ts";

/** Reports an edit of a plan and sets the exit code. With `--json` the report includes `extra`. A dry run has written nothing. */
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

/** A part of a foreign list by its name there, with the reason for its treatment. */
interface Because {
  readonly name: string;
  readonly because: string;
}

/** Prints the parts of a foreign list that were left out, and the variables that it needs. */
export function reportList(left: readonly Because[], variables: readonly Because[], { out }: Shell): void {
  const line = (word: string, what: string, because: string) => {
    out.line(
      `  ${out.paint("yellow", word)} ${printable(what)} ${out.paint("dim", `(${printable(because)})`)}`,
    );
  };
  for (const { name, because } of left) line("left out", name, because);
  for (const { name, because } of variables) line("set", `the environment variable ${name}`, because);
}
