// The rows of the bench: what is measured, beside which floor, the goal, and the gate above which a change may not land.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, data, defineTool } from "@toolmount/core";
import { z } from "zod";

const schema = z.strictObject({
  operation: z.enum(["add", "subtract", "multiply", "divide"]),
  left: z.number(),
  right: z.number(),
});
const given = { operation: "add", left: 1, right: 2 };
const text = JSON.stringify(given);

const add = async ({ left, right }) => data({ result: left + right });

const later = async ({ left, right }) => {
  await new Promise((resolve) => setTimeout(resolve, 10));
  return data({ result: left + right });
};

/** The physical floor: zod's safeParse, the tool's function, and await. */
async function floor(input, work = add) {
  const parsed = schema.safeParse(input);
  return parsed.success ? work(parsed.data) : null;
}

function hostWith(fields = {}, options = {}) {
  const host = createHost(options);
  const tool = defineTool({
    name: "calculator",
    description: "Calculates. Use it for sums. Not for words.",
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: add,
    ...fields,
  });
  host.coordinator.mount("tools", tool);
  return host;
}

const callsInARow = 20_000;

/** Calls of the host, one after the other, with nothing around them. */
const hostCalls =
  (host, args = given, context) =>
  async () => {
    for (let at = 0; at < callsInARow; at++)
      await host.call({ name: "calculator", arguments: args }, context);
  };

/** The floor, one after the other. */
const floorCalls = async () => {
  for (let at = 0; at < callsInARow; at++) await floor(given);
};

/** `count` calls at once. */
const atOnce =
  (call, count = 1_000) =>
  async () => {
    await Promise.all(Array.from({ length: count }, call));
  };

const full = () => ({ floor: floorCalls, row: hostCalls(hostWith()) });

function listeners() {
  const host = hostWith();
  let heard = 0;
  for (let at = 0; at < 3; at++) {
    host.coordinator.hooks.gate("tool:pre", () => void heard++);
    host.coordinator.hooks.observe("tool:post", () => void heard++);
  }
  return { floor: floorCalls, row: hostCalls(host) };
}

const signal = () => ({
  floor: floorCalls,
  row: hostCalls(hostWith(), given, { abortSignal: new AbortController().signal }),
});

const json = () => ({
  floor: async () => {
    for (let at = 0; at < callsInARow; at++) await floor(JSON.parse(text));
  },
  row: hostCalls(hostWith(), text),
});

function inFlight() {
  const host = hostWith({ execute: later });
  return {
    floor: atOnce(() => floor(given, later)),
    row: atOnce(() => host.call({ name: "calculator", arguments: given })),
  };
}

const outputSchema = () => ({
  floor: floorCalls,
  row: hostCalls(hostWith({ outputSchema: z.strictObject({ result: z.number() }) })),
});

/** A call in a session of a tool that has `undo` and `preview` and changes nothing, beside the same tool without both. */
function undoable() {
  const inSession = (host) => hostCalls(host, given, { sessionId: "bench" });
  const undo = () => data(null);
  const preview = ({ left, right }) => ({ effects: [], result: data({ result: left + right }) });
  return { floor: inSession(hostWith()), row: inSession(hostWith({ undo, preview })) };
}

/** 64 calls in flight, each with its start and its end on disk, beside the bare store committing the same records. */
async function durableAudit() {
  const { openStore } = await import("@toolmount/store");
  const folder = await mkdtemp(join(tmpdir(), "toolmount-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const open = (name) => openStore(`sqlite:${join(folder, name)}`, { audit: "durable" });
  const [store, bare] = [await open("host.db"), await open("bare.db")];
  const host = hostWith({}, { store });
  const calls = atOnce(() => host.call({ name: "calculator", arguments: given }), 64);
  await calls();
  const records = await store.audit.read();
  const [starts, ends] = ["start", "end"].map((kind) => records.filter(({ entry }) => entry.kind === kind));
  let sequence = 0;
  const copyOf = (record) => {
    sequence++;
    const entry = { ...record.entry, at: Date.now(), runId: `${record.writer}-${sequence}` };
    return { ...record, sequence, entry };
  };
  const commit = (list) => bare.audit.append(list.map(copyOf));
  const rounds = (work) => async () => {
    for (let round = 0; round < 30; round++) await work();
  };
  const floorOf = async () => {
    await commit(starts);
    await commit(ends);
  };
  return { floor: rounds(floorOf), row: rounds(calls) };
}

export const rows = {
  full: { title: "full pipeline, no listeners, parsed object", goal: 3.1, gate: 4.5, make: full },
  listeners: { title: "with 3 gates and 3 observers", goal: 4.5, gate: 7, make: listeners },
  signal: { title: "with a caller's signal", goal: 3.2, gate: 6, make: signal },
  json: { title: "from JSON text, no listeners", goal: 1.7, gate: 2.3, make: json },
  inFlight: { title: "1,000 in flight at 10 ms each", goal: 1.05, gate: 1.25, make: inFlight },
  outputSchema: { title: "with outputSchema declared", goal: 4, gate: 7, make: outputSchema },
  undoable: { title: "of a tool with undo and preview", goal: 1.05, gate: 1.25, make: undoable },
  durableAudit: { title: "durable audit, 64 calls in flight", goal: 1.3, gate: 2, make: durableAudit },
};
