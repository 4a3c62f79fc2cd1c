import { PassThrough } from "node:stream";
import { createHost, createMemoryStore, data, defineTool, type Clock } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { pickApprovals } from "../../src/host/approvals-picker.ts";
import { createScreen } from "../../src/screen/screen.ts";

const whose = { userId: "ada", sessionId: "s-1" };
const keys = { enter: "\r", ctrlC: "\u0003" };
const list = /Which question\?/;
const question = /Approve remove\?[\s\S]*└ {2}Press /;

/** A clock on which the time before keys count passes at once. */
const atOnce: Pick<Clock, "setTimer"> = {
  setTimer(callback) {
    const timer = setImmediate(callback);
    return { cancel: () => clearImmediate(timer), keepAlive: () => {} };
  },
};

/** A host in which a call waits for each consequence, and a person who presses the next key whenever its text is new on the screen. */
async function picked(consequences: readonly ("medium" | "high")[], presses: readonly [RegExp, string][]) {
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
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...presses];
  let [shown, fresh] = ["", ""];
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    fresh += chunk.toString();
    const [next] = left;
    if (next === undefined || !next[0].test(fresh)) return;
    left.shift();
    fresh = "";
    setImmediate(() => input.write(next[1]));
  });
  const err = createScreen({ write: (text) => output.write(text) }, {});
  const terminal = { input, output, clock: atOnce };
  await pickApprovals(host, { shell: { err } as never, terminal, by: "ada" });
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
  const end = await picked(
    ["medium"],
    [
      [list, keys.enter],
      [question, key],
    ],
  );

  expect(end).toMatchObject({ left: [], statuses: [status], remembered });
  expect(end.shown).toContain(`remove is ${status === "ok" ? "approved" : "denied"}\n`);
  expect(end.shown).toMatch(/no question waits\n$/);
});

test("a call that is grave needs Enter after the letter", async () => {
  const approve: [RegExp, string] = [question, "y"];
  const enter: [RegExp, string] = [/Press Enter: Approve this one call\./, keys.enter];

  expect(await picked(["high"], [[list, keys.enter], approve, enter])).toMatchObject({ statuses: ["ok"] });
  expect(await picked(["high"], [[list, keys.enter], approve, [enter[0], "n"]])).toMatchObject({
    statuses: ["denied"],
  });
});

test("a person may look at the details, and say why not", async () => {
  const { shown, statuses, decided } = await picked(
    ["medium"],
    [
      [list, keys.enter],
      [question, "i"],
      [/sha256 [\s\S]*└ {2}Press /, "d"],
      [/Why not\?/, "too risky\r"],
    ],
  );

  expect(shown).toMatch(/digest {4}sha256 [0-9a-f]{64}[\s\S]*"path": "a.txt"/);
  expect(statuses).toEqual(["denied"]);
  expect(decided[0]).toMatchObject({ result: { error: expect.stringContaining("too risky") } });
});

test.each([
  ["the list", [[list, keys.ctrlC]]],
  ["a question", [[list, keys.enter], [question, keys.ctrlC]]], // prettier-ignore
  ["the reason", [[list, keys.enter], [question, "d"], [/Why not\?/, keys.ctrlC]]], // prettier-ignore
  ["the list, after a question is left for later", [[list, keys.enter], [question, "l"], [list, keys.ctrlC]]], // prettier-ignore
] as [string, [RegExp, string][]][])("a person who leaves %s decides nothing", async (_, presses) => {
  expect(await picked(["medium"], presses)).toMatchObject({
    left: [],
    statuses: ["pending"],
    remembered: [],
  });
});

test("the list names each question by its tool, id, user and reason, and the chosen one is asked", async () => {
  const { shown, statuses } = await picked(
    ["medium", "medium"],
    [
      [list, "\u001b[B"],
      [/remove_1/, keys.enter],
      [/Approve remove_1\?[\s\S]*└ {2}Press /, "y"],
      [list, keys.ctrlC],
    ],
  );

  expect(shown).toMatch(/remove_1 {2}\S+ {2}ada/);
  expect(shown).toMatch(/remove {2}\S+ {2}ada/);
  expect(statuses).toEqual(["pending", "ok"]);
});
