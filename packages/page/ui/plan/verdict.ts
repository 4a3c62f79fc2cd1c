import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import { hostPath, tools } from "../state.ts";
import type { Explanation } from "../shapes.ts";

/** What a call of each tool would be answered: allow, ask or deny; absent while it is not known. */
export const verdicts = signal<ReadonlyMap<string, string>>(new Map());

/** The server reads the plan for each tool, so only so many are asked about by themselves. */
const maxAsked = 60;

/** Reads the verdicts of tools, one after another. Returns a function that stops it. */
export function readVerdicts(names: readonly string[]): () => void {
  let isOver = false;
  verdicts.value = new Map();
  void (async () => {
    for (const tool of names.slice(0, maxAsked)) {
      if (isOver) return;
      const found = await ask<Explanation>("POST", `${hostPath.value}/why`, { tool }).catch(() => null);
      if (found !== null && !isOver)
        verdicts.value = new Map([...verdicts.value, [tool, verdictOf(tool, found)]]);
    }
  })();
  return () => {
    isOver = true;
  };
}

/** The strictest answer counts; a tool that asks by itself asks, too. */
function verdictOf(tool: string, { tools: explained }: Explanation): string {
  const answers = explained.flatMap(({ answers: all }) => all.map(({ answer }) => answer.answer));
  const confirms = tools.value.find(({ name }) => name === tool)?.requiresConfirmation ?? false;
  if (answers.includes("deny")) return "deny";
  if (answers.includes("ask") || confirms === true) return "ask";
  return confirms === "dynamic" ? "may ask" : "allow";
}
