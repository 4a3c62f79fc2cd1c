import { openHost, type OpenedHost } from "@toolmount/loader";
import { ownSession, type PreviewedEffect, type ToolOutcome } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { describe, expect, test } from "vitest";
import { attackData, planOf as planOfDojo, readSuite, suiteNames } from "../support/dojo-data.ts";
import { readTasks, type WorldCase } from "../support/world-cases.ts";
import { dataOf, openWorld, silent } from "../support/world-hosts.ts";
import { effectsOf, partsOf } from "./made-again.ts";

// A tenth of the tasks where the long form does not run.
const isWhole = process.env["TOOLMOUNT_LONG"] === "1";
const sample = <Item>(items: readonly Item[]) => items.filter((_, at) => isWhole || at % 10 === 0);

interface Task {
  readonly id: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
}

/** What the tasks of a world came to. */
interface Figures {
  calls: number;
  changes: number;
  rehearsed: number;
  problems: string[];
}

const noFigures = (): Figures => ({ calls: 0, changes: 0, rehearsed: 0, problems: [] });

/** Rehearses the calls of a task, makes them, and undoes them one by one. */
async function play({ id, calls }: Task, host: OpenedHost, figures: Figures): Promise<void> {
  const session = host.session(ownSession("agent", id));
  const context = { userId: "agent", prompts: [] };
  const look = host.coordinator.getCapability("world.state") as () => unknown;
  const state = () => digestOf(JSON.parse(JSON.stringify(look())));
  const fail = (problem: string) => void figures.problems.push(`${id}: ${problem}`);

  const fresh = state();
  const rehearsal = session.rehearse();
  const staged: (readonly PreviewedEffect[])[] = [];
  const answers: unknown[] = [];
  for (const { name, arguments: given } of calls) {
    const before = rehearsal.calls.length;
    answers.push(answerOf(await rehearsal.call({ name, arguments: given as string }, context)));
    staged.push(rehearsal.calls.slice(before).flatMap(({ effects }) => effects));
  }
  if (state() !== fresh) fail("the rehearsal has changed the world");
  if (rehearsal.stopped !== null) fail(`the rehearsal stopped: ${rehearsal.stopped}`);

  const states = [fresh];
  for (const [at, { name, arguments: given }] of calls.entries()) {
    const before = partsOf(look());
    const answer = answerOf(await session.call({ name, arguments: given as string }, context));
    const effects = effectsOf(before, partsOf(look()));
    figures.calls += 1;
    if (effects.length > 0) states.push(state());
    // A call that fails after a change is in no list: it would fail.
    if (effects.length === 0 || isOk(answer)) {
      if (digestOf(effects) === digestOf(staged[at])) figures.rehearsed += 1;
      else fail(`call ${at} (${name}) has other effects than in the rehearsal`);
    }
    if (digestOf(answer) !== digestOf(answers[at])) fail(`call ${at} (${name}) answers otherwise`);
  }

  const changes = await session.changes();
  figures.changes += changes.length;
  if (changes.length !== states.length - 1)
    fail(`${changes.length} changes of ${states.length - 1} are kept`);
  for (const [at, change] of changes.toReversed().entries()) {
    const { stopped } = await session.undo({ after: change.number - 1 });
    if (stopped !== null) fail(`the undo of ${change.tool} stopped: ${stopped.outcome.result.error}`);
    if (state() !== states[states.length - 2 - at]) fail(`before ${change.tool}, the state was another one`);
  }
}

function answerOf({ status, result }: ToolOutcome): object {
  return JSON.parse(JSON.stringify({ status, data: result.data, error: result.error })) as object;
}

function isOk(answer: object): boolean {
  return (answer as { readonly status: string }).status === "ok";
}

const tasksOf = ({ id, calls }: WorldCase): Task => ({
  id,
  calls: calls.map(({ name, text, arguments: given }) => ({ name, arguments: text ?? given })),
});

describe.each(["retail", "bfcl"] as const)("%s (skipped without the shared tasks)", (world) => {
  const folder = dataOf(world);
  test.skipIf(folder === undefined)(
    "every call is rehearsed with its real effects, and every state is reached again by undo",
    { timeout: 1_200_000 },
    async () => {
      const figures = noFigures();
      for (const task of sample(readTasks(folder!))) {
        const host = await openWorld(world, task, "approve");
        await play(tasksOf(task), host, figures);
        await host.close();
      }
      expect(figures.problems).toEqual([]);
      expect(figures.rehearsed).toBe(figures.calls);
      if (isWhole) process.stdout.write(`${world}: ${JSON.stringify(figures)}\n`);
    },
  );
});

describe("AgentDojo (skipped without the shared data)", () => {
  const folder = attackData("agentdojo");
  test.skipIf(folder === undefined).each(suiteNames)(
    "in %s every call is rehearsed with its real effects, and every state is reached again by undo",
    { timeout: 1_200_000 },
    async (name) => {
      const suite = readSuite(name, folder!);
      const figures = noFigures();
      for (const task of sample(suite.users)) {
        const host = await openHost(planOfDojo(name), {
          env: {
            WORLD_ENVIRONMENT: suite.environment((mark) => suite.harmless[mark]!),
            WORLD_NOW: "2000-01-01T00:00:00",
          },
          logger: silent,
          approver: () => ({ decision: "approve" }),
        });
        await play(task, host, figures);
        await host.close();
      }
      expect(figures.problems).toEqual([]);
      expect(figures.rehearsed).toBe(figures.calls);
      if (isWhole) process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
    },
  );
});
