import { isToolmountError } from "@toolmount/core";
import { findServerLists, type FoundList } from "../clients/found-servers.ts";
import type { Shell } from "../process/shell.ts";
import { shortPath } from "../render/problems.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { writeTable } from "../screen/table.ts";

/**
 * `toolmount` alone: which plan holds here, which MCP servers the applications on this machine start, and what to type next.
 * Nothing is started and nothing is written.
 */
export async function takeFirstLook(shell: Shell): Promise<void> {
  const plan = await findPlanHere(shell);
  const lists = await findServerLists(shell, process.argv[1]);
  const { out } = shell;
  out.line(
    plan === undefined
      ? "No plan is in this folder, or above it."
      : `The plan here is ${printable(shortPath(plan, shell.cwd))}.`,
  );
  out.line("");
  writeLists(lists, shell);
  out.line("Next:");
  const steps = nextSteps(plan, lists);
  const width = Math.max(...steps.map(([command]) => command.length)) + 2;
  for (const [command, what] of steps) out.line(`  ${out.paint("cyan", command.padEnd(width))}${what}`);
}

async function findPlanHere({ cwd, settings }: Shell): Promise<string | undefined> {
  const { findPlan } = await import("@toolmount/loader/commands");
  try {
    return await findPlan(settings.plan, cwd);
  } catch (error) {
    if (isToolmountError(error) && error.code === "PLAN_NOT_FOUND") return undefined;
    throw error;
  }
}

function writeLists(lists: readonly FoundList[], { out, cwd }: Shell): void {
  if (lists.length === 0) {
    out.line("No application here lists MCP servers.\n");
    return;
  }
  out.line("MCP servers that applications on this machine start:");
  writeTable(
    out,
    [
      { title: "APPLICATION", cell: ({ client }) => client },
      { title: "FILE", cell: ({ file }) => printable(shortPath(file, cwd)) },
      { title: "SERVERS", cell: serversOf, whole: true },
    ],
    lists,
  );
  const servers = lists.flatMap((list) => list.servers);
  const direct = servers.filter(({ isPlan }) => !isPlan);
  const unpinned = new Set(direct.flatMap((server) => server.unpinned ?? []));
  out.line("");
  if (direct.length > 0)
    out.line(
      `${countOf(direct, "server")} without a plan before them: no call is checked, asked about or recorded.`,
    );
  if (unpinned.size > 0)
    out.line(
      `${countOf([...unpinned], "package")} without a version: ${fewOf([...unpinned].map(printable))}`,
    );
  out.line("");
}

function serversOf({ servers, problem }: FoundList): string {
  if (problem !== undefined) return `cannot be read: ${printable(problem)}`;
  return fewOf(servers.map(({ name, isPlan }) => printable(name) + (isPlan ? " (toolmount)" : "")));
}

/** Most names in one list: what there is fits one screen. */
const maxNames = 8;

function fewOf(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function nextSteps(
  plan: string | undefined,
  lists: readonly FoundList[],
): readonly (readonly [command: string, what: string])[] {
  const all = ["toolmount --help", "the commands"] as const;
  if (plan !== undefined)
    return [
      ["toolmount list", "its tools"],
      ["toolmount check", "every problem of the plan"],
      ["toolmount approvals", "the calls that wait for an answer"],
      all,
    ];
  const open = lists.filter(({ servers }) => servers.some(({ isPlan }) => !isPlan));
  const [first] = [...open.filter(({ isGuarded }) => isGuarded), ...open];
  const words = first?.isGuarded === true ? `guard ${first.client}` : `import ${first?.file}`;
  const guard =
    first === undefined ? [] : [[`toolmount ${printable(words)}`, "a plan before these servers"] as const];
  return [...guard, ["toolmount init", "a plan, with a first tool of your own"], all];
}
