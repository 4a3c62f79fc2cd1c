import { signal } from "@preact/signals";
import { ask } from "../api.ts";
import { hostPath, tools } from "../state.ts";
import type { Explanation } from "../shapes.ts";

/** By tool, what happens to its calls: allow, ask, may ask or deny. Absent while it is not known. */
export const verdicts = signal<ReadonlyMap<string, string>>(new Map());

/** Maximum number of tools whose verdicts are loaded, because the server reads the plan again for each of them. */
const maxAsked = 60;

/** Loads the verdicts of tools, one after another. Returns a function that stops this. */
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

/** Returns the strictest answer for a tool: of the policies, or of the tool itself if it asks for confirmation. */
function verdictOf(tool: string, { tools: explained }: Explanation): string {
  const answers = explained.flatMap(({ answers: all }) => all.map(({ answer }) => answer.answer));
  const confirms = tools.value.find(({ name }) => name === tool)?.requiresConfirmation ?? false;
  if (answers.includes("deny")) return "deny";
  if (answers.includes("ask") || confirms === true) return "ask";
  return confirms === "dynamic" ? "may ask" : "allow";
}
