import type { CallContext, Host, ToolOutcome } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { openHost } from "@toolmount/loader";
import { config, mount } from "@toolmount/tool-program";
import { describe, expect, test } from "vitest";
import { attackData, planOf, readSuite, suiteNames, type UserTask } from "../support/dojo-data.ts";
import { readTasks } from "../support/world-cases.ts";
import { dataOf, openWorld, silent } from "../support/world-hosts.ts";
import { compareFinal, type MakeCall } from "../support/world-player.ts";

interface GivenCall {
  readonly name: string;
  readonly text?: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** A program that makes the calls of a task, one after the other, and returns how each ended. */
function programOf(calls: readonly GivenCall[]): string {
  const lines = calls.map(
    ({ name, text, arguments: given = {} }) =>
      `await attempt(${JSON.stringify(name)}, ${text ?? JSON.stringify(given)});`,
  );
  return `
const log = [];
async function attempt(name, given) {
  try { log.push({ data: await tools[name](given) }); }
  catch (error) { log.push({ error: error.message, code: error.code ?? null }); }
}
${lines.join("\n")}
return log;
`;
}

interface Ended {
  readonly data?: unknown;
  readonly error?: string;
  readonly code?: string | null;
}

/** Each program has a thread of its own, so every sixth task is played; `TOOLMOUNT_LONG=1`: all. */
const step = process.env["TOOLMOUNT_LONG"] === "1" ? 1 : 6;
const someOf = <Task>(tasks: readonly Task[]) => tasks.filter((_, at) => at % step === 0);

/** Runs the program of a task. A result that is too long for one outcome is read to its end. */
async function runProgram(host: Host, calls: readonly GivenCall[], context: CallContext) {
  await mount(host.coordinator, config.parse({}));
  const outcome = await host.call({ name: "run_program", arguments: { source: programOf(calls) } }, context);
  const data = outcome.result.truncated === undefined ? outcome.result.data : readWhole(host, outcome);
  return (data as { result: readonly Ended[] }).result;
}

function readWhole(host: Host, { result }: ToolOutcome): unknown {
  const { text } = host.output(result.truncated!.ref, { limit: 10_000_000 });
  return JSON.parse(text);
}

/** The answers that the program got, call by call. */
function answersOf(ended: readonly Ended[]): MakeCall {
  const rest = ended.values();
  return async ({ name }) => {
    const { code, data, error } = rest.next().value!;
    const status = error === undefined ? "ok" : code === "INVALID_ARGUMENTS" ? "invalid" : "failed";
    return { status, result: { tool: name, data, error } } as unknown as ToolOutcome;
  };
}

for (const world of ["retail", "bfcl"] as const) {
  const folder = dataOf(world);
  describe.skipIf(folder === undefined)(
    `${world}, by one program for each task (skipped without the shared data)`,
    () => {
      test("every call of a sixth of the tasks has the expected answer, and every task its final state", async () => {
        const problems: string[] = [];
        for (const task of someOf(readTasks(folder!))) {
          const host = await openWorld(world, task, "approve");
          const ended = await runProgram(host, task.calls, { sessionId: task.id, userId: "agent" });
          problems.push(...(await compareFinal(task, host, answersOf(ended))));
          await host.close();
        }
        expect(problems).toEqual([]);
      });
    },
  );
}

const dojo = attackData("agentdojo");

describe.skipIf(dojo === undefined)(
  "AgentDojo, by one program for each task (skipped without the shared data)",
  () => {
    test.each(suiteNames)("a sixth of the user tasks of %s end in their recorded states", async (name) => {
      const suite = readSuite(name, dojo!);
      const path = suite.environment((mark) => suite.harmless[mark]!);
      const problems: string[] = [];
      for (const user of someOf(suite.users))
        problems.push(...(await play(name, path, user)).map((problem) => `${user.id}: ${problem}`));
      expect(problems).toEqual([]);
    });
  },
);

async function play(suite: (typeof suiteNames)[number], environment: string, { calls, prompt }: UserTask) {
  const host = await openHost(planOf(suite), {
    env: { WORLD_ENVIRONMENT: environment, WORLD_NOW: "2000-01-01T00:00:00" },
    logger: silent,
    approver: () => ({ decision: "approve" }),
  });
  const ended = await runProgram(host, calls, { sessionId: "s", prompts: [prompt] });
  const problems = calls.flatMap((wanted, at) => {
    const { data, error } = ended[at]!;
    const isAsWanted =
      wanted.status === "ok" ? digestOf(data) === digestOf(wanted.data) : error !== undefined;
    return isAsWanted ? [] : [`call ${at} (${wanted.name}) answers ${error ?? JSON.stringify(data)}`];
  });
  const state = (await (host.coordinator.getCapability("world.state") as () => unknown)()) as object;
  if (digestOf(state) !== calls.at(-1)?.state) problems.push("the final state differs");
  await host.close();
  return problems;
}
