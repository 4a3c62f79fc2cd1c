import type { Shell } from "./process/shell.ts";

/**
 * Runs a command line that is plain enough to be read without the library of command lines, and answers whether it was:
 * `list [plan] [--json]`. Whatever else a line may say, and every failure, is left to the whole program.
 */
export async function runFastList([command, ...words]: readonly string[], shell: Shell): Promise<boolean> {
  if (command !== "list") return false;
  const plans = words.filter((word) => word !== "--json");
  if (plans.length > 1 || plans.some((word) => word === "" || word.startsWith("-"))) return false;
  const json = words.includes("--json") ? { json: true as const } : {};
  const { list } = await import("./commands/plan/list.ts");
  try {
    shell.end(await list(plans[0], json, shell));
  } catch (error) {
    const { reportFailure } = await import("./render/failure.ts");
    shell.end(reportFailure(error, shell, words.includes("--json")));
  }
  return true;
}
