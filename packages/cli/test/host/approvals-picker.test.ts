import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { pickApprovals } from "../../src/host/approvals-picker.ts";
import { personAt, type Press } from "../support/person.ts";

const whose = { userId: "ada", sessionId: "s-1" };
const ctrlC = "\u0003";
/** Keys count from here on. */
const ready = "└  Press ";
const open: Press = { at: "Which question?", keys: "\r" };
const answer = (keys: string): Press => ({ at: ready, keys });

/** A host in which a call waits for each consequence, and a person who presses keys. */
async function picked(consequences: readonly ("medium" | "high")[], ...presses: readonly Press[]) {
  const store = createMemoryStore();
  const host = createHost({ store });
  onTestFinished(async () => void (await host.close()));
  const tickets: string[] = [];
  for (const [index, consequenceLevel] of consequences.entries()) {
    const name = index === 0 ? "remove" : `remove_${index}`;
    host.coordinator.mount("tools", removing(name, consequenceLevel));
    const outcome = await host.call({ name, arguments: { path: "a.txt" } }, whose);
    tickets.push(outcome.ticket!);
  }
  const { screen: err, terminal, seen, left } = personAt(presses);
  await pickApprovals(host, { shell: { err } as never, terminal, by: "ada" });
  const shown = await seen();
  const decided = await Promise.all(tickets.map((ticket) => host.resume(ticket, whose)));
  const remembered = (await store.approvals.remembered()).map(({ scope }) => scope);
  return { shown, left, statuses: decided.map(({ status }) => status), decided, remembered };
}

function removing(name: string, consequenceLevel: "medium" | "high") {
  return defineTool({
    name,
    description: "Removes a file. Use when the user asks for it.",
    schema: z.strictObject({ path: z.string() }),
    category: "side_effect",
    consequenceLevel,
    requiresConfirmation: true,
    execute: ({ path }) => data({ gone: path }),
  });
}

test.each([
  ["y", "ok", []],
  ["n", "denied", []],
  ["a", "ok", ["arguments"]],
  ["s", "ok", ["session"]],
])("the key %s decides a stored question", async (key, status, remembered) => {
  const end = await picked(["medium"], open, answer(key));

  expect(end).toMatchObject({ left: [], statuses: [status], remembered });
  expect(end.shown).toContain(`remove is ${status === "ok" ? "approved" : "denied"}\n`);
  expect(end.shown).toMatch(/no question waits\n$/);
});

test("the person sees what the call would change now, and nothing has run", async () => {
  const preview = ({ path }: { path: string }) => ({
    effects: [{ target: path, change: "delete" as const, difference: "-one\u202e" }],
    result: data(1),
  });
  const store = createMemoryStore();
  const host = createHost({ store });
  onTestFinished(async () => void (await host.close()));
  host.coordinator.mount("tools", { ...removing("remove", "medium"), preview });
  await host.call({ name: "remove", arguments: { path: "a.txt" } }, whose);
  const { screen: err, terminal, seen } = personAt([open, answer("n")]);

  await pickApprovals(host, { shell: { err } as never, terminal, by: "ada" });

  expect(await seen()).toContain("It would change now:\n  delete a.txt\n    -one\\u202e\n");
});

test("a call that is grave needs Enter after the letter", async () => {
  const grave = (keys: string) =>
    picked(["high"], open, answer("y"), { at: "Press Enter: Approve this one call.", keys });

  expect(await grave("\r")).toMatchObject({ statuses: ["ok"] });
  expect(await grave("n")).toMatchObject({ statuses: ["denied"] });
});

test("a person may look at the details, and say why not", async () => {
  const { shown, statuses, decided } = await picked(
    ["medium"],
    open,
    answer("i"),
    { at: "sha256 ", keys: "" },
    answer("d"),
    { at: "Why not?", keys: "too risky\r" },
  );

  expect(shown).toMatch(/digest {4}sha256 [0-9a-f]{64}[\s\S]*"path": "a.txt"/);
  expect(statuses).toEqual(["denied"]);
  expect(decided[0]).toMatchObject({ result: { error: expect.stringContaining("too risky") } });
});

test.each<[string, Press[]]>([
  ["the list", [{ ...open, keys: ctrlC }]],
  ["a question", [open, answer(ctrlC)]],
  ["the reason", [open, answer("d"), { at: "Why not?", keys: ctrlC }]],
  ["the list, after a question is left for later", [open, answer("l"), { ...open, keys: ctrlC }]],
])("a person who leaves %s decides nothing", async (_, presses) => {
  expect(await picked(["medium"], ...presses)).toMatchObject({
    left: [],
    statuses: ["pending"],
    remembered: [],
  });
});

test("the list names each question by its tool, id, user and reason, and the chosen one is asked", async () => {
  const { shown, statuses } = await picked(
    ["medium", "medium"],
    { ...open, keys: "\u001b[B" },
    { at: "remove_1", keys: "\r" },
    { at: "Approve remove_1?", keys: "" },
    answer("y"),
    { ...open, keys: ctrlC },
  );

  expect(shown).toMatch(/remove_1 {2}\S+ {2}ada/);
  expect(shown).toMatch(/remove {2}\S+ {2}ada/);
  expect(statuses).toEqual(["pending", "ok"]);
});
