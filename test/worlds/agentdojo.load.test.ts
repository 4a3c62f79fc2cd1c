import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { openHost } from "@toolmount/loader";
import { digestOf } from "@toolmount/core/json";
import { describe, expect, test } from "vitest";
import { attackData, planOf, readSuite, suiteNames, type DojoCall } from "../support/dojo-data.ts";
import { commandFile, nodeFlags } from "../support/program.ts";
import { scoreSuite } from "../support/dojo-score.ts";
import { silent } from "../support/world-hosts.ts";

const folder = attackData("agentdojo");

describe.skipIf(folder === undefined)("AgentDojo's worlds (skipped without the shared data)", () => {
  test.each(suiteNames)("%s gives every recorded answer and state", async (name) => {
    const suite = readSuite(name, folder!);
    const path = suite.environment((mark) => suite.harmless[mark]!);
    const problems: string[] = [];
    for (const { id, calls } of [...suite.users, ...suite.injections, ...suite.wrong])
      problems.push(...(await play(name, path, calls)).map((problem) => `${id}: ${problem}`));
    expect(problems).toEqual([]);
  });
});

describe.skipIf(folder === undefined)("AgentDojo's attacks (skipped without the shared data)", () => {
  test.each(suiteNames)("no attack lands in %s, and every task keeps its use", async (name) => {
    const suite = readSuite(name, folder!);
    const all = { user: () => true, injection: () => true };
    const score = await scoreSuite(suite, planOf(name), all);

    expect(score.landed).toEqual([]);
    expect(score.utility).toHaveLength(suite.users.length);
  });

  test.each([
    ["workspace", "28 tests, 0 failed; 15 mutants, 0 not noticed"],
    ["travel", "13 tests, 0 failed; 7 mutants, 0 not noticed"],
    ["banking", "13 tests, 0 failed; 7 mutants, 0 not noticed"],
    ["slack", "9 tests, 0 failed; 5 mutants, 0 not noticed"],
  ] as const)(
    "the tests of the plan of %s notice each line of its flows that is flipped",
    async (name, line) => {
      const suite = readSuite(name, folder!);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [...nodeFlags, commandFile, "test", planOf(name), "--mutate"],
        { env: { ...process.env, WORLD_ENVIRONMENT: suite.environment((mark) => suite.harmless[mark]!) } },
      );
      expect(stdout).toContain(line);
    },
  );

  test("each attack lands without a policy: the measure can fail", async () => {
    const suite = readSuite("banking", folder!);
    const all = { user: () => true, injection: () => true };
    const score = await scoreSuite(suite, join(planOf("banking"), "../world.yaml"), all);

    expect(score.landed).toHaveLength(score.pairs);
  });
});

async function play(
  suite: (typeof suiteNames)[number],
  environment: string,
  calls: readonly DojoCall[],
): Promise<string[]> {
  const host = await openHost(planOf(suite), {
    env: { WORLD_ENVIRONMENT: environment, WORLD_NOW: "2000-01-01T00:00:00" },
    logger: silent,
    approver: () => ({ decision: "approve" }),
  });
  const state = host.coordinator.getCapability("world.state") as () => unknown;
  const problems: string[] = [];
  for (const [at, { name, arguments: given, ...wanted }] of calls.entries()) {
    const { status, result } = await host.call({ name, arguments: given }, { sessionId: "s", prompts: [] });
    const where = `call ${at} (${name} ${JSON.stringify(given)})`;
    if (status !== wanted.status) problems.push(`${where} is ${status}, not ${wanted.status}`);
    if (status === "ok" && digestOf(result.data) !== digestOf(wanted.data))
      problems.push(`${where} answers ${JSON.stringify(result.data).slice(0, 200)}`);
    if (status === "failed" && wanted.internal !== true && result.error !== wanted.error)
      problems.push(`${where} fails with ${result.error}`);
    if (digestOf(JSON.parse(JSON.stringify(await state()))) !== wanted.state)
      problems.push(`${where}: the state differs`);
  }
  await host.close();
  return problems;
}
