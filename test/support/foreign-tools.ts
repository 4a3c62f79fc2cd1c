import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolInfo } from "@toolmount/core";

/** Tools and tasks of other authors, which are beside the project and not part of it. */
const fixtures = join(import.meta.dirname, "../../../shared/fixtures");

/** A definition as its author published it. */
interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
}

/** The leaderboard has its arguments under another name. */
interface Sample extends Definition {
  readonly parameters?: object;
}

interface ServerTool extends Definition {
  readonly server: string;
}

/** What annotators did for a question: their steps, and the tools that they used. */
interface Task {
  readonly steps: readonly string[];
  readonly tools: readonly string[];
}

const samples = {
  everything: "mcp-everything",
  fs: "mcp-filesystem",
  memory: "mcp-memory",
  thinking: "mcp-sequential-thinking",
  bfcl: "bfcl",
};

/** 74 definitions: of the official MCP servers and of the Berkeley Function Calling Leaderboard. Without their folder none. */
export function sampleTools(): readonly Required<Definition>[] {
  const folder = join(fixtures, "tool-schemas");
  if (!existsSync(folder)) return [];
  return Object.entries(samples).flatMap(([prefix, file]) => {
    const { tools } = read(folder, `${file}.json`) as { readonly tools: readonly Sample[] };
    return tools.map(({ name, description = "", inputSchema, parameters }) => ({
      name: `${prefix}_${name.replaceAll(".", "_")}`,
      description,
      // The leaderboard says `dict`, where JSON Schema says `object`.
      inputSchema: { ...(inputSchema ?? parameters), type: "object" },
    }));
  });
}

/** The tools of 70 published servers, and tasks with them (LiveMCPBench). Undefined without their folder. */
export function serverTools() {
  const folder = join(fixtures, "livemcpbench");
  if (!existsSync(folder)) return undefined;
  return {
    tools: read(folder, "tools.json") as readonly ServerTool[],
    tasks: read(folder, "tasks.json") as readonly Task[],
  };
}

/** An index of tools: what a test or the bench gives to {@link foundByHalf}. */
type CreateIndex = (tools: readonly ToolInfo[]) => {
  search(query: string, limit: number): readonly ToolInfo[];
};

/**
 * For each tool of a task, whether a step of the task has it among the first five. The tasks of the first half may be looked
 * at when the search is changed, those of the second may not.
 */
export function foundByHalf(
  { tools, tasks }: NonNullable<ReturnType<typeof serverTools>>,
  createIndex: CreateIndex,
): readonly (readonly boolean[])[] {
  const index = createIndex(tools.map((tool, at) => infoOf(tool, `${at}`)));
  return [0, 1].map((half) =>
    tasks
      .filter((_, at) => at % 2 === half)
      .flatMap(({ steps, tools: gold }) => {
        const found = steps.flatMap((step) => index.search(step, 5).map(({ declaredName }) => declaredName));
        return gold.map((name) => found.includes(name));
      }),
  );
}

/** What an index reads of a tool. */
export function infoOf(
  { server, name, description = "", inputSchema = {} }: ServerTool,
  id: string,
): ToolInfo {
  const info = {
    name: id,
    declaredName: name,
    aliases: [name],
    description,
    inputSchema,
    tags: [],
    owner: server,
  };
  return info as Partial<ToolInfo> as ToolInfo;
}

export function shareOf(hits: readonly boolean[]): number {
  return hits.filter(Boolean).length / hits.length;
}

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}
