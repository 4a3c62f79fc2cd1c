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
  // The files of a skill, and what a server exposes, are in the digest.
  if (accepted === undefined || skillOf(tool) !== undefined || exposedOf(tool) !== undefined)
    return { tool, differs: [] };
  const [own, shown] = [tool, accepted].map(({ title, icons, _meta, annotations }) => ({
    title: [title, annotations?.title],
    icons,
    _meta,
  })) as [Shown, Shown];
  const differs = (["title", "icons", "_meta"] as const).filter(
    (name) => digestOf(own[name] ?? null) !== digestOf(shown[name] ?? null),
  );
  if (differs.length === 0) return { tool, differs };
  const { title: _, icons: __, _meta: ___, annotations: ____, ...rest } = tool;
  const hints = withTitle(tool.annotations, accepted.annotations?.title);
  const { title, icons, _meta } = accepted;
  const all = { title, icons, _meta, annotations: hints };
  const given = Object.fromEntries(Object.entries(all).filter(([, member]) => member !== undefined));
  return { tool: { ...rest, ...given }, differs };
}

interface Shown {
  readonly title: unknown;
  readonly icons: unknown;
  readonly _meta: unknown;
}

/** The hints are the server's: they are how the tool is classified, which the digest has. */
function withTitle(annotations: Tool["annotations"], title: string | undefined): Tool["annotations"] {
  if (annotations === undefined && title === undefined) return undefined;
  const { title: _, ...hints } = annotations ?? {};
  return title === undefined ? hints : { ...hints, title };
}
