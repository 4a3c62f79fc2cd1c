import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startPostgres, startRedis } from "../../packages/workers/test/fleet/servers.ts";
import { commandFile, nodeFlags } from "../support/program.ts";
import { inGroups, readTasks, type WorldCase } from "../support/world-cases.ts";
import {
  compareKept,
  dataOf,
  keptEnvironment,
  openWorld,
  planOf,
  type World,
} from "../support/world-hosts.ts";
import { compareAnswers, stateDigest } from "../support/world-player.ts";

// Each task starts two workers. TOOLMOUNT_LOAD=full plays all tasks.
const isFull = process.env["TOOLMOUNT_LOAD"] === "full";

const worlds = (["retail", "bfcl"] as const).map((world) => {
  const data = dataOf(world);
  const all = data === undefined ? [] : readTasks(data);
  const short = all.filter(({ calls }) => calls.length >= 4 && calls.length <= 5);
  return { world, tasks: inGroups(isFull ? all : short.slice(0, 2), 2) };
});

describe.skipIf(dataOf("retail") === undefined || dataOf("bfcl") === undefined)(
  "worlds in a fleet (skipped without the shared tasks)",
  () => {
    let postgres: Awaited<ReturnType<typeof startPostgres>>;
    let redis: Awaited<ReturnType<typeof startRedis>>;
    let state: string;
    beforeAll(async () => {
      [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
      state = await postgres.database("worlds");
    });
    afterAll(async () => {
      await redis.stop();
      await postgres.stop();
    });

    for (const { world, tasks } of worlds)
      test.each(tasks)(
        `calls of ${world} answer as expected in workers that are killed in the middle, by Postgres and by Redis: $ids`,
        async ({ group }) => {
          const engines = [state, redis.url];
          const played = group.map((task, at) =>
            playInFleet(world, task, { state, engine: engines[at]!, queue: `${world}-${task.id}` }),
          );
          expect((await Promise.all(played)).flat()).toEqual([]);
        },
      );
  },
);

interface Place {
  /** URL of the database with the ledger. */
  readonly state: string;
  /** URL of what delivers calls. */
  readonly engine: string;
  readonly queue: string;
}

/** Plays a task by a host that runs no tool, and a worker that is killed after half of the calls; another one follows. */
async function playInFleet(world: World, task: WorldCase, place: Place): Promise<string[]> {
  const { env: kept, folder } = await keptEnvironment(world, task);
  const { state, engine, queue } = place;
  const env = { ...kept, WORLD_STATE: state, WORLD_ENGINE: engine, WORLD_QUEUE: queue };
  const begin = () => startWorker(planOf(world), queue, { ...env, HOME: folder, XDG_STATE_HOME: folder });
  const host = await openWorld(world, task, "approve", { env, overlays: ["fleet"] });
  let worker = await begin();
  let made = 0;
  const problems = await compareAnswers(task, async ({ name, arguments: given }) => {
    if (made === Math.ceil(task.calls.length / 2)) {
      await worker.kill();
      worker = await begin();
    }
    made += 1;
    return host.call({ name, arguments: given as string }, { sessionId: task.id });
  });
  // The calls changed the state of the workers, and nothing here.
  if ((await stateDigest(host)) !== task.expected.initial)
    problems.push(`${task.id}: a call ran in the host`);
  await host.close();
  await worker.kill();
  return [...problems, ...(await compareKept(world, task, kept))];
}

/** Starts `toolmount fleet work`, and waits until it takes calls. */
async function startWorker(plan: string, queue: string, env: Readonly<Record<string, string>>) {
  const words = [...nodeFlags, commandFile, "worker", plan, "--env", "fleet", "--json", "--quiet"];
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(([code]) => {
      throw new Error(`toolmount fleet work ended with ${String(code)} before it took calls`);
    }),
  ])) as [string];
  expect(JSON.parse(line)).toMatchObject({ ready: true, queue });
  return {
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
