import type { Policy, PolicyAnswer, ToolInfo } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { ManifestTool } from "@toolmount/loader/commands";

/**
 * What happens to a call of a tool before its arguments are known. `changed` and `not locked` are denied: the lock file has
 * another definition of the tool, or none.
 */
export type CallVerdict = "runs" | "asks" | "may ask" | "denied" | "changed" | "not locked";

/**
 * Returns what happens to calls of a tool, by the tool's own setting and the answers of the plan's policies. Undefined if neither
 * says anything.
 */
export function verdictOf(
  { requiresConfirmation: confirms }: Pick<ManifestTool, "requiresConfirmation">,
  answers: readonly { readonly answer: NonNullable<PolicyAnswer> }[],
): CallVerdict | undefined {
  const given = answers.map(({ answer }) => answer);
  if (given.some(({ answer }) => answer === "deny")) return "denied";
  const allows = given.filter((one) => one.answer === "allow");
  // This is the rule for calls: an `allow` prevents the question of a level. It prevents the tool's own question only with
  // `waives`.
  const isAsked = given.some(
    (one) => one.answer === "ask" && (one.because !== "level" || allows.length === 0),
  );
  if (isAsked) return "asks";
  if (allows.some(({ waives }) => waives === "confirmation")) return "runs";
  if (confirms === true) return "asks";
  if (confirms === "dynamic") return "may ask";
  return confirms === undefined && given.length === 0 ? undefined : "runs";
}

/** Returns what happens to the calls of each tool of an open host, by the tool's name. */
export async function verdictsOfHost(
  host: OpenedHost,
  tools: readonly ToolInfo[],
  mode: string | undefined,
): Promise<ReadonlyMap<string, CallVerdict | undefined>> {
  const { askAll } = await import("@toolmount/loader/commands");
  const policies = [
    ...((host.coordinator.get("policies") as ReadonlyMap<string, Policy> | null)?.values() ?? []),
  ];
  const changes = new Map(host.status().lockChanges.map(({ tool, change }) => [tool, change]));
  const drift = (name: string): CallVerdict | undefined => {
    const change = changes.get(name);
    return change === undefined ? undefined : change === "added" ? "not locked" : "changed";
  };
  const judged = tools.map(async (tool) => {
    const verdict = verdictOf(tool, await askAll(policies, tool, { mode }));
    return [tool.name, drift(tool.name) ?? verdict] as const;
  });
  return new Map(await Promise.all(judged));
}
