import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createMemoryStore, data, ToolError } from "../../src/index.ts";
import { argumentAt, confirmedValues, withoutContent } from "../../src/call/kept-result.ts";
import { toolFailure, typeName } from "../../src/result/tool-failure.ts";
import { maskInfo, maskResult } from "../../src/result/mask-result.ts";
import { digestOfSecret } from "../../src/text/redact.ts";
import { matchesArguments } from "../../src/text/match.ts";
import { tool, world } from "../world.ts";

/** What a tool of this schema gets of arguments, or why it does not get them. */
async function read(given: unknown, schema: z.ZodType = z.looseObject({})) {
  const { host } = world([tool((args) => data(args), { schema: schema as never })]);
  const { status, result } = await host.call({ name: "probe", arguments: given as never });
  return status === "ok" ? result.data : `${status} ${result.error}`;
}
const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe("arguments are read", () => {
  test.each<[unknown, unknown]>([
    [undefined, {}],
    [null, {}],
    ["", {}],
    [" \n", {}],
    ['{"a":1}', { a: 1 }],
    [' {"a":1} ', { a: 1 }],
    ['{"a":"\\u0041_"}', { a: "A_" }],
    [{ a: [1] }, { a: [1] }],
    [[1], "invalid the arguments are not an object but a list"],
    [7, "invalid the arguments are not an object but of type number"],
    [true, "invalid the arguments are not an object but of type boolean"],
    ["7", "invalid the arguments are valid JSON, but not an object"],
    ["null", "invalid the arguments are valid JSON, but not an object"],
    ["[1]", "invalid the arguments are valid JSON, but not an object"],
    ["{oops", expect.stringMatching(/^invalid the arguments are not valid JSON: \S/)],
    ['{"a":}', "invalid the arguments are not valid JSON: Unexpected token '}'"],
    ['{"__proto__":{"a":1}}', 'invalid may not be named "__proto__"'],
    ['{"\\u005f_proto__":{"a":1}}', 'invalid may not be named "__proto__"'],
    [{ a: new Date(0) }, expect.stringMatching(/^invalid the arguments are not JSON: .*Date/)],
    [{ a: 1n }, expect.stringMatching(/^invalid the arguments are not JSON: .*bigint/)],
  ])("%o", async (given, seen) => {
    expect(await read(given)).toEqual(seen);
  });

  test("up to 64 levels, as text and as an object", async () => {
    expect(await read(nested(63))).toEqual(JSON.parse(nested(63)));
    expect(await read(nested(64))).toMatch(/^invalid .*nested deeper than 64 levels/);
    expect(await read(JSON.parse(nested(64)))).toMatch(/^invalid .*nested deeper than 64 levels/);
  });

  test("and those of the caller stay as they are, and can be changed", async () => {
    const given = { a: { b: [1] } };
    await read(given);

    expect(Object.isFrozen(given) || Object.isFrozen(given.a)).toBe(false);
  });

  test("by an asynchronous schema, whose failure is the caller's", async () => {
    const schema = (check: () => Promise<boolean>) =>
      z.looseObject({ a: z.number() }).refine(check, "is refused");

    expect(
      await read(
        { a: 1 },
        schema(async () => true),
      ),
    ).toEqual({ a: 1 });
    expect(
      await read(
        { a: 1 },
        schema(async () => false),
      ),
    ).toBe("invalid is refused");
    expect(
      await read(
        { a: "x" },
        schema(async () => true),
      ),
    ).toBe("invalid a must be a number, not a string");
    expect(
      await read(
        { a: 1 },
        schema(() => Promise.reject(new Error("no disk"))),
      ),
    ).toBe("invalid no disk");
  });
});

test.each<[unknown, object]>([
  [new ToolError("no money"), { error: "no money", code: "TOOL_FAILED" }],
  [
    new ToolError("no money", { code: "MONEY", details: { a: 1 } }),
    { error: "no money", code: "MONEY", details: { a: 1 } },
  ],
  [
    Object.assign(new Error("from another copy"), { name: "ToolError", code: "C" }),
    { error: "from another copy", code: "C" },
  ],
  [new RangeError("secret"), { error: "t failed", code: "TOOL_FAILED", details: { type: "RangeError" } }],
  [null, { error: "t failed", code: "TOOL_FAILED", details: { type: "null" } }],
  ["text", { error: "t failed", code: "TOOL_FAILED", details: { type: "string" } }],
  [
    { name: "ToolError", message: "m" },
    { error: "t failed", code: "TOOL_FAILED", details: { type: "object" } },
  ],
])("a tool that throws %o fails without its secrets", (thrown, result) => {
  expect({ ...toolFailure("t", thrown) }).toEqual(result);
});

test("the name of a thrown value has a bound", () => {
  expect(typeName(Object.assign(new Error("x"), { name: "N".repeat(200) }))).toBe("N".repeat(100));
});

test.each<[object, object, boolean, boolean]>([
  [{}, { a: 1 }, true, true],
  [{ a: "x*" }, { a: "xyz" }, true, true],
  [{ a: "x*" }, {}, false, false],
  [{ a: "x" }, { a: null }, false, false],
  [{ a: "1*" }, { a: 12 }, true, true],
  [{ a: "true" }, { a: true }, true, true],
  [{ a: 1 }, { a: 1 }, true, true],
  [{ a: 1 }, { a: "1" }, false, false],
  [{ a: null }, { a: null }, true, true],
  [{ a: ["x", "y"] }, { a: "y" }, true, true],
  [{ a: ["x", "y"] }, { a: "z" }, false, false],
  [{ a: { b: "x", c: 1 } }, { a: { c: 1, b: "x", d: 2 } }, true, true],
  [{ a: { b: "x" } }, { a: "x" }, false, false],
  [{ a: "x" }, { a: ["x", "y"] }, true, false],
  [{ a: "x" }, { a: ["x", "x"] }, true, true],
  [{ a: "*" }, { a: [] }, false, false],
  [{ a: "x" }, { a: [["x"], "y"] }, true, false],
  [{ toString: "*" }, {}, false, false],
])("the pattern %j and the arguments %j: some %s, every %s", (pattern, given, some, every) => {
  const match = (members?: "some" | "every") => matchesArguments(pattern as never, given as never, members);

  expect([match(), match("some"), match("every")]).toEqual([some, some, every]);
});

test("of the values that a person approved, those whose origin no flow accepts count, and secrets by their digest", () => {
  const given = { to: "ada", list: [{ n: 5 }], password: "hunter2", flag: true };
  const origin = (argument: string, isAccepted = false) => ({ argument, isAccepted }) as never;

  expect(
    confirmedValues(
      [
        origin("to"),
        origin("list.0.n"),
        origin("list", true),
        origin("flag"),
        origin("gone.x"),
        origin("password"),
      ],
      given,
    ),
  ).toEqual(["ada", 5, digestOfSecret("hunter2")]);
  expect([argumentAt(given, "list.0"), argumentAt(given, "to.x")]).toEqual([{ n: 5 }, undefined]);
});

test("what a tool declares as content is left out of the arguments that chose a result", () => {
  const given = { to: "ada", body: "text" };

  expect(withoutContent(given)).toBe(given);
  expect(withoutContent(given, [])).toBe(given);
  expect(withoutContent(given, ["body"])).toEqual({ to: "ada" });
});

describe("secrets in what a tool returns and describes", () => {
  const mask = (text: string) => text.replaceAll("hunter-22", "[masked]");
  const facts = { tool: "t", fetchedAt: "" };

  test("are masked in each member that a tool fills, and the others stay", () => {
    const all = {
      details: ["hunter-22"],
      content: [{ type: "text", text: "hunter-22" }],
      warnings: ["hunter-22"],
      meta: { "hunter-22": 1 },
    };
    const shared = { keep: ["same"] };
    const masked = maskResult({ ...facts, data: { shared, text: "hunter-22" }, ...all } as never, mask);

    expect(masked).toEqual({
      ...facts,
      data: { shared, text: "[masked]" },
      details: ["[masked]"],
      content: [{ type: "text", text: "[masked]" }],
      warnings: ["[masked]"],
      meta: { "[masked]": 1 },
    });
    expect((masked.data as { shared: object }).shared).toBe(shared);
    expect(() => maskResult({ ...facts, data: JSON.parse(nested(64)) as never }, mask)).toThrow(
      "is nested deeper than 64 levels",
    );
  });

  test("are masked in what a model reads of a tool", () => {
    const info = {
      name: "hunter-22",
      description: "Has hunter-22.",
      usage: "hunter-22",
      summary: "hunter-22",
      tags: ["hunter-22"],
      inputSchema: { description: "hunter-22" },
    };

    expect(maskInfo(info as never, mask)).toEqual({
      name: "hunter-22",
      description: "Has [masked].",
      usage: "[masked]",
      summary: "[masked]",
      tags: ["[masked]"],
      inputSchema: { description: "[masked]" },
    });
    expect(Object.isFrozen(maskInfo(info as never, mask))).toBe(true);
  });
});

describe("a result of the client is refused", () => {
  const ids = { sessionId: "s" };
  const called = async (fields: object) => {
    const { host } = world([tool(() => data(1), fields)], { store: createMemoryStore() });
    const { ticket } = await host.call({ name: "probe" }, ids);
    return { host, ticket: ticket!, bring: (result: unknown) => host.resume(ticket!, ids, result) };
  };
  const refused = (problem: string) => ({
    code: "CLIENT_RESULT_REFUSED",
    details: { tool: "probe", problem },
  });

  test("for a call that the server runs, or that the client has not received", async () => {
    const server = await called({ requiresConfirmation: true });
    await expect(server.bring({ data: 1 })).rejects.toMatchObject(refused("it does not run at the client"));
    const asked = await called({ requiresConfirmation: true, execution: "client" });
    await expect(asked.bring({ data: 1 })).rejects.toMatchObject(
      refused("the client did not receive the call"),
    );
  });

  test("with the rule that it breaks, and a second one because the ticket is used", async () => {
    const { bring } = await called({ execution: "client" });
    await expect(bring({ data: 1, error: "e" })).rejects.toMatchObject(
      refused("a result has data or error: exactly one of them"),
    );
    expect(await bring({ data: 1 })).toMatchObject({ status: "ok" });
    await expect(bring({ data: 2 })).rejects.toMatchObject({ code: "TICKET_USED" });
  });
});
