import { createHost } from "@toolmount/core";
import { openStore } from "@toolmount/store";

// Answers every open question of a store: `decide-process.ts <folder> <approve|deny>`.
const [, , folder = "", decision = "approve"] = process.argv;
const store = await openStore("sqlite:./state.db", { folder });
const host = createHost({ store });
const questions = await host.approvals.list();
for (const { id } of questions)
  await host.approvals.decide(
    id,
    { decision: decision as "approve", reason: decision === "deny" ? "not today" : undefined },
    "bob",
  );
process.stdout.write(`${questions.map(({ tool }) => tool).join(" ")}\n`);
await host.close();
await store.close();
