import type { ModeCatalog, ToolContext, ToolInfo } from "@toolmount/core";
import { sessionMode, toolsOfMode } from "@toolmount/core/sessions";

/** What the tools need of a host. */
export interface Services {
  /** What is mounted now. */
  readonly tools: () => Iterable<ToolInfo>;
  /** What is mounted as the catalog of modes. */
  readonly catalog?: (() => ModeCatalog | null) | undefined;
  /** Reports to the host that tools were activated. */
  readonly announce?: ((event: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** For a tool without a host. */
export const noTools: Services = { tools: () => [] };

/** The event of an activation, with the names of the tools. */
export const activatedEvent = "tools:activated";

/** The tools that the session of a call has in its mode, sorted by name. */
export function toolsFor(services: Services, context: ToolContext): Promise<readonly ToolInfo[]> {
  return toolsOfMode(services.tools(), {
    catalog: services.catalog?.() ?? null,
    mode: context.mode ?? sessionMode(context.session, context.turnId),
    signal: context.abortSignal,
  });
}
