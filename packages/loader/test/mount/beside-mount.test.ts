import type { Logger } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

test("a tool that a module only exports beside its mount is not offered, and the log says so", async () => {
  const tool = (name: string) =>
    `export const ${name} = { name: "${name}", description: "Answers.", schema: { type: "object" }, execute: () => ({ data: 1 }) };\n`;
  const { path } = await workspace({
    "tools.js": `${tool("one")}${tool("two")}export const config = undefined;
export function mount(coordinator) { coordinator.mount("schema-compiler", { compile: () => (value) => ({ ok: true, value }) }); coordinator.mount("tools", one); }`,
    "plan.yaml": "version: 1\ntools: [{ module: ./tools.js }]",
  });
  const warned: unknown[] = [];
  const silent = () => undefined;
  const logger: Logger = {
    trace: silent,
    debug: silent,
    info: silent,
    error: silent,
    warn: (fields) => void warned.push(fields),
    child: () => logger,
  };
  await using host = await openHost(path("plan.yaml"), { logger });

  expect(host.tools().map(({ name }) => name)).toEqual(["one"]);
  expect(warned).toContainEqual({ tools: ["two"] });
});
