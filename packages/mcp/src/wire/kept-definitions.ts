import type { Tool } from "@modelcontextprotocol/server";
import type { ToolInfo } from "@toolmount/core";

/**
 * The loader's channel for what a lock file keeps of a module's definitions, and the capability that gives them back. Without
 * a lock file there is no such capability.
 */
export const lockChannel = "lock.definitions";

/** What one server said of its tools, by the names under which the host offers them. */
export type KeptDefinitions = ReadonlyMap<string, KeptDefinition>;

interface KeptDefinition {
  /** The name under which the module mounted it. */
  readonly declaredName: string;
  /** As the server listed it. */
  readonly definition: Tool;
}

/** The definitions after tools were mounted: `before` are the names that were taken, `mounted` what the module mounts. */
export function offeredAfter(
  offered: KeptDefinitions,
  before: ReadonlySet<string>,
  infos: readonly ToolInfo[],
  mounted: ReadonlyMap<string, Tool>,
): KeptDefinitions {
  const kept = [...offered].filter(
    ([name, { declaredName, definition }]) => before.has(name) && mounted.get(declaredName) === definition,
  );
  const added = infos
    .filter(({ name }) => !before.has(name))
    .flatMap(({ name, declaredName }): [string, KeptDefinition][] => {
      const definition = mounted.get(declaredName);
      return definition === undefined ? [] : [[name, { declaredName, definition }]];
    });
  return new Map([...kept, ...added]);
}
