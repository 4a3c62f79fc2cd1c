import { describe, expect, test } from "vitest";
import { withOwnNames, withPlainArguments } from "../src/reading/argument-names.ts";

const text = { type: "string" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("arguments of a server get names that the APIs of models take", () => {
  test("and the server gets its own", () => {
    const long = "x".repeat(70);
    const given = object(
      { "$.xgafv": text, "a b": text, a_b: text, [long]: text, "": text, ok: text },
      { required: ["a b", "ok"] },
    );
    const args = withPlainArguments(given);
    const { properties, required } = args.schema as { properties: object; required: string[] };
    const names = Object.keys(properties);

    expect(names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))).toEqual([]);
    expect([names[0], names[2], names[5]]).toEqual(["_.xgafv", "a_b", "ok"]);
    expect(new Set(names).size).toBe(6);
    expect(required).toEqual([names[1], "ok"]);
    expect(withOwnNames(Object.fromEntries(names.map((name, at) => [name, at])), args)).toEqual({
      "$.xgafv": 0,
      "a b": 1,
      a_b: 2,
      [long]: 3,
      "": 4,
      ok: 5,
    });
  });

  test("also where other keywords name them", () => {
    const part = object({ "a b": { const: 1 } }, { required: ["a b"] });
    const { schema } = withPlainArguments(
      object(
        { "a b": text, c: object({ "a b": text }) },
        {
          anyOf: [part, true],
          if: part,
          not: part,
          dependentRequired: { "a b": ["c", "a b"] },
          dependentSchemas: { "a b": part },
        },
      ),
    );
    const plain = object({ a_b: { const: 1 } }, { required: ["a_b"] });

    expect(schema).toEqual(
      object(
        { a_b: text, c: object({ "a b": text }) },
        {
          anyOf: [plain, true],
          if: plain,
          not: plain,
          dependentRequired: { a_b: ["c", "a_b"] },
          dependentSchemas: { a_b: plain },
        },
      ),
    );
  });

  test.each([
    object({ ok: text, "a.b-c_1": text }),
    object({ "a b": text, c: { $ref: "#/properties/a b" } }),
    { type: "object" },
  ])("a schema without such names, or that refers to them, stays as it is: %j", (given) => {
    const args = withPlainArguments(given);
    expect(args.schema).toBe(given);
    const sent = { "a b": 1 };
    expect(withOwnNames(sent, args)).toBe(sent);
  });
});
