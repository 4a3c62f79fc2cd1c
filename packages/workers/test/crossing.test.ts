import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { callMethod, capabilityOf, shapeOf } from "../src/far/crossing.ts";
import { farMessage } from "../src/far/far-message.ts";

const reserved = ["then", "toJSON", "toString", "valueOf", "constructor", "__proto__", "x".repeat(201), ""];

test.each(reserved)(
  "a capability with the method %j does not cross, and a forged message with it is refused",
  (method) => {
    const capability = Object.defineProperty({}, method, { value: () => 1, enumerable: true });
    const shape = { value: {}, methods: [method] };
    const forged = { type: "mounted", keepsState: false, capabilities: [{ name: "acme.notes", shape }] };

    expect(() => shapeOf("acme.notes", capability)).toThrow(
      /acme\.notes cannot cross a border: it has a method/,
    );
    expect(farMessage.safeParse(forged).success).toBe(false);
    const allowed = {
      ...forged,
      capabilities: [{ name: "acme.notes", shape: { value: {}, methods: ["add"] } }],
    };
    expect(farMessage.safeParse(allowed).success).toBe(true);
  },
);

test("a capability whose other side fails does not end a process that waits for no answer", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const failure = new Error("the process has ended");
  const notes = capabilityOf("acme.notes", { value: {}, methods: ["add"] }, () =>
    Promise.reject(failure),
  ) as {
    readonly add: (given: unknown) => Promise<unknown>;
  };
  void notes.add("a");
  void notes.add(() => 1);
  await setImmediate();

  expect(unhandled).toEqual([]);
  await expect(notes.add("a")).rejects.toBe(failure);
  await expect(notes.add(() => 1)).rejects.toThrow(
    expect.objectContaining({
      message:
        "argument 1 of acme.notes.add cannot cross a border: it is of type function, which JSON cannot hold",
    }),
  );
});

test("a capability crosses as its data and the names of its methods", () => {
  const methods = { add: () => 1, list: () => 2 };
  expect(shapeOf("acme.notes", { ...methods, limit: 3, deep: { a: [1] } })).toEqual({
    value: { limit: 3, deep: { a: [1] } },
    methods: ["add", "list"],
  });
  for (const value of [7, "text", null, [1, 2], { a: 1 }])
    expect(shapeOf("acme.notes", value)).toEqual({ value, methods: [] });
  expect(shapeOf("acme.notes", Object.assign(Object.create(null), methods))).toEqual({
    value: {},
    methods: ["add", "list"],
  });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, () => at]));
  expect(shapeOf("acme.notes", many(100)).methods).toHaveLength(100);
  expect(shapeOf("acme.notes", { ["x".repeat(200)]: () => 1 }).methods).toHaveLength(1);
  expect(() => shapeOf("acme.notes", many(101))).toThrow(
    "acme.notes cannot cross a border: it has more than 100 methods",
  );
});

const long = (length: number) => "x".repeat(length - 2);

test.each<[string, unknown, string]>([
  [
    "a function",
    () => 1,
    "acme.notes cannot cross a border: it is a function; register a plain object with methods",
  ],
  ["an object of a class", new Map(), "acme.notes cannot cross a border: it "],
  ["what is no JSON", { a: { b: 1n } }, "acme.notes.a.b cannot cross a border: it "],
  [
    "too much",
    long(1_000_001),
    "acme.notes cannot cross a border: it has more than 1000000 characters of JSON",
  ],
  [
    "a reserved method with a long name",
    { ["y".repeat(201)]: () => 1 },
    `acme.notes cannot cross a border: it has a method "${"y".repeat(39)}`,
  ],
])("a capability that is %s does not cross", (_, value, problem) => {
  expect(() => shapeOf("acme.notes", value)).toThrow(problem);
  expect(shapeOf("acme.notes", long(1_000_000)).methods).toEqual([]);
});

test("the object on the other side asks for each method, with its arguments as JSON", async () => {
  const asked: unknown[] = [];
  const other = capabilityOf("acme.notes", { value: { limit: 3 }, methods: ["add"] }, async (...words) => {
    asked.push(words);
    return "added";
  }) as { readonly limit: number; add(...given: unknown[]): Promise<unknown> };
  expect(Object.isFrozen(other)).toBe(true);
  expect([other.limit, await other.add("a", undefined, { b: 1 }), await other.add()]).toEqual([
    3,
    "added",
    "added",
  ]);
  expect(asked).toEqual([
    ["add", ["a", null, { b: 1 }]],
    ["add", []],
  ]);
  await expect(other.add(1, { c: () => 1 })).rejects.toThrow(
    "argument 2 of acme.notes.add.c cannot cross a border: it ",
  );
  const plain = capabilityOf("acme.notes", { value: { a: [1] }, methods: [] }, async () => 1);
  expect([plain, Object.isFrozen(plain)]).toEqual([{ a: [1] }, true]);
});

test("a method is called on its own object, and its result is JSON", async () => {
  const notes = {
    count: 2,
    total(by: number) {
      return this.count * by;
    },
    none: () => undefined,
    bad: () => ({ at: () => 1 }),
  };
  expect(await callMethod("acme.notes", notes, "total", [3])).toBe(6);
  expect(await callMethod("acme.notes", notes, "none", [])).toBeUndefined();
  await expect(callMethod("acme.notes", notes, "bad", [])).rejects.toThrow(
    "the result of acme.notes.bad.at cannot cross a border: it ",
  );
  for (const [of, method] of [
    [notes, "count"],
    [notes, "toString"],
    [notes, "gone"],
    [7, "total"],
  ] as const)
    await expect(callMethod("acme.notes", of, method, [])).rejects.toThrow(
      `the capability "acme.notes" has no method "${method}"`,
    );
});
