import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../../../store/test/postgres.ts";
import { oneTool, workspace } from "../support/workspace.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(() => postgres.stop());

const who = oneTool({ name: "who_am_i", body: "return data({ name: 'far' });" });

async function fleet(database: string) {
  return workspace({
    "far.ts": who,
    "plan.yaml": `version: 1
state: ${await postgres.database(database)}
tools:
  - module: ./far.ts
    run: { in: fleet, queue: far }
  - id: other
    module: ./far.ts
    prefix: other_
    run: { in: fleet, queue: other }
`,
    "alone.yaml": `version: 1\nstate: ${await postgres.database(`${database}_alone`)}\ntools: [{ module: ./far.ts }]\n`,
  });
}

interface Queue {
  readonly queue: string;
  readonly workers: readonly { readonly facts: object }[];
}

/** What differs from run to run. */
const masked = (text: string) =>
  text
    .replace(/^(\S+) +(\S+) +\d+ +[0-9a-f]{8} +(\d\/\d) +(\d+) +[\d.]+ s ago$/gm, "worker $3 $4")
    .replace(/^worker +machine.*$/gm, "titles");

test("a fleet is shown with its workers, what they run, and which tools have none", async () => {
  const { here } = await fleet("shown");
  const none = await here(["fleet", "plan.yaml"]);
  const lacks = (tool: string, queue: string) =>
    `No worker has this plan's version of ${tool}; start one: toolmount fleet work --queue ${queue}\n`;

  expect([none.code, none.stderr]).toEqual([1, ""]);
  expect(none.stdout).toBe(
    `queue far: 0 workers, 0 running, 0 waiting\n${lacks("who_am_i", "far")}` +
      `queue other: 0 workers, 0 running, 0 waiting\n${lacks("other_who_am_i", "other")}`,
  );
  expect((await here(["fleet", "plan.yaml", "--json"])).json()).toEqual([
    { queue: "far", waiting: 0, running: 0, oldestMs: 0, workers: [], missing: ["who_am_i"] },
    { queue: "other", waiting: 0, running: 0, oldestMs: 0, workers: [], missing: ["other_who_am_i"] },
  ]);

  const controller = new AbortController();
  const words = ["worker", "plan.yaml", "--queue", "far", "--concurrency", "3"];
  const working = here(words, { controller });
  const queues = async () => (await here(["fleet", "plan.yaml", "--json"])).json() as unknown as Queue[];
  while ((await queues())[0]?.workers.length !== 1) await delay(20);
  const called = await here(["call", "plan.yaml", "who_am_i", "--json"]);
  const done = async () => (await queues())[0]?.workers[0]?.facts as { done?: number };
  while ((await done()).done !== 1) await delay(20);
  const one = await here(["fleet", "plan.yaml"]);
  controller.abort();
  const worked = await working;

  expect(called.json()).toMatchObject({ status: "ok", result: { data: { name: "far" } } });
  expect(one.code).toBe(1);
  expect(masked(one.stdout)).toBe(
    `queue far: 1 worker, 0 running, 0 waiting\ntitles\nworker 0/3 1\n` +
      `queue other: 0 workers, 0 running, 0 waiting\n${lacks("other_who_am_i", "other")}`,
  );
  expect(worked.code).toBe(0);
  expect(worked.stdout).toMatch(/^\S+ runs 1 tool of the queue far\n$/);
  expect(await queues()).toMatchObject([{ workers: [] }, { workers: [] }]);
});

test("a worker of both queues says so as JSON, and then no tool is without one", async () => {
  const { here } = await fleet("both");
  const controller = new AbortController();
  const working = here(["worker", "plan.yaml", "--json"], { controller });
  while ((await here(["fleet", "plan.yaml"])).code !== 0) await delay(20);
  controller.abort();

  const lines = (await working).stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
    ["far", "other"].map((queue) => ({
      ready: true,
      name: expect.any(String) as string,
      queue,
      tools: [queue === "far" ? "who_am_i" : "other_who_am_i"],
    })),
  );
});

test("a plan without a fleet has nothing to show and nothing to run", async () => {
  const { here } = await fleet("none");
  const shown = await here(["fleet", "alone.yaml"]);
  const worked = await here(["worker", "alone.yaml"]);

  expect([shown.code, shown.stderr]).toEqual([
    2,
    'USAGE_INVALID no entry of the plan has "run: { in: fleet }"\n',
  ]);
  expect([worked.code, worked.stderr]).toEqual([
    2,
    'USAGE_INVALID no entry of the plan has "run: { in: fleet }", so a worker has nothing to run\n',
  ]);
});
