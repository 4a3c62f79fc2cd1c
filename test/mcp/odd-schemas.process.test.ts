import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { open, planOf } from "./support/world.ts";

test("no keyword of a schema, whatever its value, costs a tool, and none reaches the schema of another", async () => {
  const server = { command: process.execPath, args: [join(import.meta.dirname, "fixtures/odd-schemas.mjs")] };
  const host = await open(planOf(server), { logger: silentLogger });
  const names = new Set(host.tools().map(({ name }) => name));
  const missing = Array.from({ length: 4_000 }, (_, at) => `t${at}`).filter((name) => !names.has(name));

  expect(missing).toEqual([]);
  const { status } = await host.call({ name: "last", arguments: { a: "x" } });
  expect(status).toBe("invalid");
});
