import { expect, test } from "vitest";
import { z } from "zod";
import { createHost, createMemoryStore, type CallContext } from "../../src/index.ts";
import { fitsOutputSchema, isAvailable, offerMarkOf, toolsHere } from "../../src/host/tools-here.ts";
import { tool, world } from "../world.ts";

test("a host without a store has no question, and says what an answer needs", async () => {
  const { approvals } = createHost();

  expect(await approvals.list()).toEqual([]);
  expect(await approvals.remembered()).toEqual([]);
  await expect(approvals.sweep()).resolves.toBeUndefined();
  for (const answer of [() => approvals.decide("id", "approve", "ann"), () => approvals.revoke("id")])
    await expect(answer()).rejects.toMatchObject({
      code: "EXTENSION_MISSING",
      details: {
        what: "the decision about calls that wait",
        module: "a store",
        install: "state: sqlite:./.toolmount/state.db in the plan, or createHost({ store })",
      },
    });
});

test("an id of no question is not found", async () => {
  const { approvals } = createHost({ store: createMemoryStore() });
  for (const id of ["gone", 7, null])
    await expect(approvals.decide(id as string, "deny", "ann")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
});

test("a server of tools sees what is mounted, whether it is hidden, and whether data fit its schema", async () => {
  const outputSchema = z.object({ sum: z.number() });
  const { host } = world([tool(), { ...tool(), name: "added", outputSchema }] as never);
  host.coordinator.provide("auth", () => ({ user: "ann" }));

  expect(toolsHere(host).map(({ info }) => info.name)).toEqual(["probe", "added"]);
  const given = toolsHere(host)[0]!.provide({} as never, {} as CallContext as never);
  expect(given).toMatchObject({ auth: { user: "ann" } });
  expect([isAvailable(host, "probe"), isAvailable(host, "gone")]).toEqual([true, false]);
  expect(await fitsOutputSchema(host, "probe", "anything")).toBe(true);
  expect(await fitsOutputSchema(host, "gone", "anything")).toBe(true);
  expect(await fitsOutputSchema(host, "added", { sum: 1 })).toBe(true);
  expect(await fitsOutputSchema(host, "added", { sum: "1" })).toBe(false);
});

test("the mark of an offer stays while the offer does", () => {
  const { host } = world([tool()]);
  const before = offerMarkOf(host, "s");

  expect(offerMarkOf(host, "s")).toEqual(before);
  host.coordinator.mount("tools", { ...tool(), name: "other" });
  expect(offerMarkOf(host, "s")).not.toEqual(before);
});

test("only a host of createHost has tools to serve", () => {
  expect(() => toolsHere({ coordinator: {} as never })).toThrow(
    expect.objectContaining({ message: "this is not a host that createHost made" }),
  );
});
