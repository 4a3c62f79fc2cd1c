import { join } from "node:path";
import type { ApprovalAnswer } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { describe, expect, test } from "vitest";
import { readNegativeCases, readTasks, worldData, type WorldCase } from "../support/world-cases.ts";
import { playCase, stateDigest } from "../support/world-player.ts";

const plan = join(import.meta.dirname, "retail/mount-plan.yaml");
const folder = worldData("tau2");
const tasks = folder === undefined ? [] : readTasks(folder);
const negative = folder === undefined ? [] : readNegativeCases(folder);

describe.skipIf(folder === undefined)("retail, with the shared tasks (skipped where they are absent)", () => {
  test("the shared files hold the tasks and cases that their page names", () => {
    expect(tasks.flatMap(({ calls }) => calls)).toHaveLength(395);
    expect(negative.flatMap(({ calls }) => calls)).toHaveLength(368);
  });

  test("every call of every task has the expected outcome, and every task its final state", async () => {
    expect(await playAll(tasks)).toEqual([]);
  });

  test("every call that goes wrong has the expected error, and changes nothing", async () => {
    expect(await playAll(negative)).toEqual([]);
  });

  test("with an approver who denies, every change ends denied and the state stays as it was", async () => {
    for (const task of tasks) {
      const { host, asked } = await openShop({ decision: "deny" });
      const before = await stateDigest(host);
      let denied = 0;
      for (const call of task.calls) {
        const { status } = await host.call(
          { name: call.name, arguments: call.arguments! },
          { sessionId: task.id },
        );
        if (status === "denied") denied += 1;
      }
      expect(asked()).toBe(denied);
      expect(await stateDigest(host)).toBe(before);
      await host.close();
    }
  });
});

async function playAll(cases: readonly WorldCase[]): Promise<string[]> {
  const problems: string[] = [];
  for (const world of cases) {
    const { host } = await openShop({ decision: "approve" });
    problems.push(
      ...(await playCase(world, host, ({ name, arguments: given }) =>
        host.call({ name, arguments: given as string }, { sessionId: world.id, userId: "agent" }),
      )),
    );
    await host.close();
  }
  return problems;
}

async function openShop(answer: ApprovalAnswer) {
  let questions = 0;
  const host = await openHost(plan, {
    env: { WORLD_DATABASE: join(folder!, "db.json") },
    approver: () => {
      questions += 1;
      return answer;
    },
  });
  return { host, asked: () => questions };
}
