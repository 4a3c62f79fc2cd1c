import { expect, test } from "vitest";
import { z } from "zod";
import { createMemoryStore, data } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const schema = z.strictObject({ path: z.string(), token: z.string().optional() }) as never;
const asks = { category: "delete", requiresConfirmation: true, schema } as const;

/** A host with one tool that asks; `ran` counts what really ran. */
function wipeWorld(more: object) {
  const ran: unknown[] = [];
  const wipe = tool((given) => (ran.push(given), data("gone")), { name: "wipe", ...asks, ...more });
  return { ...world([wipe], { store: createMemoryStore() }), ran };
}

const preview = ({ path }: { path: string }) => ({
  effects: [{ target: path, change: "delete" as const, difference: "-one" }],
  result: data("gone"),
});

async function asked(host: ReturnType<typeof wipeWorld>["host"], given: object, context: object = {}) {
  await host.call({ name: "wipe", arguments: given as never }, context);
  return (await host.approvals.list())[0]!.id;
}

test.each([["s"], [undefined]])(
  "a question shows what its call would change; session %s",
  async (sessionId) => {
    const { host, ran } = wipeWorld({ preview });
    const id = await asked(host, { path: "a" }, { sessionId });

    expect(await host.approvals.preview(id)).toEqual({
      effects: [{ target: "a", change: "delete", difference: "-one" }],
      problem: null,
    });
    expect(ran).toEqual([]);
    expect(await host.approvals.list()).toHaveLength(1);
  },
);

test.each([
  ["a tool without a preview", {}, { path: "a" }, '"wipe" has no preview'],
  ["masked arguments", { preview }, { path: "a", token: "hunter2" }, "a value of its arguments is masked"],
  [
    "a preview without effects",
    { preview: () => ({ effects: [], result: data(1) }) },
    { path: "a" },
    "it changes nothing",
  ],
  [
    "a preview that fails",
    { preview: () => Promise.reject(new Error("no disk")) },
    { path: "a" },
    "wipe failed",
  ],
])("says why it is not known: %s", async (_, more, given, problem) => {
  const { host, ran } = wipeWorld(more);
  const id = await asked(host, given, { sessionId: "s" });

  expect(await host.approvals.preview(id)).toEqual({ effects: [], problem });
  expect(ran).toEqual([]);
});

test("another host says that it does not have the tool; an answered question has no preview any more", async () => {
  const store = createMemoryStore();
  const wipe = tool(() => data("gone"), { name: "wipe", ...asks, preview });
  const { host } = world([wipe], { store });
  const id = await asked(host, { path: "a" }, { sessionId: "s" });

  expect(await world([], { store }).host.approvals.preview(id)).toMatchObject({
    problem: 'no tool named "wipe" is mounted here',
  });
  await host.approvals.decide(id, "deny", "bob");
  await expect(host.approvals.preview(id)).rejects.toMatchObject({ code: "APPROVAL_DECIDED" });
  await expect(host.approvals.preview("x")).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
});
