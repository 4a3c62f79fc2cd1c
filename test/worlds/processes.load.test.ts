import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolOutcome } from "@toolmount/core";
import { afterAll, describe, expect, test } from "vitest";
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
import { serveTask } from "../support/world-model.ts";
import { compareAnswers, stateDigest } from "../support/world-player.ts";

// Each call, or each task, is a process of its own here. TOOLMOUNT_LOAD=full takes all tasks, which takes about an hour.
const isFull = process.env["TOOLMOUNT_LOAD"] === "full";
/** Tasks that are played together. */
const groupSize = isFull ? 8 : 2;
const root = join(import.meta.dirname, "../..");

/** Compiled code of the processes: the next one starts in four fifths of the time. */
const compiled = mkdtempSync(join(tmpdir(), "toolmount-compiled-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
const environment = { ...process.env, NODE_COMPILE_CACHE: compiled };

for (const world of ["retail", "bfcl"] as const) {
  const data = dataOf(world);
  const tasks = data === undefined ? [] : readTasks(data);
  const short = tasks.filter(({ calls }) => calls.length >= 4 && calls.length <= 5);
  const some = (count: number) => inGroups(isFull ? tasks : short.slice(0, count), groupSize);

  describe.skipIf(data === undefined)(
    `${world} beyond one process (skipped without the shared tasks)`,
    () => {
      test.each(some(4))("calls in a process of their own answer as expected: $ids", async ({ group }) => {
        expect((await Promise.all(group.map((task) => playInProcess(world, task)))).flat()).toEqual([]);
      });

      test.each(some(1))(
        "toolmount call --json, once for each call, answers as expected: $ids",
        async ({ group }) => {
          expect((await Promise.all(group.map((task) => playByCommand(world, task)))).flat()).toEqual([]);
        },
      );

      test.each(some(1))(
        "a turn that is killed after each call and resumed ends in the final state: $ids",
        async ({ group }) => {
          expect((await Promise.all(group.map((task) => playKilled(world, task)))).flat()).toEqual([]);
        },
      );
    },
  );
}

async function playInProcess(world: World, task: WorldCase): Promise<string[]> {
  const { env } = await keptEnvironment(world, task);
  const host = await openWorld(world, task, "approve", { env, overlays: ["process"] });
  const problems = await compareAnswers(task, ({ name, arguments: given }) =>
    host.call({ name, arguments: given as string }, { sessionId: task.id }),
  );
  // The calls changed the state of that process, and nothing here.
  if ((await stateDigest(host)) !== task.expected.initial)
    problems.push(`${task.id}: a call ran in the host`);
  await host.close();
  return [...problems, ...(await compareKept(world, task, env))];
}

async function playByCommand(world: World, task: WorldCase): Promise<string[]> {
  const { folder, env } = await keptEnvironment(world, task);
  const problems = await compareAnswers(task, ({ name, arguments: given }) =>
    callByCommand([planOf(world), name, typeof given === "string" ? given : JSON.stringify(given)], {
      ...env,
      // The command keeps its audit and questions in the home of its user.
      HOME: folder,
      XDG_STATE_HOME: folder,
    }),
  );
  return [...problems, ...(await compareKept(world, task, env))];
}

async function callByCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ToolOutcome> {
  const command = [...nodeFlags, commandFile];
  const stdout = await new Promise<string>((resolve) => {
    // The command ends with 1 for a call that fails; its answer is on stdout all the same.
    execFile(
      process.execPath,
      [...command, "call", ...words, "--approve", "--json"],
      { env: { ...environment, ...env } },
      (_error, output) => resolve(output),
    );
  });
  return JSON.parse(stdout) as ToolOutcome;
}

/** Kills the process of the turn when the model is asked after a call, each time once, and resumes it in another one. */
async function playKilled(world: World, task: WorldCase): Promise<string[]> {
  const { folder, env } = await keptEnvironment(world, task);
  const model = await serveTask(task);
  let kills = 0;
  for (let made = 1; made <= task.calls.length + 1; made += 1) {
    const words = [
      made === 1 ? "run" : "resume",
      planOf(world),
      join(folder, "sessions.db"),
      model.baseUrl,
    ] as const;
    const program = join(root, "test/support/world-process.ts");
    const child = spawn(process.execPath, [...nodeFlags, program, ...words], {
      env: { ...environment, ...env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const closed = once(child, "close") as Promise<[number | null, string | null]>;
    model.onRequest = async (calls) => {
      if (calls !== made || made > task.calls.length) return;
      child.kill("SIGKILL");
      await closed;
    };
    const [code, signal] = await closed;
    if (signal === "SIGKILL") kills += 1;
    else if (code !== 0) return [`${task.id}: the process ended by itself with ${code}`];
  }
  model.close();
  if (kills !== task.calls.length)
    return [`${task.id}: ${kills} processes were killed, not ${task.calls.length}`];
  return compareKept(world, task, env);
}
