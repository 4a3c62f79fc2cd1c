import type { ModeCatalog, ToolContext, ToolInfo } from "@toolmount/core";
import { matchesGlobs } from "@toolmount/core/text";
import { sessionMode, toolsOfMode } from "@toolmount/core/sessions";

/** Services of a host that the tools use. */
export interface Services {
  /** Returns the tools that are mounted now. */
  readonly tools: () => Iterable<ToolInfo>;
  /** Returns the catalog of modes that is mounted now. */
  readonly catalog?: (() => ModeCatalog | null) | undefined;
}

/** Returns the name under which `describe_tools` is mounted by the same module as a tool that runs programs. */
export function describerOf({ tools }: Services, runner: string): string {
  const mounted = [...tools()];
  const owner = mounted.find(({ name }) => name === runner)?.owner;
  const beside = mounted.find((tool) => tool.declaredName === "describe_tools" && tool.owner === owner);
  return beside?.name ?? "describe_tools";
}

/** The services for a tool without a host. */
export const noTools: Services = { tools: () => [] };

/** Names of this package's own tools, because a program must not start programs. */
const own: ReadonlySet<string> = new Set(["run_program", "describe_tools"]);

/** Returns the tools that a program of this session may call, sorted by name: those of its mode that run on the server. */
export async function toolsForPrograms(
  services: Services,
  globs: readonly string[],
  context: ToolContext,
): Promise<readonly ToolInfo[]> {
  const offered = await toolsOfMode(services.tools(), {
    catalog: services.catalog?.() ?? null,
    mode: context.mode ?? sessionMode(context.session, context.turnId),
    signal: context.abortSignal,
  });
  return offered.filter((tool) => isForPrograms(tool, globs));
}

/** Whether programs may call a tool, if their mode offers it. */
export function isForPrograms(
  { name, declaredName, execution }: Pick<ToolInfo, "name" | "declaredName" | "execution">,
  globs: readonly string[],
): boolean {
  return execution === "server" && !own.has(declaredName) && matchesGlobs(globs, name);
}
