import { expect, test } from "vitest";
import { createMemoryStore, data, ToolInterrupt } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };

/** A tool that a person approves, and that asks a value itself before it answers; each `open` is another process. */
function asking() {
  const store = createMemoryStore();
  const answers: string[] = [];
  let runs = 0;
  const probe = tool(
    () => {
      runs++;
      if (answers.length === 0) throw new ToolInterrupt("how much?");
      return data(answers[0]);
    },
    { requiresConfirmation: true, category: "write" },
  );
  const open = () => world([probe], { store }).host;
  return { open, answers, store, runs: () => runs };
}

test("a tool that interrupts in an approved call is resumed with the same approval, and asks nothing twice", async () => {
  const { open, answers, store, runs } = asking();
  const { ticket } = await open().call({ name: "probe" }, s);
  const [question] = await open().approvals.list();
  await open().approvals.decide(question!.id, "approve", "bob");

  for (let time = 0; time < 2; time++)
    await expect(open().resume(ticket!, s)).rejects.toBeInstanceOf(ToolInterrupt);
  answers.push("seven");
  expect(await open().resume(ticket!, s)).toMatchObject({ status: "ok", result: { data: "seven" } });

  expect(runs()).toBe(3);
  expect(await open().resume(ticket!, s)).toMatchObject({ status: "ok", result: { data: "seven" } });
  expect([runs(), (await open().approvals.list()).length]).toEqual([3, 0]);
  expect((await store.approvals.list({})).map(({ state }) => state)).toEqual(["ended"]);
});

test("an approval that is revoked while the tool waits for its own answer counts no more", async () => {
  const { open, answers, runs } = asking();
  const { ticket } = await open().call({ name: "probe" }, s);
  const [question] = await open().approvals.list();
  await open().approvals.decide(question!.id, "approve", "bob");
  await expect(open().resume(ticket!, s)).rejects.toBeInstanceOf(ToolInterrupt);

  await open().approvals.revoke(question!.id);
  answers.push("seven");
  expect(await open().resume(ticket!, s)).toMatchObject({ status: "denied" });
  expect(runs()).toBe(1);
});
