import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHost, type OpenedHost, type OpenHostOptions } from "@toolmount/loader";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { worldData, type WorldCase } from "./world-cases.ts";
import { stateDigest } from "./world-player.ts";

export type World = "retail" | "bfcl";

const folders = { retail: "tau2", bfcl: "bfcl-multi-turn" } as const;

/** The data of a world; undefined where they are absent. */
export const dataOf = (world: World) => worldData(folders[world]);

export const planOf = (world: World) => join(import.meta.dirname, "../worlds", world, "mount-plan.yaml");

/** The environment of a world's plan for one case: where its database, or its configuration, is. */
async function environmentOf(world: World, { initial }: WorldCase): Promise<Record<string, string>> {
  if (world === "retail") return { WORLD_DATABASE: join(dataOf(world)!, "db.json") };
  const folder = await mkdtemp(join(tmpdir(), "toolmount-world-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "initial.json");
  await writeFile(path, JSON.stringify(initial));
  return { WORLD_INITIAL: path };
}

/** Names in camel case, which bfcl has, are warned of at each mount. */
export const silent = pino({ level: "silent" });

/** Opens a host on the fresh state of a case, with an approver who always gives the same answer. */
export async function openWorld(
  world: World,
  each: WorldCase,
  decision: "approve" | "deny",
  options: OpenHostOptions = {},
): Promise<OpenedHost> {
  return openHost(planOf(world), {
    env: await environmentOf(world, each),
    approver: () => ({ decision, by: "the test" }),
    logger: silent,
    ...options,
  });
}

/** The environment of a task whose state is in a file. */
export async function keptEnvironment(world: World, task: WorldCase) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-world-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { ...(await environmentOf(world, task)), WORLD_JOURNAL: join(folder, "journal.jsonl") };
  return { folder, env };
}

/** Compares the state that a journal leads to. */
export async function compareKept(
  world: World,
  task: WorldCase,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const host = await openWorld(world, task, "deny", { env });
  const digest = await stateDigest(host);
  await host.close();
  return digest === task.expected.final ? [] : [`${task.id}: the final state differs`];
}
