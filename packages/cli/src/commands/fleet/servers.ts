import { setTimeout as delay } from "node:timers/promises";
import { systemClock, type WorkStore } from "@toolmount/core";
import type { Replica } from "@toolmount/http";
import type { Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { digestOfPlan, scopeOf } from "../../http/served-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { withStatus } from "../../process/with-status.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";
import { agoOf } from "../../screen/relative-time.ts";
import { writeTable } from "../../screen/table.ts";

/** Milliseconds between two reads of the servers' states during a reload. */
const lookMs = 500;

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount doctor servers [plan]`: lists the servers that share the plan's store, and which plan each has. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await showServers(plan, options, shell));
    });
  addExamples(command, ["toolmount doctor servers mount-plans/coding.yaml"]);
}

/** Shows the servers. Fails if a running server has another plan, or could not mount its plan. */
function showServers(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  return withServers(plan, options, shell, async () => {});
}

/**
 * Mounts the plan in this process as a trial, and then at each of its servers in turn, up to the first that cannot mount it. Then
 * shows the servers, and fails as {@link showServers} does.
 */
export function reloadServers(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  return withServers(plan, options, shell, async (store, scope, list) => {
    const { askReload } = await import("@toolmount/http");
    const number = await askReload(store, scope, systemClock.now());
    const isOver = ({ state, reload = number }: Replica) => state !== "ready" || reload >= number;
    while (!(await list()).every(isOver)) await delay(lookMs);
  });
}

async function withServers(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  act: (store: WorkStore, scope: string, list: () => Promise<readonly Replica[]>) => Promise<void>,
): Promise<ExitCode> {
  const { listReplicas } = await import("@toolmount/http");
  const host = await openPlan(plan, options, shell);
  try {
    const store = host.coordinator.get("work-store") as WorkStore;
    const scope = scopeOf(host, "default");
    const list = () => listReplicas(store, scope, systemClock.now());
    await withStatus(shell, "waiting for the servers", () => act(store, scope, list));
    const [servers, own] = [await list(), digestOfPlan(host)];
    if (options.json === true) shell.out.json({ plan: own, servers });
    else writeServers(servers, own, shell);
    return servers.every((server) => isEqual(server, own)) ? exitCodes.done : exitCodes.failed;
  } finally {
    await host.close();
  }
}

function isEqual({ state, plan, problem }: Replica, own: string): boolean {
  return state !== "ready" || (plan === own && problem === null);
}

function writeServers(servers: readonly Replica[], own: string, { out }: Shell): void {
  out.line(`plan ${out.paint("bold", own)}: ${countOf(servers, "server")}`);
  if (servers.length === 0) return;
  writeTable(
    out,
    [
      { title: "server", cell: ({ url }) => out.paint("bold", printable(url)) },
      { title: "machine", cell: ({ machine }) => printable(machine) },
      { title: "state", cell: ({ state }) => state },
      { title: "version", cell: ({ version }) => printable(version) },
      {
        title: "plan",
        cell: ({ plan }) => (plan === own ? plan : out.paint("yellow", `${printable(plan)}, another one`)),
      },
      { title: "began", cell: ({ since }) => agoOf(since, systemClock.now()) },
    ],
    servers,
  );
  for (const { url, problem } of servers)
    if (problem !== null)
      out.line(out.paint("yellow", printable(`${url} did not mount the plan again: ${problem}`)));
}
