import { expect, test } from "vitest";
import { GivenCapabilities } from "../src/process/near-services.ts";

const host: Readonly<Record<string, unknown>> = {
  "acme.notes": { find: (word: string) => [word], limit: 3 },
  "acme.secret": { read: () => "secret" },
};
const given = new GivenCapabilities(["acme.notes", "acme.gone"], (name) => host[name] ?? null);

test("a process gets the shapes of the capabilities that its plan names and its host has", () => {
  expect(given.shapes()).toEqual({ "acme.notes": { value: { limit: 3 }, methods: ["find"] } });
});

test.each([
  ["acme.secret", "read", 'the plan does not let the module use "acme.secret"'],
  ["acme.notes", "limit", 'the capability "acme.notes" has no method "limit"'],
  ["acme.notes", "toString", 'the capability "acme.notes" has no method "toString"'],
  ["acme.gone", "find", 'the capability "acme.gone" has no method "find"'],
])("a process that forges a use of %s.%s gets an error", async (name, method, problem) => {
  await expect(given.use({ name, method, arguments: [] })).rejects.toThrow(problem);
});

test("a use gets the result of the method", async () => {
  expect(await given.use({ name: "acme.notes", method: "find", arguments: ["a"] })).toEqual(["a"]);
});
