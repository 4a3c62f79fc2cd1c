import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteChanged, refusalOf } from "../../src/json/shape.ts";
import { tool, world } from "../world.ts";
import { data } from "../../src/index.ts";

const id = "1915883588174806058";
const asText = "which would be changed; write it as a text in quotes";

test.each([
  [`{"id":${id}}`, `the number ${id} at id, ${asText}`],
  [`{"id": -${id} }`, `the number -${id} at id, ${asText}`],
  ['{"id":9007199254740993}', `the number 9007199254740993 at id, ${asText}`],
  ['{"id":9007199254740993.0}', `the number 9007199254740993.0 at id, ${asText}`],
  ['{"id":9007199254740993e0}', `the number 9007199254740993e0 at id, ${asText}`],
  ['{"id":9.007199254740993E15}', `the number 9.007199254740993E15 at id, ${asText}`],
  ['{"id":12345678901234567.5}', `the number 12345678901234567.5 at id, ${asText}`],
  [`{"a":[{"b":1},{"b":[7,${id}]}]}`, `the number ${id} at a[1].b[1], ${asText}`],
  [`{"a":{"x":1},"b":${id}}`, `the number ${id} at b, ${asText}`],
  [`{"a":"\\"}","b" : ${id}}`, `the number ${id} at b, ${asText}`],
  [`[${id}]`, `the number ${id} at [0], ${asText}`],
  [id, `the number ${id} at the top, ${asText}`],
  ['{"a":1e400}', `the number 1e400 at a, ${asText}`],
  [
    '{"id":100000000000000000000000000000000000001}',
    `the number 100000000000000000000000000000000000001 at id, ${asText}`,
  ],
])("a number that JavaScript would change is named: %s", (text, problem) => {
  expect(refusalOf(text)).toBe(problem);
});

test.each([
  '{"id":9007199254740991}',
  '{"id":9007199254740992}',
  '{"id":1915883588174806000}',
  `{"id":"${id}"}`,
  `{"${id}":1}`,
  '{"a":1e23,"b":1.5e300,"c":0.1000000000000000055,"d":1E+2,"e":0e999,"f":-0.0e5}',
  '{"a":123456789012345670000}',
  '{"a":100000000000000000000000}',
  "",
  "1",
])("a text that means the same is not refused: %s", (text) => {
  expect(refusalOf(text)).toBeNull();
});

test("whatever JavaScript writes is read again, and an integer is either the same or refused", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(refusalOf(JSON.stringify(value))).toBeNull();
    }),
  );
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.array(fc.string()),
      (integer, around) => {
        const text = JSON.stringify({ around, id: "here" }).replace('"here"}', `${integer}}`);
        const { id: read } = JSON.parse(text) as { id: number };
        const isChanged = Math.abs(read) < 1e21 && BigInt(String(read)) !== integer;
        if (isChanged) expect(refusalOf(text)).toContain(`${integer} at id`);
        if (Number.isSafeInteger(read)) expect(refusalOf(text)).toBeNull();
      },
    ),
  );
});

test("quotes keep the digits of the members that are meant", () => {
  const named: string[] = [];
  const text = `{"a":${id},"b":{"c":[1,${id},"${id}",-${id}]}}`;

  expect(
    quoteChanged(
      text,
      ([first]) => first === "b",
      (member) => void named.push(member),
    ),
  ).toBe(`{"a":${id},"b":{"c":[1,"${id}","${id}","-${id}"]}}`);
  expect(named).toEqual(["b.c[1]", "b.c[3]"]);
});

test("a person is not asked about another number than the one that was written: the call is refused", async () => {
  const { host } = world([tool(() => data("deleted"), { name: "delete_ad" })]);
  const outcome = await host.call({ name: "delete_ad", arguments: `{"id":${id}}` });

  expect(outcome.result).toMatchObject({
    code: "INVALID_ARGUMENTS",
    error: expect.stringContaining(`the number ${id} at id`) as string,
  });
});
