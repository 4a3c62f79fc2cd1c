import { data, type ToolOutcome } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { tool, world, type Where } from "../world.ts";

const wheres: readonly Where[] = ["inline", "cloned"];

/** A tool that makes many calls without waiting for any of them, and counts how they ended. */
function flood(count: number) {
  return tool(
    async (_params, context) => {
      const calls: Promise<ToolOutcome>[] = [];
      for (let n = 0; n < count; n++) calls.push(context.call({ id: `c${n}`, name: "note" }));
      const outcomes = await Promise.all(calls);
      const ok = outcomes.filter(({ status }) => status === "ok").length;
      const [refused] = outcomes.filter(({ status }) => status !== "ok");
      return data({ ok, refused: refused === undefined ? null : { ...refused, runId: "" } });
    },
    { name: "flood", timeout: 600_000 },
  );
}

describe.each(wheres)("a tool that calls without waiting (%s)", (where) => {
  test("has as many calls in flight as the host allows; the others are refused and cost no run", async () => {
    let runs = 0;
    const note = tool(async () => (runs++, await Promise.resolve(), data({})), { name: "note" });
    const { host, events } = world([flood(50_000), note], {}, where);

    const { result } = await host.call({ name: "flood" });

    expect(runs).toBe(256);
    expect(events.filter(({ data: { tool_name } }) => tool_name === "note")).toHaveLength(256 * 2);
    expect(result.data).toMatchObject({
      ok: 256,
      refused: {
        callId: "c256",
        tool: "note",
        status: "failed",
        result: { code: "UNAVAILABLE", error: expect.stringContaining("256 calls in flight") as string },
      },
    });
  });

  test("may make any number of calls one after the other", async () => {
    const patient = tool(async (_params, context) => {
      for (let n = 0; n < 600; n++) await context.call({ name: "note" });
      return data({});
    });
    const { host } = world([patient, tool(undefined, { name: "note" })], {}, where);

    expect((await host.call({ name: "probe" })).status).toBe("ok");
  });

  test("may have more in flight where the host says so", async () => {
    const { host } = world(
      [flood(600), tool(undefined, { name: "note" })],
      { limits: { nested: 600 } },
      where,
    );

    expect((await host.call({ name: "flood" })).result.data).toMatchObject({ ok: 600, refused: null });
  });
});
