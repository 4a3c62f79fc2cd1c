// What a program costs: its start beside the bare engine, and its calls beside those of a tool and beside bare messages to a thread.
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createHost, data, defineTool } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-program";
import { z } from "zod";
import { openEngine, runBare } from "./bare-vm.mjs";

const common = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
const calls = 500;

/** A host with programs, a tool that adds, and a tool that calls it again and again. */
async function hostWithPrograms() {
  const host = createHost();
  const add = defineTool({
    ...common,
    name: "add",
    description: "Adds. Use it.",
    schema: z.strictObject({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => data(a + b),
  });
  const loop = defineTool({
    ...common,
    name: "loop",
    description: "Adds many times. Use it.",
    schema: z.strictObject({}),
    async execute(_, context) {
      let sum = 0;
      for (let n = 0; n < calls; n++) {
        const { result } = await context.call({ name: "add", arguments: { a: n, b: 1 } });
        sum += result.data;
      }
      return data(sum);
    },
  });
  for (const tool of [add, loop]) host.coordinator.mount("tools", tool);
  await mount(host.coordinator, config.parse({}));
  return host;
}

async function run(host, call) {
  const { status, result } = await host.call(call);
  if (status !== "ok") throw new Error(result.error);
}

const program = (source) => ({ name: "run_program", arguments: { source } });

/** Nanoseconds of a work. */
async function timed(work) {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began);
}

/** A program whose thread is open already, as that of every program after the first one is. */
async function warmStart() {
  const [host, engine] = [await hostWithPrograms(), await openEngine()];
  await run(host, program("return 1"));
  return {
    floor: () => void runBare(engine),
    row: async () => {
      await sleep(400); // the next thread opens
      return timed(() => run(host, program("return 1")));
    },
  };
}

/** The first program of a host, beside a thread that loads the engine and runs the same program. */
async function coldStart() {
  const openBare = async () => {
    const thread = new Worker(new URL("bare-vm.mjs", import.meta.url), { env: {} });
    await new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject));
    return thread;
  };
  return {
    floor: async () => {
      let thread;
      const took = await timed(async () => (thread = await openBare()));
      await thread.terminate();
      return took;
    },
    row: async () => {
      const host = await hostWithPrograms();
      const took = await timed(() => run(host, program("return 1")));
      await host.close();
      return took;
    },
  };
}

const inOrder = `let sum = 0; for (let n = 0; n < ${calls}; n++) sum += await tools.add({ a: n, b: 1 }); return sum;`;
const sideBySide = `const all = await Promise.all(Array.from({ length: ${calls} }, (_, n) => tools.add({ a: n, b: 1 }))); return all.length;`;

const withPrograms = (source) => async () => {
  const host = await hostWithPrograms();
  return async () => {
    await sleep(400);
    return timed(() => run(host, program(source)));
  };
};

/** Calls that a program makes one after the other, beside those that a tool makes with `context.call`. */
async function calling() {
  const host = await hostWithPrograms();
  return {
    floor: () => timed(() => run(host, { name: "loop", arguments: {} })),
    row: await withPrograms(inOrder)(),
  };
}

/** The same, beside messages that a thread sends back at once: what no call in another thread can be quicker than. */
const crossing = (source) => async () => {
  const thread = new Worker(new URL("bare-vm.mjs", import.meta.url), { env: {} });
  await new Promise((resolve) => thread.once("message", resolve));
  const message = { type: "turn", requests: [{ id: 1, name: "add", arguments: '{"a":1,"b":1}', line: 1 }] };
  const trip = () =>
    new Promise((resolve) => {
      thread.once("message", resolve);
      thread.postMessage(message, []);
    });
  return {
    floor: () =>
      timed(async () => {
        for (let at = 0; at < calls; at++) await trip();
      }),
    row: await withPrograms(source)(),
  };
};

const few = { pairs: 9, warmUp: 2 };

export const programRows = {
  "program.warm": {
    title: "the start of a program, beside the bare engine in this thread",
    make: warmStart,
    goal: 5,
    gate: 20,
    ...few,
  },
  "program.cold": {
    title: "the first program, beside a thread that loads the bare engine",
    make: coldStart,
    goal: 1.2,
    gate: 4,
    ...few,
  },
  "program.call": {
    title: "500 calls of a program in order, beside context.call",
    make: calling,
    goal: 1.5,
    gate: 120,
    ...few,
  },
  "program.crossing": {
    title: "500 calls of a program in order, beside 500 bare messages to a thread and back",
    make: crossing(inOrder),
    goal: 1.5,
    gate: 10,
    ...few,
  },
  "program.side": {
    title: "500 calls of a program side by side, beside the same messages one by one",
    make: crossing(sideBySide),
    goal: 1,
    gate: 8,
    ...few,
  },
};
