import { createMemoryStore, type StateStore } from "@toolmount/core";
import { storeCases, type StorePair } from "@toolmount/testing";
import { expect, test } from "vitest";

function pairOf(store: StateStore): StorePair {
  return [store, store];
}

/** Titles of the cases that a store fails. */
async function failuresOf(open: () => StateStore): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { title, run } of storeCases) await run(pairOf(open())).catch(() => failed.push(title));
  return failed;
}

const broken: readonly { readonly fault: string; readonly open: () => StateStore; readonly found: RegExp }[] =
  [
    {
      fault: "accepts every replacement",
      open: () => {
        const store = createMemoryStore({ audit: "durable" });
        return { ...store, approvals: { ...store.approvals, replace: async () => true } };
      },
      found: /exactly one succeeds/,
    },
    {
      fault: "keeps the log of a deleted session",
      open: () => {
        const store = createMemoryStore({ audit: "durable" });
        return { ...store, sessions: { ...store.sessions, delete: async () => true } };
      },
      found: /also deletes its log/,
    },
    {
      fault: "forgets the heads of the audit",
      open: () => {
        const store = createMemoryStore({ audit: "durable" });
        return { ...store, audit: { ...store.audit!, heads: async () => [] } };
      },
      found: /head of each chain/,
    },
  ];

test.each(broken)("the suite finds a store that $fault", async ({ open, found }) => {
  expect((await failuresOf(open)).join("\n")).toMatch(found);
});
