import type { ModeCatalog, ToolContext, ToolInfo } from "@toolmount/core";
import { matchesGlobs } from "@toolmount/core/text";
import { sessionMode, toolsOfMode } from "@toolmount/core/sessions";

/** What the tools need of a host. */
export interface Services {
  /** What is mounted now. */
  readonly tools: () => Iterable<ToolInfo>;
  /** What is mounted as the catalog of modes. */
  readonly catalog?: (() => ModeCatalog | null) | undefined;
}

/** The name under which `describe_tools` is mounted beside a tool that runs programs. */
export function describerOf({ tools }: Services, runner: string): string {
  const mounted = [...tools()];
  const owner = mounted.find(({ name }) => name === runner)?.owner;
  const beside = mounted.find((tool) => tool.declaredName === "describe_tools" && tool.owner === owner);
  return beside?.name ?? "describe_tools";
}

/** For a tool without a host. */
export const noTools: Services = { tools: () => [] };

/** Names of this package's own tools: a program does not start programs. */
const own: ReadonlySet<string> = new Set(["run_program", "describe_tools"]);

/** The tools that a program of this session may call, sorted by name: those of its mode that run on the server. */
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

/** Whether programs may call a tool, in a mode that offers it. */
export function isForPrograms(
  { name, declaredName, execution }: Pick<ToolInfo, "name" | "declaredName" | "execution">,
  globs: readonly string[],
): boolean {
  return execution === "server" && !own.has(declaredName) && matchesGlobs(globs, name);
}
