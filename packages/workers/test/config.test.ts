import { readFile } from "node:fs/promises";
import { z } from "zod";
import { expect, test } from "vitest";
import { config } from "../src/config.ts";

const parse = (runner: object) => config.safeParse({ runners: [{ name: "r", ...runner }] });
const problemOf = (runner: object) => parse(runner).error?.issues[0]?.message;

test("a plan that says only where calls run gets two processes without a border, and thirty seconds to start", () => {
  expect(parse({ in: "process" }).data?.runners).toEqual([
    {
      name: "r",
      in: "process",
      border: "none",
      hooks: [],
      capabilities: [],
      read: [],
      write: [],
      env: [],
      processes: 2,
      startTimeoutMs: 30_000,
    },
  ]);
  expect(config.parse({})).toEqual({ runners: [] });
});

test("a fleet has the queue main, leases of five seconds, and a thousand places in its queue", () => {
  expect(parse({ in: "fleet" }).data?.runners).toEqual([
    {
      name: "r",
      in: "fleet",
      queue: "main",
      leaseMs: 5_000,
      keepMs: 86_400_000,
      waitMs: 30_000,
      maxWaiting: 1_000,
      read: [],
      write: [],
      env: [],
      processes: 2,
      startTimeoutMs: 30_000,
    },
  ]);
});

const process = (more: object) => ({ in: "process", ...more });
const fleet = (more: object) => ({ in: "fleet", ...more });

test.each([
  [process({ processes: 1 }), process({ processes: 0 })],
  [process({ processes: 64 }), process({ processes: 65 })],
  [process({ memoryMb: 32 }), process({ memoryMb: 31 })],
  [process({ startTimeoutMs: 2 ** 31 - 1 }), process({ startTimeoutMs: 2 ** 31 })],
  [process({ startTimeoutMs: 1 }), process({ startTimeoutMs: 0 })],
  [process({ read: ["a"] }), process({ read: [""] })],
  [process({ network: ["a.test"] }), process({ network: [] })],
  [fleet({ leaseMs: 200 }), fleet({ leaseMs: 199 })],
  [fleet({ leaseMs: 600_000 }), fleet({ leaseMs: 600_001 })],
  [fleet({ keepMs: 60_000 }), fleet({ keepMs: 59_999 })],
  [fleet({ waitMs: 1 }), fleet({ waitMs: 0 })],
  [fleet({ maxWaiting: 1_000_000 }), fleet({ maxWaiting: 1_000_001 })],
  [fleet({ maxWaiting: 1 }), fleet({ maxWaiting: 0 })],
  [fleet({ queue: "a".repeat(64) }), fleet({ queue: "a".repeat(65) })],
  [fleet({ key: "k".repeat(16) }), fleet({ key: "k".repeat(15) })],
  [fleet({ engine: "rediss://a" }), fleet({ engine: "redis://" })],
  [fleet({ engine: "postgresql://a/b" }), fleet({ engine: "mysql://a" })],
  [process({ border: "strictest" }), process({ key: "k".repeat(16) })],
])("%j is accepted, and %j is not", (fits, exceeds) => {
  expect(parse(fits).success).toBe(true);
  expect(parse(exceeds).success).toBe(false);
});

test.each([
  [{ in: "thread" }, "calls run inline, in: process or in: fleet"],
  [process({ border: "docker" }), "border must be none, permission, bubblewrap, srt or strictest"],
  [process({ network: "some" }), 'network is "none", "any", or a list of host names'],
  [process({ env: ["A-B"] }), "the name of an environment variable, such as LANG"],
  [fleet({ queue: "a b" }), "a queue has 1 to 64 letters, digits, _ and -"],
  [fleet({ engine: "amqp://a" }), "engine is redis://… or postgres://…"],
  [fleet({ key: "short" }), "a key has at least 16 characters, such as those of: openssl rand -base64 32"],
])("%j says what is possible", (runner, problem) => {
  expect(problemOf(runner)).toBe(problem);
});

test("each key has the description that the pages about borders and fleets show", async () => {
  const page = async (name: string) =>
    (await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8")).replaceAll(/\s+/g, " ");
  const pages = `${await page("isolation")} ${await page("fleet")}`;
  const found = descriptionsIn(z.toJSONSchema(config, { io: "input", unrepresentable: "any" }));

  expect(found.length).toBeGreaterThan(20);
  expect(found.filter((text) => !pages.includes(text))).toEqual([]);
});

function descriptionsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "description" && typeof member === "string" ? [member] : descriptionsIn(member),
  );
}
