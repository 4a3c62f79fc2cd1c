import { describe, expect, test } from "vitest";
import { createMemoryStore, data } from "../../src/index.ts";
import { createRedactor } from "../../src/text/redact.ts";
import { lineOf } from "../../src/record.ts";
import { tool, world } from "../world.ts";

/** How often other work of the host could run before the outcome. */
async function turnsUntil(outcome: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await outcome.finally(() => (isDone = true));
  return turns;
}

describe("a call with large arguments", () => {
  test.each([
    ["an object", (text: string) => ({ text })],
    ["a text", (text: string) => JSON.stringify({ text })],
    ["an object of many values", (text: string) => ({ letters: text.split("") })],
  ])("lets other work in between its hops, one with small ones does not: %s", async (_, make) => {
    const { host } = world([tool(() => data(1))]);
    const turns = (length: number) =>
      turnsUntil(host.call({ name: "probe", arguments: make("x".repeat(length)) }));

    expect(await turns(33_000)).toBeGreaterThanOrEqual(5);
    expect(await turns(30)).toBeLessThanOrEqual(1);
  });

  test("ends when its caller stops it in between", async () => {
    const ran: string[] = [];
    const { host } = world([tool(() => data(ran.push("probe")))]);
    const controller = new AbortController();
    const outcome = host.call(
      { name: "probe", arguments: { text: "x".repeat(33_000) } },
      { abortSignal: controller.signal },
    );
    controller.abort();
    expect([(await outcome).status, ran]).toEqual(["cancelled", []]);
  });
});

/** An object that counts how often its members are read. */
function counted(members: number) {
  const read = { count: 0 };
  const value = new Proxy(Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, at])), {
    get: (of, key) => (read.count++, Reflect.get(of, key) as unknown),
  });
  return { value, read };
}

test("a line of arguments reads no more members than it shows", () => {
  const { value, read } = counted(20_000);
  expect(lineOf(value)).toHaveLength(200);
  expect(read.count).toBeLessThan(40);
});

describe("masking what is frozen", () => {
  const freeze = <Value extends object>(value: Value) => Object.freeze(value);

  test("makes no copy of what has no secret", () => {
    const given = freeze({ a: freeze([1, "two"]), b: freeze({ c: null }) });
    expect(createRedactor([])(given)).toBe(given);
  });

  test("copies only what is above a secret, or what could change", () => {
    const [plain, secret, open] = [freeze({ a: 1 }), freeze({ b: 1, token: "abc" }), { c: 1 }];
    const given = freeze({ plain, list: freeze([secret, plain]), open, "my-secret-word": 1 });
    const shown = createRedactor(["secret-word"])(given) as Record<string, unknown>;

    expect(shown).toEqual({
      plain: { a: 1 },
      list: [{ b: 1, token: "[masked]" }, { a: 1 }],
      open: { c: 1 },
      "my-[masked]": "[masked]",
    });
    expect([shown["plain"], (shown["list"] as unknown[])[1]]).toEqual([plain, plain]);
    expect(shown["plain"]).toBe(plain);
    expect(shown["open"]).not.toBe(open);
    expect(Object.keys(shown)).toEqual(["plain", "list", "open", "my-[masked]"]);
  });
});

test("arguments of an inner call that are too large are neither copied nor digested before they are refused", async () => {
  const read: string[] = [];
  const rest = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, 1]));
  const given = { text: "x".repeat(2_000_000) };
  for (const key of Object.keys(rest))
    Object.defineProperty(given, key, { enumerable: true, get: () => read.push(key) });
  const outer = tool(
    async (_, context) => {
      const { status, result } = await context.call({ name: "probe", arguments: given });
      return data([status, result.error ?? ""]);
    },
    { name: "outer", idempotent: true },
  );
  const { host } = world([outer, tool(() => data(1))], { store: createMemoryStore() });

  const { result } = await host.call({ name: "outer" }, { sessionId: "s" });
  expect(result.data).toEqual(["invalid", "the arguments are larger than 1048576 bytes"]);
  expect(read).toEqual([]);
});
