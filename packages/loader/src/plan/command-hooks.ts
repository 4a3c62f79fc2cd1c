import type { Json, JsonObject } from "@toolmount/core";
import { plainWords } from "@toolmount/core/schemas";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { reportIssues } from "../diagnostics/schema-issues.ts";
import type { CommandHook } from "./command-hook-schema.ts";
import { typeVariables } from "../diagnostics/typed-variables.ts";

/** A valid command hook, with its place in the plan. */
export interface PlacedHook {
  readonly hook: CommandHook;
  readonly path: Path;
}

export function isCommandHook(entry: Json): entry is JsonObject {
  // Only a hook with a command has events. So an entry with events but without a command is checked as such a hook.
  return isRecord(entry) && entry["module"] === undefined && ("command" in entry || "events" in entry);
}

export async function checkCommandHooks(plan: JsonObject, reporter: Reporter): Promise<PlacedHook[]> {
  const { hooks } = plan;
  if (!isList(hooks)) return [];
  const checked: PlacedHook[] = [];
  for (const [index, entry] of hooks.entries())
    if (isCommandHook(entry)) checked.push(...(await checkOne(entry, ["hooks", index], reporter)));
  return checked;
}

async function checkOne(entry: JsonObject, path: Path, reporter: Reporter): Promise<readonly PlacedHook[]> {
  const { commandHookSchema } = await import("./command-hook-schema.ts");
  const first = commandHookSchema.safeParse(entry, plainWords);
  const typed = typeVariables(entry, first.error?.issues ?? [], (part) =>
    reporter.isVariable([...path, ...part]),
  );
  const parsed = typed === null ? first : commandHookSchema.safeParse(typed, plainWords);
  if (!parsed.success) {
    reportIssues(commandHookSchema, parsed.error.issues, path, reporter);
    return [];
  }
  const { id: _, ...hook } = parsed.data;
  return [{ hook, path }];
}
