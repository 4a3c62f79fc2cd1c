import type { ToolContext } from "@toolmount/core";
import { expect, test } from "vitest";
import { ArgumentsRefused } from "../../src/schema/foreign-schema.ts";
import { foreignTool } from "../../src/schema/foreign-tool.ts";

const context = {} as ToolContext;
const schema = { type: "object", properties: {} };
const make = (more: object = {}, given: object = {}) =>
  foreignTool({
    name: "pay",
    description: "Pays.",
    arguments: { schema, ...given },
    run: (input: unknown) => ({ data: input }),
    ...more,
  });

test.each([
  ["pay", "pay"],
  ["Pay the bill!", "Pay_the_bill_"],
  ["..hidden", "hidden"],
  ["-x", "x"],
  ["a.b-c_d", "a.b-c_d"],
  ["日本", "_"],
  ["...", "..."],
  ["n".repeat(200), "n".repeat(128)],
])("a tool of the name %j is offered as %j", (name, offered) => {
  expect(make({ name }).name).toBe(offered);
});

test.each([
  ["Pays.", "Pays."],
  ["  ", "pay"],
  ["", "pay"],
  [undefined, "pay"],
  [7, "pay"],
])("the description %j is %j for a model", (description, shown) => {
  expect(make({ description }).description).toBe(shown);
});

test("a tool gets a copy of the arguments, into which it may write", async () => {
  const given = Object.freeze({ list: Object.freeze([1]) });
  const run = (input: { list: number[] }) => {
    input.list.push(2);
    return { data: input.list };
  };
  expect(await make({ run }).execute(given, context)).toEqual({ data: [1, 2] });
  expect(given.list).toEqual([1]);
});

test("the library's own parse comes first, and its refusal is read by the model", async () => {
  const parsed = make({}, { parse: async (input: object) => ({ ...input, added: true }) });
  const refuse = (message: string) => () => {
    throw new ArgumentsRefused(message);
  };

  expect(await parsed.execute({ a: 1 }, context)).toEqual({ data: { a: 1, added: true } });
  expect(await make({}, { parse: refuse("to is missing") }).execute({}, context)).toMatchObject({
    error: "to is missing",
    code: "ARGUMENTS_REFUSED",
  });
  expect(await make({}, { parse: refuse("") }).execute({}, context)).toMatchObject({
    error: "the arguments were refused",
  });
});

test("any other error is the tool's own", async () => {
  const fail = () => {
    throw new Error("the network is gone");
  };
  await expect(make({ run: fail }, { parse: (input: object) => input }).execute({}, context)).rejects.toThrow(
    "the network is gone",
  );
  await expect(make({}, { parse: fail }).execute({}, context)).rejects.toThrow("the network is gone");
});
