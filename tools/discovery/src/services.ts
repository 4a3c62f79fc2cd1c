import type { ModeCatalog, ToolContext, ToolInfo } from "@toolmount/core";
import { sessionMode, toolsOfMode } from "@toolmount/core/sessions";

/** Services of a host that the tools use. */
export interface Services {
  /** Returns the tools that are mounted now. */
  readonly tools: () => Iterable<ToolInfo>;
  /** Returns the catalog of modes that is mounted now. */
  readonly catalog?: (() => ModeCatalog | null) | undefined;
  /** Reports to the host that tools were activated. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The services for a tool without a host. */
export const noTools: Services = { tools: () => [] };

/** The event of an activation, with the names of the tools. */
export const activatedEvent = "tools:activated";

/** Returns the tools that the mode of a call's session offers, sorted by name. */
export function toolsFor(services: Services, context: ToolContext): Promise<readonly ToolInfo[]> {
  return toolsOfMode(services.tools(), {
    catalog: services.catalog?.() ?? null,
    mode: context.mode ?? sessionMode(context.session, context.turnId),
    signal: context.abortSignal,
  });
}
