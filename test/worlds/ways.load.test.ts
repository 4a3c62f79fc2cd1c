import type { Host } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { describe, expect, test } from "vitest";
import { readTasks, type WorldCase } from "../support/world-cases.ts";
import { dataOf, openWorld, type World } from "../support/world-hosts.ts";
import { createTaskReasoner, serveTask } from "../support/world-model.ts";
import { compareFinal, playCase, stateDigest, type MakeCall } from "../support/world-player.ts";
import { callByHttp, callByMcp, questionsWait, type Way } from "../support/world-ways.ts";

const worlds = (["retail", "bfcl"] as const).map((world) => {
  const folder = dataOf(world);
  return { world, absent: folder === undefined, tasks: folder === undefined ? [] : readTasks(folder) };
});

for (const { world, absent, tasks } of worlds) {
  describe.skipIf(absent)(`${world}, with the shared tasks (skipped where they are absent)`, () => {
    const playAll = async (play: (task: WorldCase, at: number) => Promise<string[]>) => {
      const problems: string[] = [];
      for (const [at, task] of tasks.entries()) problems.push(...(await play(task, at)));
      return problems;
    };

    test("a model that makes the calls of a task ends in the task's final state", async () => {
      expect(await playAll((task) => playWithModel(world, task))).toEqual([]);
    });

    test("MCP clients, older and newest, get the expected answers and final states", async () => {
      const play = async (task: WorldCase, at: number) => {
        const host = await openWorld(world, task, "approve");
        return playBy(task, host, await callByMcp(host, task, at % 2 === 0 ? "legacy" : "modern"));
      };
      expect(await playAll(play)).toEqual([]);
    });

    test("over HTTP, with each change approved by itself, answers and final states are as when all are allowed", async () => {
      const play = async (task: WorldCase) => {
        const host = await openWorld(world, task, "deny", questionsWait());
        return playBy(task, host, await callByHttp(host, task));
      };
      expect(await playAll(play)).toEqual([]);
    });

    test("eight tasks side by side do not mix, and a plan that allows all asks for no approval", async () => {
      const problems: string[] = [];
      for (let at = 0; at < tasks.length; at += 8)
        problems.push(
          ...(await Promise.all(tasks.slice(at, at + 8).map((task) => playAllowed(world, task)))).flat(),
        );
      expect(problems).toEqual([]);
    });

    test("a reload between any two calls changes nothing", async () => {
      const problems: string[] = [];
      for (const task of tasks.slice(0, 20)) {
        const host = await openWorld(world, task, "approve");
        problems.push(
          ...(await playCase(task, host, async (request) => {
            await host.reload();
            return callsOf(host, task.id)(request);
          })),
        );
        await host.close();
      }
      expect(problems).toEqual([]);
    });

    test("with an approver who denies, every change ends denied and the state stays as it was", async () => {
      for (const task of tasks) {
        let asked = 0;
        const host = await openWorld(world, task, "deny", {
          approver: () => {
            asked += 1;
            return { decision: "deny", by: "the test" };
          },
        });
        const call = callsOf(host, task.id);
        let denied = 0;
        for (const request of task.calls) {
          const needsPerson = host.tools().find(({ name }) => name === request.name)?.requiresConfirmation;
          const { status } = await call({ name: request.name, arguments: request.arguments });
          expect(status === "denied").toBe(needsPerson === true && status !== "invalid");
          if (status === "denied") denied += 1;
        }
        expect(asked).toBe(denied);
        expect(await stateDigest(host)).toBe(task.expected.initial);
        await host.close();
      }
    });
  });
}

function callsOf(host: Host, sessionId: string): MakeCall {
  return (request) => host.call({ ...request, arguments: request.arguments as string }, { sessionId });
}

/** Plays a task by a way, compares answers and the final state, and closes both. */
async function playBy(task: WorldCase, host: OpenedHost, way: Way): Promise<string[]> {
  const problems = await compareFinal(task, host, way.call);
  await way.close();
  await host.close();
  return problems;
}

async function playAllowed(world: World, task: WorldCase): Promise<string[]> {
  const host = await openWorld(world, task, "deny", {
    overlays: ["autonomous"],
    approver: () => {
      throw new Error("no approval is needed");
    },
  });
  const problems = await compareFinal(task, host, callsOf(host, task.id));
  await host.close();
  return problems;
}

/** A turn of a scripted model: one call in each answer, and a text at the end. */
async function playWithModel(world: World, task: WorldCase): Promise<string[]> {
  const model = await serveTask(task);
  const host = await openWorld(world, task, "approve");
  const reasoner = createTaskReasoner(host, model.baseUrl);
  const turn = await reasoner.run(host, { sessionId: task.id, prompt: "Do the task." });
  const digest = await stateDigest(host);
  await host.close();
  model.close();
  if (turn.status !== "done") return [`${task.id}: the turn is ${turn.status}`];
  return digest === task.expected.final ? [] : [`${task.id}: the final state differs`];
}
