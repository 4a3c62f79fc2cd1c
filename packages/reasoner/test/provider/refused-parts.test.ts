import { expect, test } from "vitest";
import { legalItems, rulesOf } from "../../src/provider/legal-items.ts";
import { partDigest, plainSchema } from "../../src/provider/refused-parts.ts";
import { readText } from "../../src/provider/items.ts";

test("a plain schema has types, texts, choices and required members, at every level", () => {
  const city = { type: "string", minLength: 1, pattern: "^a", description: "A city", enum: ["a"] };
  const list = { type: "array", minItems: 1, items: { ...city, format: "uri" } };
  const plain = { type: "string", description: "A city", enum: ["a"] };
  expect(
    plainSchema({
      $schema: "x",
      type: "object",
      properties: { city, list, type: { const: 1 } },
      required: ["city"],
      additionalProperties: false,
    }),
  ).toEqual({
    type: "object",
    properties: { city: plain, list: { type: "array", items: plain }, type: {} },
    required: ["city"],
  });
  expect(plainSchema(true)).toEqual({});
});

const model = { provider: "p", model: "m", abilities: {} } as never;
const sealed = { type: "reasoning", encrypted_content: "sealed", summary: [] };
const signed = { provider: "p", metadata: { signature: "s" } };
const call = {
  type: "function_call",
  call_id: "call_1",
  name: "look",
  arguments: "{}",
  provider_metadata: signed,
};
const output = { type: "function_call_output", call_id: "call_1", output: "ok" };
const user = { type: "message", role: "user", content: "go" };

test("refused reasoning is left out, a refused signature is taken from its call, and other models get both", () => {
  const refusal = { provider: "p", model: "m", digests: [partDigest(sealed), partDigest(call)] };
  const items = [user, sealed, call, output];
  const sent = (digestsOf: typeof refusal) =>
    legalItems(items, { rules: rulesOf(model, [digestsOf]), isContinued: false });
  const { provider_metadata: _, ...unsigned } = call;
  expect(sent(refusal)).toEqual([user, unsigned, output]);
  expect(sent({ ...refusal, model: "other" })).toEqual(items);
});

test("refused ids become short ones, and each output keeps the id of its call", () => {
  const rules = rulesOf(model, [{ provider: "p", model: "m", digests: [], rule: "call_id" }]);
  const sent = legalItems([user, call, output], { rules, isContinued: false });
  const [id, answered] = sent.slice(1).map((item) => readText(item["call_id"]));
  expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(answered).toBe(id);
});
