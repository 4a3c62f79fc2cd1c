import { relative } from "node:path";
import type { Problem } from "@toolmount/loader";

/** A problem as a line that GitHub Actions shows beside the plan. Source: GitHub's workflow commands. */
export function annotation({ code, message, hint, file, line, column }: Problem, cwd: string): string {
  const place =
    file === undefined ? [] : [`file=${property(relative(cwd, file))}`, `line=${line}`, `col=${column}`];
  const properties = [...place, `title=${property(code)}`].join(",");
  return `::error ${properties}::${data(hint === undefined ? message : `${message}\nhint: ${hint}`)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
