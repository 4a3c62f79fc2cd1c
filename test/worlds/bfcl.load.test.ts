import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHost } from "@toolmount/loader";
import { describe, expect, onTestFinished, test } from "vitest";
import { readNegativeCases, readTasks, worldData, type WorldCase } from "../support/world-cases.ts";
import { silent } from "../support/world-hosts.ts";
import { playCase } from "../support/world-player.ts";

const plan = join(import.meta.dirname, "bfcl/mount-plan.yaml");
const folder = worldData("bfcl-multi-turn");
const tasks = folder === undefined ? [] : readTasks(folder);
const negative = folder === undefined ? [] : readNegativeCases(folder);

describe.skipIf(folder === undefined)("bfcl, with the shared tasks (skipped where they are absent)", () => {
  test("the shared files hold the tasks and cases that their page names", () => {
    expect(tasks.flatMap(({ calls }) => calls)).toHaveLength(786);
    expect(negative.flatMap(({ calls }) => calls)).toHaveLength(2528);
  });

  test("every call of every task has the expected outcome, and every task its final state", async () => {
    expect(await playAll(tasks)).toEqual([]);
  });

  test("every call that goes wrong, or nearly, has the expected outcome", async () => {
    expect(await playAll(negative)).toEqual([]);
  });
});

async function playAll(cases: readonly WorldCase[]): Promise<string[]> {
  const place = await mkdtemp(join(tmpdir(), "toolmount-bfcl-"));
  onTestFinished(() => rm(place, { recursive: true }));
  const initial = join(place, "initial.json");
  const problems: string[] = [];
  for (const world of cases) {
    await writeFile(initial, JSON.stringify(world.initial));
    const host = await openHost(plan, {
      env: { WORLD_INITIAL: initial },
      logger: silent,
      approver: () => ({ decision: "approve", by: "the test" }),
    });
    problems.push(
      ...(await playCase(world, host, ({ name, arguments: given }) =>
        host.call({ name, arguments: given as string }, { sessionId: world.id }),
      )),
    );
    await host.close();
  }
  return problems;
}
