import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type StateStore } from "@toolmount/core";
import { storeCases } from "@toolmount/testing";
import { expect, test } from "vitest";

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A method that differs from the one of a store that works: it gets the arguments, and that method. */
type Fault = (args: readonly unknown[], real: Method) => Promise<unknown>;

/** A store with one method that differs, such as `sessions.save`. */
function broken(path: string, fault: Fault): StateStore {
  const store = createMemoryStore({ audit: "durable" });
  const [part, name] = path.split(".") as ["sessions", string];
  const works = store[part] as unknown as Record<string, Method>;
  const real: Method = async (...args) => works[name]!(...args);
  const get = (_: object, key: string) =>
    key === name ? (...args: readonly unknown[]) => fault(args, real) : works[key]?.bind(works);
  return { ...store, [part]: new Proxy(works, { get }) } as StateStore;
}

/** Titles of the cases that a store fails. */
async function failuresOf(open: () => StateStore): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { title, run } of storeCases) {
    const store = open();
    await run([store, store]).catch(() => failed.push(title));
  }
  return failed;
}

/** A copy of the arguments in which a member of each filter, range or record is changed. */
function changed(args: readonly unknown[], key: string, change: (value: unknown) => unknown) {
  const isPlain = (value: unknown) => Object.getPrototypeOf(value ?? null) === Object.prototype;
  return args.map((value) =>
    isPlain(value) && key in (value as object)
      ? { ...(value as object), [key]: change((value as Record<string, unknown>)[key]) }
      : value,
  );
}

/** A value with other characters in place of unusual ones. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/[^ -~]/g, "?");
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [plain(key), plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** Something where a store has nothing. */
function invented(value: unknown): unknown {
  if (value instanceof Map) return value.size === 0 ? new Map([["k", 1]]) : value;
  if (Array.isArray(value)) return value.length === 0 ? [{}] : value;
  if (value === null || value === false || value === 0) return {};
  return value;
}

const list = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []);

/** The ways in which any method may be wrong. */
function faultOf(kind: string, word: string): Fault {
  switch (kind) {
    case "does nothing":
      return async () => undefined;
    case "answers":
      return async (args, real) => (await real(...args), JSON.parse(word) as unknown);
    case "invents an answer":
      return async (args, real) => invented(await real(...args));
    case "works twice":
      return async (args, real) => (await real(...args), real(...args));
    case "reverses its list":
      return async (args, real) => list(await real(...args)).toReversed();
    case "drops the first":
      return async (args, real) => list(await real(...args)).slice(1);
    case "drops the last":
      return async (args, real) => list(await real(...args)).slice(0, -1);
    case "keeps only plain characters":
      return async (args, real) => real(...args.map(plain));
    case "ignores":
      return async (args, real) => real(...changed(args, word, () => undefined));
    case "adds 1 to":
      return async (args, real) => real(...changed(args, word, (value) => Number(value) + 1));
    case "subtracts 1 from":
      return async (args, real) => real(...changed(args, word, (value) => Number(value) - 1));
    default:
      throw new Error(`no fault is called ${kind}`);
  }
}

test("a store that works passes every case", async () => {
  expect(await failuresOf(() => createMemoryStore({ audit: "durable" }))).toEqual([]);
});

/** Faults, each with the titles of the cases that find it. */
const faults = readFileSync(join(import.meta.dirname, "store-faults.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [line, ...titles] = group.split("\n");
    const [, method, kind, word = ""] = /^# (\S+) (\D[^:]*|adds 1 to|subtracts 1 from)(?:: (.*))?$/.exec(
      line!,
    )!;
    return { method: method!, kind: kind!, word, titles };
  });

test.each(faults)(
  "the suite finds a store whose $method $kind $word",
  async ({ method, kind, word, titles }) => {
    expect(await failuresOf(() => broken(method, faultOf(kind, word)))).toEqual(titles);
  },
);

test("each case finds a fault", () => {
  expect([...new Set(faults.flatMap(({ titles }) => titles))].toSorted()).toEqual(
    storeCases.map(({ title }) => title).toSorted(),
  );
});
