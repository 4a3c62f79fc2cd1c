import { expect, test } from "vitest";
import { createHost, data, defineTool } from "../../src/index.ts";
import { maskResult } from "../../src/result/mask-result.ts";
import { createSecretTexts } from "../../src/text/redact.ts";
import { z } from "zod";

const origin = { tool: "t", fetchedAt: "2026-01-01T00:00:00.000Z" };
const mask = (text: string) => text.replaceAll("hunter-22", "[masked]");

test("a result without a secret is the same object", () => {
  const result = { ...origin, data: { list: ["a", { b: 1 }] }, warnings: ["c"] };

  expect(maskResult(result, mask)).toBe(result);
});

test("secrets are masked in keys and values at every depth, and the tool's own value stays as it is", () => {
  const given = { "key hunter-22": [{ deep: "a hunter-22 b" }], same: { c: 1 } };

  const { data: masked } = maskResult({ ...origin, data: given }, mask);

  expect(masked).toEqual({ "key [masked]": [{ deep: "a [masked] b" }], same: { c: 1 } });
  expect(given["key hunter-22"]).toEqual([{ deep: "a hunter-22 b" }]);
});

test.each([
  ["objects", '{"a":', "}"],
  ["lists", "[", "]"],
])("a result of 64 %s inside each other is masked, and one of 65 is refused", (_, opens, closes) => {
  const nested = (levels: number) =>
    JSON.parse(`${opens.repeat(levels)}"hunter-22"${closes.repeat(levels)}`) as unknown;
  const masked = (levels: number) =>
    JSON.stringify(maskResult({ ...origin, data: nested(levels) }, mask).data);

  expect(masked(64)).toBe(`${opens.repeat(64)}"[masked]"${closes.repeat(64)}`);
  expect(() => masked(65)).toThrow(expect.objectContaining({ message: "is nested deeper than 64 levels" }));
});

test("an object that appears 2^60 times is walked once", () => {
  let walked = 0;
  let shared: unknown = "hunter-22";
  for (let level = 0; level < 60; level++) shared = [shared, shared];

  maskResult({ ...origin, data: shared }, (text) => (walked++, mask(text)));

  expect(walked).toBe(2);
});

test("values that are guessed to be secrets are masked in logs, and not in results", () => {
  const secrets = createSecretTexts();
  expect(secrets.maskReturned).toBeNull();
  secrets.add(["hunter-22"], ["acme-42"]);

  expect(secrets.mask("hunter-22 acme-42")).toBe("[masked] [masked]");
  expect(secrets.maskReturned?.("hunter-22 acme-42")).toBe("[masked] acme-42");
});

test("a circle, an instance of a class and too deep a value break the contract, as without secrets", async () => {
  const circle: unknown[] = [];
  circle.push(circle);
  let deep: unknown = "x";
  for (let level = 0; level < 100; level++) deep = [deep];
  for (const secrets of [[], ["hunter-22"]])
    for (const value of [circle, { at: new Date(0) }, deep]) {
      const host = createHost({ secrets });
      const common = { category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;
      const description = "Returns a value. Use in tests.";
      const schema = z.strictObject({});
      const execute = () => data(value);
      host.coordinator.mount("tools", defineTool({ ...common, name: "t", description, schema, execute }));
      expect((await host.call({ name: "t" })).result.code).toBe("CONTRACT_VIOLATION");
      await host.close();
    }
});

test("empty objects and lists are left as they are, and a shared object is walked once", () => {
  let walked = 0;
  const text = (one: string) => (walked++, one.replace("hush", "***"));
  const shared = { note: "hush" };
  const given = { ...origin, data: [{}, [], shared, shared] };
  const masked = maskResult(given, text).data as unknown[];
  expect(masked).toEqual([{}, [], { note: "***" }, { note: "***" }]);
  expect(masked[2]).toBe(masked[3]);
  expect(walked).toBe(2);
});
