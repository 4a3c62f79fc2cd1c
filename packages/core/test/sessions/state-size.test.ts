import { createMemoryStore, data, type Json } from "@toolmount/core";
import { expect, test } from "vitest";
import { tool, world, type Where } from "../world.ts";

const megabyte = "x".repeat(1_000_000);
const s = { sessionId: "s" };

/** A host with a tool that sets as many values as it can, and says how many and why not more. */
function filling(value: Json, where: Where = "inline", limits = {}) {
  const fill = tool((_params, { session }) => {
    for (let n = 0; ; n++) {
      try {
        session.set(`k${n}`, value);
      } catch (error) {
        const { message, code } = error as Error & { code: string };
        return data({ set: n, message, code });
      }
    }
  });
  return world([fill], { store: createMemoryStore(), limits }, where);
}

test.each<Where>(["inline", "cloned"])("a session keeps 16 MB of values, and no more (%s)", async (where) => {
  const { host } = filling(megabyte, where);

  const { result } = await host.call({ name: "probe" }, s);

  expect(result.data).toMatchObject({ set: 16, code: "STATE_TOO_LARGE" });
  expect((result.data as { message: string }).message).toMatch(
    /the value of "k16" does not fit .* 16777216 bytes/,
  );
  expect(host.session("s").state.get("k15")).toHaveLength(1_000_000);
});

test("many small values count, too", async () => {
  const { host } = filling(0, "inline", { stateBytes: 10_000 });

  const { data: answer } = (await host.call({ name: "probe" }, s)).result;

  expect((answer as { set: number }).set).toBeLessThan(10_000 / 64);
});

test("room that is given back can be used again, also after many keys", async () => {
  const turn = tool((_params, { session }) => {
    for (let n = 0; n < 100; n++) {
      session.set(`k${n}`, "x".repeat(600));
      session.delete(`k${n}`);
      session.set("same", "y".repeat(200 + n));
    }
    return data({});
  });
  const { host } = world([turn], { store: createMemoryStore(), limits: { stateBytes: 10_000 } });

  for (let round = 0; round < 5; round++) expect((await host.call({ name: "probe" }, s)).status).toBe("ok");
});

test("a tool that does not catch the error ends with its code, and what it set before stays", async () => {
  const { host } = world([
    tool((_params, { session }) => {
      session.set("small", 1);
      session.set("large", megabyte.repeat(17));
      return data({});
    }),
  ]);

  const { status, result } = await host.call({ name: "probe" }, s);

  expect({ status, code: result.code }).toEqual({ status: "failed", code: "STATE_TOO_LARGE" });
  expect(host.session("s").state.get("small")).toBe(1);
});

test("a value that is nested too deep is refused as such", async () => {
  let deep: Json = 1;
  for (let n = 0; n < 100; n++) deep = [deep];
  const { host } = filling(deep);

  const { data: answer } = (await host.call({ name: "probe" }, s)).result;

  expect(answer).toMatchObject({ set: 0, message: expect.stringContaining("64 levels") as string });
});
