import { expect, test } from "vitest";
import { data } from "../../src/index.ts";
import { tool, world } from "../world.ts";

const members = 200_000;

test("a result of 200,000 members is refused after few looks at each, and is kept whole", async () => {
  let reads = 0;
  const wide = Object.fromEntries(Array.from({ length: members }, (_, at) => [`key${at}`, at]));
  const counted = new Proxy(wide, {
    get(target, key) {
      reads += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  const { host } = world([tool(() => data(counted))]);
  const outcome = await host.call({ name: "probe" });

  expect(outcome.result).toMatchObject({ code: "OUTPUT_TOO_LARGE", truncated: { ref: expect.any(String) } });
  expect(reads).toBeLessThan(2.5 * members);
  const { text } = host.output(outcome.result.truncated!.ref, { limit: 20 });
  expect(text).toBe('{"key0":0,"key1":1,"');
});

test("data of many small members that fits is returned", async () => {
  const rows = Array.from({ length: 40_000 }, (_, at) => at % 10);
  const { host } = world([tool(() => data(rows))]);

  expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok", result: { data: rows } });
});

test("data with an object of more than 20,000 members is refused, although it fits, and is kept whole", async () => {
  const wide = (count: number) => ({
    rows: [Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 1]))],
  });
  const { host } = world([tool(({ input }) => data(wide(input === "most" ? 20_000 : 20_001)))], {
    limits: { outputBytes: 10_000_000 },
  });

  expect(await host.call({ name: "probe", arguments: { input: "most" } })).toMatchObject({ status: "ok" });
  const { result } = await host.call({ name: "probe", arguments: { input: "more" } });
  expect(result).toMatchObject({ code: "OUTPUT_TOO_LARGE", truncated: { ref: expect.any(String) } });
  expect(result.error).toContain("has an object of more than 20000 members");
});
