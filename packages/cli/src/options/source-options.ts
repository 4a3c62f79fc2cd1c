import { ToolmountError } from "@toolmount/core/errors";
import type { PlanInput } from "@toolmount/loader";
import type { Command } from "commander";

/** Options that name a single source of tools instead of a plan. */
export interface SourceOptions {
  readonly module?: string;
  readonly stdio?: string;
  readonly http?: string;
}

/** Adds `--module`, `--stdio` and `--http`: the tools of one source, without a plan. */
export function addSourceOptions(command: Command): Command {
  return addServerOptions(
    command.option("--module <module>", "without a plan: the tools of this file or package"),
  );
}

/** Adds only `--stdio` and `--http`, for commands where `--module` has another meaning. */
export function addServerOptions(command: Command): Command {
  return command
    .option("--stdio <command>", "without a plan: the tools of the MCP server that this command starts")
    .option("--http <url>", "without a plan: the tools of the MCP server at this address");
}

/** Tests whether the options name a source of tools. */
export function hasSource({ module, stdio, http }: SourceOptions): boolean {
  return (module ?? stdio ?? http) !== undefined;
}

/**
 * Returns the plan of the command line or, if the options name a source, a plan with one entry for that source. Calls of this
 * entry are neither stored nor audited. Throws `USAGE_INVALID` if both or two sources are given.
 */
export function planOfSource(plan: string | undefined, options: SourceOptions): PlanInput {
  const given = Object.entries({ plan, ...pick(options) }).filter(([, value]) => value !== undefined);
  if (!hasSource(options)) return plan;
  if (given.length > 1) {
    const problem = `${given.map(([name]) => (name === "plan" ? "a plan" : `--${name}`)).join(" and ")}: give one of them`;
    throw new ToolmountError("USAGE_INVALID", { problem });
  }
  return { version: 1, state: "memory", audit: "off", tools: [entryOf(options)] };
}

function pick({ module, stdio, http }: SourceOptions): SourceOptions {
  return { ...(module && { module }), ...(stdio && { stdio }), ...(http && { http }) };
}

function entryOf({ module, stdio, http }: SourceOptions) {
  if (module !== undefined) return { module };
  if (http !== undefined) return { module: "server", source: { mcp: { url: http } } };
  const [command, ...args] = splitWords(stdio ?? "");
  if (command === undefined)
    throw new ToolmountError("USAGE_INVALID", { problem: "--stdio names no program" });
  return { module: "server", source: { mcp: { command, args } } };
}

/** Splits a command line into words. Quotes keep words together; other syntax of shells has no meaning. */
export function splitWords(line: string): string[] {
  const words = line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g);
  return Array.from(words, ([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
