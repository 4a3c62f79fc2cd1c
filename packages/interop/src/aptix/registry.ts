import { ToolmountError } from "@toolmount/core/errors";
import type { IAdminLogger } from "./logger.ts";
import { aptixClassOf, inspectAptixClass, refuse, type AptixClass } from "./tool-class.ts";

/**
 * The registry of Aptix's tools, for tests of an application's start: it applies the same rules as when a plan mounts a class,
 * but needs no host and no services. Names are looked up without regard to case.
 */
export class AgentToolRegistry {
  readonly #logger: Pick<IAdminLogger, "AddException"> | undefined;
  readonly #types = new Map<string, AptixClass>();

  constructor(logger?: Pick<IAdminLogger, "AddException">) {
    this.#logger = logger;
  }

  /** Registers a class. Throws `TOOL_INVALID` with the rules that it breaks, and `TOOL_DUPLICATE`; both are logged. */
  RegisterTool(given: unknown): void {
    try {
      this.#register(given);
    } catch (error) {
      this.#logger?.AddException("[AgentToolRegistry_RegisterTool__Exception]", error);
      throw error;
    }
  }

  HasTool(name: string): boolean {
    return this.#types.has(name.toLowerCase());
  }

  /** Returns the class of a registered tool; undefined for an unknown name. */
  GetToolType(name: string): AptixClass | undefined {
    return this.#types.get(name.toLowerCase());
  }

  /** Returns the names of all registered tools, in the order of registration. */
  GetToolNames(): readonly string[] {
    return [...this.#types.values()].map(({ ToolName }) => String(ToolName));
  }

  #register(given: unknown): void {
    const type = aptixClassOf(given);
    if (type === null)
      throw new ToolmountError("TOOL_INVALID", { tool: nameOf(given), problem: "it is no class of Aptix" });
    refuse(type, inspectAptixClass(type));
    const tool = String(type.ToolName);
    if (this.HasTool(tool))
      throw new ToolmountError("TOOL_DUPLICATE", {
        tool,
        existing: tool,
        owner: "registry",
        existingOwner: "registry",
      });
    this.#types.set(tool.toLowerCase(), type);
  }
}

function nameOf(given: unknown): string {
  return String((given as { name?: unknown } | null)?.name ?? given).slice(0, 128);
}
