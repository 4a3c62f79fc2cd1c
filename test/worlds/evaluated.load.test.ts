import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { attackData, planOf as dojoPlan, readSuite, suiteNames } from "../support/dojo-data.ts";
import { exec } from "../support/exec.ts";
import { commandFile, nodeFlags } from "../support/program.ts";
import { dataOf, planOf } from "../support/world-hosts.ts";

/** Each evaluation opens two worlds, so every sixth is played; `TOOLMOUNT_LONG=1`: all. */
const step = process.env["TOOLMOUNT_LONG"] === "1" ? 1 : 6;

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** One task: what its user says, and the calls that solve it, turn by turn. */
interface Task {
  readonly id: string;
  readonly turns: readonly { readonly user: string; readonly calls: readonly Call[] }[];
  /** Whether each call changes the state. */
  readonly changes: readonly boolean[];
  /** The plan of its world. */
  readonly world: object;
}

describe.skipIf(dataOf("retail") === undefined)("retail (skipped without the shared tasks)", () => {
  test("evaluations in the shop's world pass by their end state, and fail where a change is left out", async () => {
    const folder = dataOf("retail")!;
    const world = { extends: planOf("retail"), tests: [] };
    const raw = await readTasks(folder);
    const tasks = sample(raw).map(({ calls = [], ...task }) => ({
      ...task,
      turns: [{ user: "Help me.", calls }],
      world,
    }));
    expect(await judge(tasks, world, { WORLD_DATABASE: join(folder, "db.json") })).toEqual({
      careful: [],
      careless: changing(tasks),
    });
  });
});

describe.skipIf(dataOf("bfcl") === undefined)("bfcl (skipped without the shared tasks)", () => {
  test("evaluations of several user turns in services' worlds pass by their end state, and fail where a change is left out", async () => {
    const module = join(dirname(planOf("bfcl")), "bfcl.ts");
    const folder = await makeFolder();
    // A file may hold numbers that a plan may not.
    const worldOf = async (id: string, initial: unknown) => {
      const path = join(folder, `${id}.json`);
      await writeFile(path, JSON.stringify(initial));
      return { version: 1, tools: [{ module, config: { initial: path } }] };
    };
    const raw = await readTasks(dataOf("bfcl")!);
    const tasks = await Promise.all(
      sample(raw).map(async ({ initial, turns = [], ...task }) => ({
        ...task,
        turns,
        world: await worldOf(task.id, initial),
      })),
    );
    // The evaluated plan offers the tools of all services: the tasks' own worlds have some of them.
    const all = Object.assign({}, ...raw.map(({ initial }) => initial)) as unknown;
    expect(await judge(tasks, await worldOf("all", all), {})).toEqual({
      careful: [],
      careless: changing(tasks),
    });
  });
});

describe.skipIf(attackData("agentdojo") === undefined)("AgentDojo (skipped without the shared data)", () => {
  test.each(suiteNames)(
    "evaluations in the world of %s pass by their end state, and fail where a change is left out",
    async (name) => {
      const suite = readSuite(name, attackData("agentdojo")!);
      const world = { extends: join(dirname(dojoPlan(name)), "world.yaml") };
      const initial = mostFrequent(
        suite.users.flatMap(({ calls }) => calls.slice(0, 1)).map(({ state }) => state),
      );
      const environment = suite.environment((mark) => suite.harmless[mark]!);
      const tasks = sample(suite.users).map(({ id, prompt, calls }) => ({
        id,
        turns: [{ user: prompt, calls }],
        changes: calls.map(({ state }, at) => state !== (calls[at - 1]?.state ?? initial)),
        world,
      }));
      expect(
        await judge(tasks, world, { WORLD_ENVIRONMENT: environment, WORLD_NOW: "2000-01-01T00:00:00" }),
      ).toEqual({ careful: [], careless: changing(tasks) });
    },
  );
});

interface RawTask extends Pick<Task, "id"> {
  readonly initial?: unknown;
  readonly calls?: readonly Call[];
  readonly turns?: Task["turns"];
}

interface RawExpected {
  readonly initial: string;
  readonly calls: readonly { readonly state: string }[];
}

async function readTasks(folder: string) {
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), "utf8"));
  const expected = (await read("expected.json")) as RawExpected[];
  return ((await read("tasks.json")) as RawTask[]).map((task, index) => {
    const { initial, calls } = expected[index]!;
    const changes = calls.map(({ state }, at) => state !== (calls[at - 1]?.state ?? initial));
    return { ...task, changes };
  });
}

/** The evaluations that fail with a model that solves each task, and with one that leaves the last change of each out. */
async function judge(tasks: readonly Task[], plan: object, env: Readonly<Record<string, string>>) {
  const folder = await makeFolder();
  const evals = await Promise.all(
    tasks.map(async ({ id, turns, world }, at) => {
      await writeFile(join(folder, `world-${at}.yaml`), planText(world));
      const [prompt, ...replies] = turns.map(({ user }, turn) => `${id} ${turn}: ${user}`);
      const stateAfter = turns.flatMap(({ calls }) => calls.map((each) => ({ [each.name]: each.arguments })));
      return { name: id, prompt, replies, requests: 60, world: `./world-${at}.yaml`, expect: { stateAfter } };
    }),
  );
  await writeFile(join(folder, "plan.yaml"), planText({ ...plan, tests: evals }));
  const baseUrl = await serveTasks(tasks);
  const evaluate = async (model: string, code: number) => {
    const words = [
      "eval",
      "plan.yaml",
      "--model",
      model,
      "--base-url",
      baseUrl,
      "--concurrency",
      "4",
      "--json",
    ];
    const out = await exec(process.execPath, [...nodeFlags, commandFile, ...words], {
      cwd: folder,
      env,
      code,
    });
    const { evals: found } = JSON.parse(out) as { evals: { name: string; problems: string[] }[] };
    return found.flatMap(({ name, problems }) =>
      problems.length === 0 ? [] : [nameByState(name, problems)],
    );
  };
  const code = changing(tasks).length === 0 ? 0 : 1;
  return { careful: await evaluate("careful", 0), careless: await evaluate("careless", code) };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-evaluated-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A plan as JSON, which is YAML, too. The tasks' own texts name no variables. */
function planText(plan: object): string {
  return JSON.stringify(plan).replaceAll("${", () => "$${");
}

/** The name of an evaluation that failed by its state; what else was wrong with it stands beside. */
function nameByState(name: string, problems: readonly string[]): string {
  return problems.some((problem) => problem.startsWith("the state at "))
    ? name
    : `${name}: ${problems.join(", ")}`;
}

/** The state before any call, since most first calls only read. */
function mostFrequent(states: readonly string[]): string {
  const counts = Object.entries(Object.groupBy(states, (state) => state));
  return counts.toSorted(([, one], [, other]) => other!.length - one!.length)[0]![0];
}

function sample<Item>(all: readonly Item[]): readonly Item[] {
  return all.filter((_item, at) => at % step === 0);
}

/** The tasks that change the state. */
function changing(tasks: readonly Task[]): readonly string[] {
  return tasks.filter(({ changes }) => changes.includes(true)).map(({ id }) => id);
}

interface Request {
  readonly model: string;
  readonly input: readonly { readonly type?: string; readonly role?: string; readonly content?: unknown }[];
}

/** Serves a model that makes the calls of each turn of a task, one in each answer. */
async function serveTasks(tasks: readonly Task[]): Promise<string> {
  const server = createServer(async (request, answer) => {
    const { input, model } = (await json(request)) as Request;
    const at = input.findLastIndex(({ role }) => role === "user");
    const said = JSON.stringify(input[at]);
    const task = tasks.find(({ id }) => said.includes(`"${id} `))!;
    const turn = Number(/ (\d+):/.exec(said.slice(said.indexOf(`"${task.id} `) + task.id.length + 1))![1]);
    const last = model === "careless" ? task.changes.lastIndexOf(true) : -1;
    const before = task.turns.slice(0, turn).flatMap(({ calls }) => calls).length;
    const calls = task.turns[turn]!.calls.filter((_call, index) => before + index !== last);
    const done = input.slice(at).filter(({ type }) => type === "function_call_output").length;
    const next = calls[done];
    const output =
      next === undefined
        ? { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }
        : {
            type: "function_call",
            id: `fc_${at}_${done}`,
            call_id: `c_${at}_${done}`,
            name: next.name,
            arguments: JSON.stringify(next.arguments),
          };
    answer.writeHead(200, { "content-type": "text/event-stream" });
    const completed = {
      type: "response.completed",
      response: { id: "r", status: "completed", output: [output] },
    };
    answer.end(`data: ${JSON.stringify(completed)}\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
