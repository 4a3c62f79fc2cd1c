// What a call costs in a process and on a fleet, beside the bare channel that it uses; and what more workers bring.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const given = { text: "x".repeat(200) };

/** Calls of a fleet that are open at the same time. */
const inFlight = 64;

/** `count` calls, `width` of them at the same time. */
const together = (call, count, width) => async () => {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: width }, lane));
};

async function start(...words) {
  const child = fork(join(import.meta.dirname, "fleet-worker.mjs"), words);
  process.once("exit", () => child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

async function inProcess() {
  const [{ createHost }, { config, mount }] = await Promise.all([
    import("@toolmount/core"),
    import("@toolmount/workers"),
  ]);
  const child = await start("messages");
  const answers = new Map();
  child.on("message", ({ id }) => answers.get(id)());
  let id = 0;
  const roundTrip = () =>
    new Promise((resolve) => {
      answers.set(++id, resolve);
      child.send({ id, tool: "echo", arguments: given });
    });
  const host = createHost();
  const draft = host.draft();
  const settings = config.parse({ runners: [{ name: "process", in: "process" }] });
  await mount(draft.addModule({ id: "@toolmount/workers" }).coordinator, settings);
  const specifier = join(import.meta.dirname, "fleet-tools.mjs");
  const shapeTool = () => ({ runner: "process" });
  const tools = draft.addModule({ id: "tools", module: { specifier, config: {} }, shapeTool });
  (await import("./fleet-tools.mjs")).mount(tools.coordinator);
  await draft.commit();
  const call = () => host.call({ name: "echo", arguments: given });
  return { floor: together(roundTrip, 2_000, 1), row: together(call, 2_000, 1) };
}

/** A Postgres for the ledger, and a Redis where it delivers. Both end with this process. */
async function openPlace(kind) {
  const { startPostgres, startRedis } = await import("../packages/workers/test/fleet/servers.ts");
  const postgres = await startPostgres();
  const redis = kind === "redis" ? await startRedis() : undefined;
  process.once("exit", () => {
    redis?.process.kill("SIGKILL");
    postgres.kill();
  });
  return { database: await postgres.database("bench"), engine: redis?.url ?? "-" };
}

/** A call by the ledger alone: its row, a notification to a worker, its end, a notification to the host. */
async function bareLedger(database) {
  const [{ openLedger }, { Pool }] = await Promise.all([import("@toolmount/store"), import("pg")]);
  await start("ledger", database);
  const ledger = await openLedger(database, { connections: 16 });
  const pool = new Pool({ connectionString: database, max: 16 });
  const waiting = new Map();
  const ended = [];
  await ledger.watch("floor-host", ({ runId }) => {
    waiting.get(runId)();
    waiting.delete(runId);
    ended.push(runId);
    // Ended rows are deleted together, as a host does.
    if (ended.length === inFlight) void ledger.collect(ended.splice(0));
  });
  const notify = { name: "notify", text: "select pg_notify('toolmount_fleet_floor-worker', $1)" };
  let number = 0;
  return async () => {
    const runId = `floor-${number++}`;
    const end = new Promise((resolve) => waiting.set(runId, resolve));
    const info = { callId: runId, runId, tool: "echo", depth: 0 };
    const job = { info, arguments: given, timeoutMs: 0, state: {} };
    const row = { host: "floor-host", queue: "floor", tool: "echo", digest: "digest", idempotent: false };
    await ledger.add({ runId, ...row, job }, 1_000_000);
    await pool.query({ ...notify, values: [`said ${runId}`] });
    await end;
  };
}

async function hostOf({ database, engine }) {
  const { fleetHost } = await import("../packages/workers/test/fleet/fleet-world.ts");
  const module = new URL("fleet-tools.mjs", import.meta.url).href;
  const run = { maxWaiting: 100_000, ...(engine !== "-" && { engine }) };
  return fleetHost({ database, run, module });
}

const besideLedger = (kind) => async () => {
  const place = await openPlace(kind);
  await start("toolmount", place.database, place.engine, "64");
  const host = await hostOf(place);
  const call = () => host.call({ name: "echo", arguments: given });
  await call();
  const bare = await bareLedger(place.database);
  return { floor: together(bare, 600, inFlight), row: together(call, 600, inFlight) };
};

async function besideBullmq() {
  const place = await openPlace("redis");
  await Promise.all([
    start("toolmount", place.database, place.engine, "64"),
    start("bullmq", place.database, place.engine),
  ]);
  const { Queue, QueueEvents } = await import("bullmq");
  const connection = { url: place.engine };
  const queue = new Queue("floor", { connection });
  const events = new QueueEvents("floor", { connection });
  await events.waitUntilReady();
  const bare = async () => (await queue.add("echo", given)).waitUntilFinished(events);
  const host = await hostOf(place);
  const call = () => host.call({ name: "echo", arguments: given });
  return { floor: together(bare, 600, inFlight), row: together(call, 600, inFlight) };
}

/** Calls of 20 ms on one worker, four at a time, beside the same calls on several. */
const withWorkers = (count) => async () => {
  const [one, many] = [await openPlace("redis"), await openPlace("redis")];
  await start("toolmount", one.database, one.engine, "4");
  for (let at = 0; at < count; at++) await start("toolmount", many.database, many.engine, "4");
  const hosts = await Promise.all([one, many].map(hostOf));
  const [floor, row] = hosts.map((host) =>
    together(() => host.call({ name: "wait", arguments: { ms: 20 } }), 400, inFlight),
  );
  return { floor, row };
};

/** Nanoseconds in which a host must see a report of progress, and the end of a call that it cancelled. */
const soon = 100_000_000;

/** Makes a long call, and cancels it when its progress arrives. `measure` picks what took how long, in ms. */
const latency = (measure) => async () => {
  const place = await openPlace("postgres");
  await start("toolmount", place.database, place.engine, "4");
  const host = await hostOf(place);
  const row = async () => {
    const stop = new AbortController();
    const times = {};
    const onProgress = ({ progress }) => {
      times.progress = Date.now() - progress;
      times.stopped = performance.now();
      stop.abort();
    };
    await host.call({ name: "wait", arguments: { ms: 60_000 } }, { abortSignal: stop.signal, onProgress });
    times.cancel = performance.now() - times.stopped;
    return Math.max(1, Math.round(measure(times) * 1e6));
  };
  return { floor: () => soon, row };
};

const short = { pairs: 9, warmUp: 2 };

export const fleetRows = {
  processCall: {
    title: "call in a process, beside an IPC round trip",
    goal: 1.3,
    gate: 3,
    make: inProcess,
  },
  fleetPostgres: {
    title: "fleet over Postgres, beside the bare ledger",
    goal: 1.5,
    gate: 2.5,
    make: besideLedger("postgres"),
    ...short,
  },
  fleetRedis: {
    title: "fleet over Redis, beside the bare ledger",
    goal: 1.5,
    gate: 2.5,
    make: besideLedger("redis"),
    ...short,
  },
  fleetBullmq: {
    title: "fleet over Redis, beside bare BullMQ (reported)",
    goal: 5,
    gate: 10,
    make: besideBullmq,
    ...short,
  },
  fleetProgress: {
    title: "progress of a fleet call, beside 100 ms",
    goal: 1,
    gate: 2,
    make: latency(({ progress }) => progress),
  },
  fleetCancel: {
    title: "end of a cancelled fleet call, beside 100 ms",
    goal: 1,
    gate: 2,
    make: latency(({ cancel }) => cancel),
  },
  workers2: {
    title: "calls of 20 ms: time with 2 workers, beside 1",
    goal: 0.6,
    gate: 1,
    make: withWorkers(2),
    ...short,
  },
  workers4: {
    title: "calls of 20 ms: time with 4 workers, beside 1",
    goal: 0.4,
    gate: 0.8,
    make: withWorkers(4),
    ...short,
  },
};
