// A host that asks, decides, goes on and runs until it is killed, writing down what it was told as it is told.
// First it goes on with whatever the hosts before it left behind.
import { appendFileSync, readFileSync } from "node:fs";
import { createHost, data, type Host, type ToolDefinition, type ToolSchema } from "@toolmount/core";
// Not by the index: a child that starts five hundred times had better not load what it does not need.
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

const told = new Set<string>();
/** Tells the parent of the first time that something happens. */
function tell(moment: string): void {
  if (!told.has(moment)) process.send?.(moment);
  told.add(moment);
}

const store = await openStore(url, { connections: 8 });
const host = createHost({ store, approvals: { leaseMs: 40 } });
for (const idempotent of [false, true]) host.coordinator.mount("tools", effect(idempotent));
host.coordinator.hooks.observe("tool:post", (_, event) => note("ends", String(event["run_id"]), "ok"));
host.coordinator.hooks.observe("tool:error", (_, event) =>
  note("ends", String(event["run_id"]), String(event["status"])),
);

tell("began");
await Promise.all(leftBehind().map((ticket) => goOn(host, ticket)));
if (mode === "finish") {
  await finish();
  await host.close();
  await store.close();
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
      tell("ran");
      await new Promise((resolve) => setImmediate(resolve));
      return data(runId);
    },
  };
}

/** One call from its question to its end. What is written down was acknowledged. */
async function work({ call, approvals }: Host, at: number): Promise<void> {
  const asked = await call({ name: at % 3 === 0 ? "again" : "once" }, context);
  note("tickets", asked.ticket!, asked.runId);
  tell("asked");
  const question = (await approvals.list({ limit: 1_000 })).find(({ info }) => info.runId === asked.runId);
  const decision = at % 2 === 0 ? "approve" : "deny";
  note("tries", asked.runId, decision);
  await approvals.decide(question!.id, decision, "p");
  note("decisions", asked.runId, decision);
  tell("decided");
  await goOn(host, asked.ticket!);
}

async function goOn({ resume }: Host, ticket: string): Promise<void> {
  const outcome = await resume(ticket, context);
  note("outcomes", outcome.runId, outcome.status, ticket);
  tell("ended");
}

function leftBehind(): string[] {
  const over = new Set(
    lines("outcomes")
      .filter(([, status]) => status !== "pending")
      .map(([, , ticket]) => ticket),
  );
  return lines("tickets").flatMap(([ticket]) => (ticket === undefined || over.has(ticket) ? [] : [ticket]));
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

/** Until nothing that was decided is left. */
async function finish(): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    await host.approvals.sweep();
    const open = await store.approvals.list({
      states: ["approved", "denied", "claimed", "started"],
      limit: 1,
    });
    if (open.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all(leftBehind().map((ticket) => goOn(host, ticket)));
  }
}
