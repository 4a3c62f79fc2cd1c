import type { Tool } from "@modelcontextprotocol/client";
import { digestOf } from "@toolmount/core/json";
import { exposedOf } from "./exposed-definitions.ts";
import { skillOf } from "./skills.ts";

/**
 * A tool as clients see it: with the title, the icons and the `_meta` that the lock file has. The digest of the lock is of what this
 * host knows of a tool, so a server could otherwise give an accepted tool another name in front of people. `differs` names what the
 * server says otherwise now.
 */
export function asAccepted(
  tool: Tool,
  accepted: Tool | undefined,
): { tool: Tool; differs: readonly string[] } {
  if (accepted === undefined || isInDigest(tool) || isInDigest(accepted)) return { tool, differs: [] };
  const [own, shown] = [shownOf(tool), shownOf(accepted)];
  const differs = (["title", "icons", "_meta"] as const).filter(
    (name) => digestOf(own[name]) !== digestOf(shown[name]),
  );
  if (differs.length === 0) return { tool, differs };
  const { title, icons, _meta } = accepted;
  const hints = withTitle(tool.annotations, accepted.annotations?.title);
  return { tool: defined({ ...tool, title, icons, _meta, annotations: hints }), differs };
}

/** The `_meta` of a skill, and of what a server exposes, says what the tool is. */
function isInDigest(tool: Tool): boolean {
  return skillOf(tool) !== undefined || exposedOf(tool) !== undefined;
}

function shownOf({ title, icons, _meta, annotations }: Tool) {
  return { title: [title ?? null, annotations?.title ?? null], icons: icons ?? null, _meta: _meta ?? null };
}

/** The hints are the server's: they are how the tool is classified, which the digest has. */
function withTitle(annotations: Tool["annotations"], title: string | undefined): Tool["annotations"] {
  if (annotations === undefined && title === undefined) return undefined;
  return defined({ ...annotations, title });
}

/** An object without the members that are undefined, which the wire does not have. */
function defined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
