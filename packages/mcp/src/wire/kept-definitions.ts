import type { Tool } from "@modelcontextprotocol/server";
import type { ToolInfo } from "@toolmount/core";

/**
 * The loader's channel for what a lock file stores about a module's definitions, and the capability that returns them. Without
 * a lock file there is no such capability.
 */
export const lockChannel = "lock.definitions";

/** The definitions of one server's tools, by the names under which the host offers them. */
export type KeptDefinitions = ReadonlyMap<string, KeptDefinition>;

interface KeptDefinition {
  /** The name under which the module mounted the tool. */
  readonly declaredName: string;
  /** The definition as the server listed it. */
  readonly definition: Tool;
}

/** Returns the definitions after tools were mounted: `before` are the names that existed, `mounted` the tools of the module. */
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
