// A host that asks, decides, resumes and runs until it is killed, and writes each acknowledgement to a file immediately.
// First it resumes the calls that earlier hosts did not end.
import { appendFileSync, readFileSync } from "node:fs";
import { createHost, data, type Host, type ToolDefinition, type ToolSchema } from "@toolmount/core";
// Not from the index: the child starts 500 times, and each load costs time.
import { openStore } from "../../src/open-store.ts";

const object = () => ({ type: "object" });
const anything: ToolSchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value: value as object }),
    jsonSchema: { input: object, output: object },
  },
};

const [, , url = "", folder = "", mode = "work"] = process.argv;
const context = { sessionId: "s", userId: "u" };
const note = (file: string, ...words: readonly string[]) =>
  appendFileSync(`${folder}/${file}`, `${words.join(" ")}\n`);

const reported = new Set<string>();
/** Reports a moment to the parent the first time. */
function report(moment: string): void {
  if (!reported.has(moment)) process.send?.(moment);
  reported.add(moment);
}

const store = await openStore(url, { connections: 8 });
const host = createHost({ store, approvals: { leaseMs: 40 } });
for (const idempotent of [false, true]) host.coordinator.mount("tools", effect(idempotent));
host.coordinator.hooks.observe("tool:post", (_, event) => note("ends", String(event["run_id"]), "ok"));
host.coordinator.hooks.observe("tool:error", (_, event) =>
  note("ends", String(event["run_id"]), String(event["status"])),
);

report("began");
await Promise.all(unfinishedTickets().map((ticket) => resumeCall(host, ticket)));
if (mode === "finish") {
  await finish();
  await host.close();
  await store.close();
  process.disconnect?.();
} else if (mode === "rounds") {
  // Where the disk fails, a call fails with it; what was acknowledged before must still hold.
  for (let round = 0; round < 3; round++)
    await Promise.allSettled(Array.from({ length: 6 }, (_, at) => work(host, at)));
  await host.close({ graceMs: 200 });
  await store.close().catch(() => {});
  process.disconnect?.();
} else for (;;) await Promise.all(Array.from({ length: 6 }, (_, at) => work(host, at)));

function effect(idempotent: boolean): ToolDefinition {
  return {
    name: idempotent ? "again" : "once",
    description: "Writes a line. Use in tests.",
    schema: anything,
    requiresConfirmation: true,
    idempotent,
    execute: async (_, { runId }) => {
      note("effects", runId, idempotent ? "again" : "once");
      report("ran");
      await new Promise((resolve) => setImmediate(resolve));
      return data(runId);
    },
  };
}

/** One call from its question to its end. Every line in the files was acknowledged. */
async function work({ call, approvals }: Host, at: number): Promise<void> {
  const asked = await call({ name: at % 3 === 0 ? "again" : "once" }, context);
  if (asked.ticket === undefined) throw new Error(asked.result.error);
  note("tickets", asked.ticket, asked.runId);
  report("asked");
  // Killed hosts leave more than a thousand questions in the long form of the test.
  const open = await approvals.list({ states: ["pending"], limit: 10_000 });
  const question = open.find(({ info }) => info.runId === asked.runId);
  const decision = at % 2 === 0 ? "approve" : "deny";
  note("tries", asked.runId, decision);
  await approvals.decide(question!.id, decision, "p");
  note("decisions", asked.runId, decision);
  report("decided");
  await resumeCall(host, asked.ticket);
}

async function resumeCall({ resume }: Host, ticket: string): Promise<void> {
  const outcome = await resume(ticket, context);
  note("outcomes", outcome.runId, outcome.status, ticket);
  report("ended");
}

function unfinishedTickets(): string[] {
  const ended = new Set(
    lines("outcomes")
      .filter(([, status]) => status !== "pending")
      .map(([, , ticket]) => ticket),
  );
  return lines("tickets").flatMap(([ticket]) => (ticket === undefined || ended.has(ticket) ? [] : [ticket]));
}

function lines(file: string): string[][] {
  try {
    return readFileSync(`${folder}/${file}`, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split(" "));
  } catch {
    return [];
  }
}

/** Resumes until no decided call remains. */
async function finish(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    await host.approvals.sweep();
    const open = await store.approvals.list({
      states: ["approved", "denied", "claimed", "started"],
      limit: 1,
    });
    if (open.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all(unfinishedTickets().map((ticket) => resumeCall(host, ticket)));
  }
}
