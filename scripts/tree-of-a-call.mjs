// Counts how far a call goes: `pnpm call-tree` makes a call in five ways and prints, for each, the functions that it enters,
// their files, and the moves from one file to another; then the files and functions of the plain call, by folder.
// `--json` prints only the counts. test/call-path.process.test.ts holds them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { countEntries } from "./enter-counter.mjs";

const { createHost, data, defineTool } = await import("@toolmount/core");
const { openStore } = await import("@toolmount/store");

const ways = { ...(await plainCall()), ...(await storedCalls()) };
const counts = Object.fromEntries(Object.entries(ways).map(([way, entries]) => [way, countsOf(entries)]));
if (process.argv.includes("--json")) console.log(JSON.stringify(counts));
else {
  console.table(counts);
  printTree(ways.plain);
}

function toolWith(more = {}) {
  return defineTool({
    name: "echo",
    description: "Returns its id. Use it to count what a call enters.",
    schema: z.strictObject({ id: z.string() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: async ({ id }) => data({ id }),
    ...more,
  });
}

/** A host with one tool and nothing else. Its second call is counted: the first one prepares the tool. */
async function plainCall() {
  const host = createHost();
  host.coordinator.mount("tools", toolWith());
  const call = () => host.call({ name: "echo", arguments: { id: "a" } }).then(requireStatus("ok"));
  await call();
  const { entries } = await countEntries(call);
  await host.close();
  return { plain: entries };
}

/** Calls that need an approval: approved at once, in a session with a gate and an observer; and answered later. */
async function storedCalls() {
  const folder = await mkdtemp(join(tmpdir(), "call-tree-"));
  const store = await openStore("sqlite:./calls.db", { folder });
  const asking = toolWith({ requiresConfirmation: true });

  const host = createHost({ store, approver: () => ({ decision: "approve", by: "Ada" }) });
  host.coordinator.mount("tools", asking);
  host.coordinator.hooks.gate("tool:pre", () => ({ action: "continue" }));
  host.coordinator.hooks.observe("tool:post", () => {});
  const session = host.session("s-1");
  const call = (id) => session.call({ name: "echo", arguments: { id } }).then(requireStatus("ok"));
  await call("a");
  const approved = await countEntries(() => call("b"));
  await host.close();

  const later = createHost({ store });
  later.coordinator.mount("tools", asking);
  const context = { sessionId: "s-1", userId: "u-1" };
  const question = await countEntries(() =>
    later.call({ name: "echo", arguments: { id: "c" } }, context).then(requireStatus("pending")),
  );
  const [{ id }] = await later.approvals.list();
  const decision = await countEntries(() => later.approvals.decide(id, "approve", "Bob"));
  const resumption = await countEntries(() =>
    later.resume(question.value.ticket, context).then(requireStatus("ok")),
  );
  await later.close();
  await store.close();
  await rm(folder, { recursive: true });
  return {
    approved: approved.entries,
    question: question.entries,
    decision: decision.entries,
    resumption: resumption.entries,
  };
}

function requireStatus(expected) {
  return (outcome) => {
    if (outcome.status === expected) return outcome;
    throw new Error(`the call ended ${outcome.status}: ${outcome.result.error}`);
  };
}

function countsOf(entries) {
  const files = entries.map((entry) => entry.split("#")[0]);
  const moves = files.filter((file, at) => at > 0 && file !== files[at - 1]).length;
  return { entries: entries.length, files: new Set(files).size, moves };
}

function printTree(entries) {
  const files = Map.groupBy(new Set(entries), (entry) => entry.split("#")[0]);
  const folders = Map.groupBy(
    [...files.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    (path) => dirname(path),
  );
  for (const [folder, paths] of folders) {
    console.log(folder);
    for (const path of paths)
      console.log(
        `  ${path.slice(folder.length + 1)}: ${files
          .get(path)
          .map((entry) => entry.split("#")[1])
          .join(", ")}`,
      );
  }
}
