import { failure, type DescribedModule, type FailureWording } from "@toolmount/core";
import { foreignDefinition } from "@toolmount/core/modules";
import type { DescribedTool } from "../far/described-tool.ts";
import { describedFailure } from "./rebuild-thrown.ts";

/**
 * Returns the definition that the host mounts for a tool that it never imports. If the tool's own code decides from the
 * arguments whether to ask, the host cannot run that code, so a person is always asked.
 */
export function placeholder(tool: DescribedTool): DescribedModule["tools"][number] {
  const {
    alias,
    inputSchema,
    requiresConfirmation,
    origin,
    failuresOf,
    foreign,
    undoable,
    previews,
    ...known
  } = tool;
  const refuse = () => Promise.reject(new Error(`the tool "${tool.name}" runs only behind its border`));
  const definition = {
    ...known,
    // `origin` is set even if it is undefined, because without it, Tool-Forge's adapter would take the definition for one of
    // its own.
    origin,
    schema: inputSchema,
    ...(failuresOf !== undefined && { failures: wordingOf(failuresOf) }),
    requiresConfirmation: requiresConfirmation === "dynamic" ? () => true : requiresConfirmation,
    execute: refuse,
    ...(undoable === true && { undo: refuse }),
    ...(previews === true && { preview: refuse }),
  };
  return { definition: foreign === true ? foreignDefinition(definition) : definition, alias };
}

/**
 * Returns how core describes failures of the tool: with the failure that the process itself has made, else with the class's
 * name.
 */
function wordingOf(className: string): FailureWording {
  const unknown = () => failure(`${className} failed`, { code: "TOOL_FAILED" });
  return { className, describe: (thrown) => describedFailure(thrown) ?? unknown() };
}
