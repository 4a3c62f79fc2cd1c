import { readFile } from "node:fs/promises";
import { z } from "zod";
import { expect, test } from "vitest";
import { config } from "../src/config.ts";

const parse = (runner: object) => config.safeParse({ runners: [{ name: "r", ...runner }] });
const problemOf = (runner: object) => parse(runner).error?.issues[0]?.message;

const process = (more: object) => ({ in: "process", ...more });
const fleet = (more: object) => ({ in: "fleet", ...more });

test.each([
  [{ in: "thread" }, "calls run inline, in: process, in: fleet or in: layer"],
  [process({ border: "docker" }), "border must be none, permission, bubblewrap, srt or strictest"],
  [process({ network: "some" }), 'network is "none", "any", or a list of host names'],
  [process({ env: ["A-B"] }), "the name of an environment variable, such as LANG"],
  [fleet({ queue: "a b" }), "a queue has 1 to 64 letters, digits, _ and -"],
  [fleet({ engine: "amqp://a" }), "engine is redis://… or postgres://…"],
  [fleet({ key: "short" }), "a key has at least 16 characters, such as those of: openssl rand -base64 32"],
])("%j says what is possible", (runner, problem) => {
  expect(problemOf(runner)).toBe(problem);
});

test("each key has the description that the page of keys shows", async () => {
  const page = await readFile(new URL("../../../docs/reference/keys.md", import.meta.url), "utf8");
  const keys = page.replaceAll(/\s+/g, " ");
  const found = descriptionsIn(z.toJSONSchema(config, { io: "input", unrepresentable: "any" }));

  expect(found.length).toBeGreaterThan(20);
  expect(found.filter((text) => !keys.includes(text))).toEqual([]);
});

function descriptionsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "description" && typeof member === "string" ? [member] : descriptionsIn(member),
  );
}
