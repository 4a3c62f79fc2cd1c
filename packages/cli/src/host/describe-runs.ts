import type { InspectedEntry } from "@toolmount/loader/commands";
import type { Shell } from "../process/shell.ts";
import { findStrictestBorder } from "./machine.ts";

const places: Readonly<Record<string, string>> = { fleet: "on a fleet", server: "at its server" };

type Describe = (entry: Pick<InspectedEntry, "run">) => string | undefined;

/** A border's name, with what it is not. */
function nameOf(border: string): string {
  return border === "permission" ? "permission, which is no wall against hostile code" : border;
}

/** Says where the calls of entries run, and behind which border here. Borders are tried only where the plan needs that. */
export async function describeRuns(entries: readonly InspectedEntry[], shell: Shell): Promise<Describe> {
  const isOpen = entries.some(({ run }) => run?.["border"] === "strictest");
  const strictest = isOpen ? await findStrictestBorder(shell) : undefined;
  return ({ run }) => {
    if (run === undefined) return undefined;
    const place = places[run.in] ?? "in a process";
    const border = run["border"] ?? (run.in === "fleet" ? undefined : "none");
    if (border === undefined) return `${place}, in the workers themselves`;
    if (border === "none") return `${place}, without a border`;
    if (border !== "strictest") return `${place}, behind ${nameOf(border as string)}`;
    return strictest === undefined
      ? `${place}, behind the strictest border, but no border works on this machine`
      : `${place}, behind the strictest border that works on this machine: ${nameOf(strictest)}`;
  };
}
