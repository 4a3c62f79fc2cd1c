import { describe, expect, test } from "vitest";
import { announcedEvents, problemOf } from "../src/far/contributions.ts";
import { callMethod, capabilityOf, shapeOf } from "../src/far/crossing.ts";
import { GivenCapabilities } from "../src/process/near-services.ts";

describe("what crosses a border", () => {
  test.each([
    ["a text", "a", { value: "a", methods: [] }],
    ["a list", [1, null], { value: [1, null], methods: [] }],
    ["an object with a method", { a: 1, add: () => 1 }, { value: { a: 1 }, methods: ["add"] }],
  ])("%s", (_, capability, shape) => {
    expect(shapeOf("n", capability)).toEqual(shape);
  });

  test.each([
    [() => 1, "n cannot cross a border: it is a function; register a plain object with methods"],
    [new Map(), "n cannot cross a border: it "],
    [{ a: { b: () => 1 } }, "n.a.b cannot cross a border: it "],
    ["x".repeat(999_999), "n cannot cross a border: it has more than 1000000 characters of JSON"],
    [
      Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`m${at}`, () => at])),
      "n cannot cross a border: it has more than 100 methods",
    ],
    [
      { then: () => 1 },
      'n cannot cross a border: it has a method "then"; a name has 1 to 200 characters, and the language calls no method of that name by itself',
    ],
  ])("%# does not", (capability, problem) => {
    expect(() => shapeOf("n", capability)).toThrow(problem);
  });

  test("a method is called on its object, with JSON, and answers with JSON", async () => {
    const notes = {
      size: 2,
      add: function add(this: { size: number }, more: number) {
        return this.size + more;
      },
      none: () => undefined,
      odd: () => new Map(),
    };
    expect(await callMethod("n", notes, "add", [1])).toBe(3);
    expect(await callMethod("n", notes, "none", [])).toBeUndefined();
    await expect(callMethod("n", notes, "odd", [])).rejects.toThrow(
      "the result of n.odd cannot cross a border",
    );
    for (const [capability, method] of [
      [notes, "gone"],
      [notes, "size"],
      [notes, "toString"],
      ["text", "length"],
      [null, "a"],
    ] as const)
      await expect(callMethod("n", capability, method, [])).rejects.toThrow(
        `the capability "n" has no method "${method}"`,
      );
    expect(capabilityOf("n", { value: [1], methods: [] }, async () => 1)).toEqual([1]);
  });

  test("a module uses the capabilities of the host that its plan names, 256 times at once", async () => {
    const waits = Promise.withResolvers<number>();
    const has: Record<string, unknown> = {
      "a.b": { wait: () => waits.promise },
      "c.d": null,
      "e.f": undefined,
      "g.h": 1,
    };
    const given = new GivenCapabilities(["a.b", "c.d", "e.f"], (name) => has[name]);
    expect(given.shapes()).toEqual({ "a.b": { value: {}, methods: ["wait"] } });
    const use = (name: string) => given.use({ name, method: "wait", arguments: [] });
    await expect(use("g.h")).rejects.toThrow(
      expect.objectContaining({ message: 'the plan does not let the module use "g.h"' }),
    );
    const all = Array.from({ length: 256 }, () => use("a.b"));
    await expect(use("a.b")).rejects.toThrow(
      expect.objectContaining({ message: "256 uses of capabilities run already; await some of them" }),
    );
    waits.resolve(7);
    expect(new Set(await Promise.all(all))).toEqual(new Set([7]));
    expect(await use("a.b")).toBe(7);
  });
});

describe("a contribution of a process", () => {
  test.each([
    ["observability.events", "n", ["a"], null],
    ["c".repeat(200), "n".repeat(200), 1, null],
    ["c".repeat(201), "n", 1, "its name has more than 200 characters"],
    ["c", "n".repeat(201), 1, "its name has more than 200 characters"],
    ["mcp", "n", 1, "the host takes more than plain data from it"],
    ["mcp.definitions", "n", 1, "the host takes more than plain data from it"],
    ["lock.x", "n", 1, "the host takes more than plain data from it"],
    ["skills", "n", 1, "the host takes more than plain data from it"],
    ["mcps", "n", 1, null],
    ["c", "n", "x".repeat(99_998), null],
    ["c", "n", "x".repeat(99_999), "a contribution is JSON of at most 100000 characters"],
    ["c", "n", () => 1, "a contribution is JSON of at most 100000 characters"],
  ])("%# to %s can be made, or why not", (channel, name, value, problem) => {
    expect(problemOf(channel, name, value)).toBe(problem);
  });

  test("announces events that are not those of the host", () => {
    const events = (value: unknown, channel = "observability.events") => [
      ...announcedEvents([{ channel, name: "n", value: value as never }]),
    ];
    expect(events(["acme:done", "tool:pre", 7, "x".repeat(201), "artifact:write"])).toEqual([
      "acme:done",
      "artifact:write",
    ]);
    expect(events("acme:done")).toEqual(["acme:done"]);
    expect(events(["acme:done"], "other")).toEqual([]);
  });
});
