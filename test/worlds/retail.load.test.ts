import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { openHost } from "@toolmount/loader";
import { describe, expect, test } from "vitest";
import { commandFile, nodeFlags } from "../support/program.ts";
import { readNegativeCases, readTasks, worldData, type WorldCase } from "../support/world-cases.ts";
import { silent } from "../support/world-hosts.ts";
import { playCase } from "../support/world-player.ts";

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

  test("the plan's own tests hold, and one fails for each rule that is flipped", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...nodeFlags, commandFile, "test", plan, "--mutate"],
      { env: { ...process.env, WORLD_DATABASE: join(folder!, "db.json") } },
    );
    expect(stdout).toContain("8 tests, 0 failed; 3 mutants, 0 not noticed");
  });

  test("every call that goes wrong has the expected error, and changes nothing", async () => {
    expect(await playAll(negative)).toEqual([]);
  });
});

async function playAll(cases: readonly WorldCase[]): Promise<string[]> {
  const problems: string[] = [];
  for (const world of cases) {
    const host = await openHost(plan, {
      env: { WORLD_DATABASE: join(folder!, "db.json") },
      logger: silent,
      approver: () => ({ decision: "approve", by: "the test" }),
    });
    problems.push(
      ...(await playCase(world, host, ({ name, arguments: given }) =>
        host.call({ name, arguments: given as string }, { sessionId: world.id, userId: "agent" }),
      )),
    );
    await host.close();
  }
  return problems;
}
