import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type StateStore } from "@toolmount/core";
import { storeCases } from "@toolmount/testing";
import { expect, test } from "vitest";

type Method = (...args: readonly unknown[]) => unknown;

/** The calls that each case makes of a store, with their arguments, as an author of a store sees them. Equal ones are counted. */
const cases = new Map(
  readFileSync(join(import.meta.dirname, "store-calls.txt"), "utf8")
    .trim()
    .split("\n\n")
    .map((group) => {
      const [title = "", ...calls] = group.split("\n");
      return [title.slice(2), calls] as const;
    }),
);

test.each(storeCases)("$title", async ({ title, run }) => {
  const calls: string[] = [];
  const store = noting(createMemoryStore({ audit: "durable" }), calls);
  await run([store, store]);
  const equal = Map.groupBy(calls, (call) => call);
  const counted = [...equal].map(([call, { length }]) => (length === 1 ? call : `${length} times ${call}`));

  expect(counted).toEqual(cases.get(title));
});

test("each case is listed, and no other", () => {
  expect([...cases.keys()]).toEqual(storeCases.map(({ title }) => title));
});

/** The store, which notes each call of its parts. */
function noting(store: StateStore, calls: string[]): StateStore {
  const parts = Object.entries(store).map(([part, methods]) => {
    if (typeof methods !== "object" || methods === null) return [part, methods];
    const get = (target: object, name: string) => {
      const method = (target as Record<string, Method>)[name];
      if (typeof method !== "function") return method;
      return (...args: readonly unknown[]) => {
        calls.push(`${part}.${name} ${args.map(shown).join(" ")}`);
        return Reflect.apply(method, target, args);
      };
    };
    return [part, new Proxy(methods as object, { get })];
  });
  return { ...store, ...Object.fromEntries(parts) } as StateStore;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Map) return { map: [...inner] };
    return typeof inner === "bigint" ? String(inner) : inner;
  });
  return (text ?? "undefined").replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID");
}
