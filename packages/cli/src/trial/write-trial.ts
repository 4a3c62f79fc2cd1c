import type { Shell } from "../process/shell.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { writeTable, type Column } from "../screen/table.ts";
import type { TriedTool } from "./mount-process.ts";
import type { Trial } from "./try-new.ts";
import { describeRuns } from "./run-place.ts";

/**
 * Writes the results of a trial: each tool with whether it asks and what it costs, where calls run, and what their border denies.
 */
export async function writeTrial({ tools, missing, run }: Trial, shell: Shell): Promise<void> {
  const { out } = shell;
  for (const { message } of missing)
    out.line(out.paint("yellow", `  ⚠ not tried: ${printable(message)}; set it, then run toolmount check`));
  if (tools.length > 0) {
    writeTable(out, columnsOf(shell), tools);
    const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
    out.line(`  ${countOf(tools, "tool")}, ${tokens} tokens in each request that offers all of them`);
  }
  const calls = await describeRuns([{ run }], shell);
  const [place, denied] = [calls.place({ run }, []), calls.denied({ run })];
  if (place !== undefined) out.line(printable(`  calls run ${place}`));
  if (denied !== undefined)
    out.line(printable(`  the border denies: ${denied}; run: in the plan's entry allows more`));
}

function columnsOf({ out }: Shell): readonly Column<TriedTool>[] {
  return [
    { title: "tool", cell: ({ name }) => `  ${out.paint("bold", printable(name))}` },
    { title: "kind", cell: ({ category = "unclassified" }) => category },
    { title: "consequence", cell: ({ consequence = "unknown" }) => consequence },
    { title: "question", cell: ({ asks }) => askWord(asks) },
    { title: "tokens", cell: ({ tokens }) => String(tokens).padStart(6) },
  ];
}

function askWord(asks: TriedTool["asks"]): string {
  if (asks === "dynamic") return "asks, by its arguments";
  return asks ? "asks" : "does not ask";
}
