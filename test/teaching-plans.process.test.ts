import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { silentLogger } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import { lockPlan } from "@toolmount/loader/commands";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = join(root, "mount-plans");
const options = {
  env: process.env,
  logger: silentLogger,
  extensions: { "@toolmount/interop": interop, "@toolmount/mcp": mcp, "@toolmount/policy": policy },
};

const plans = (await readdir(folder, { recursive: true })).filter(
  (file) => file.endsWith(".yaml") && !file.startsWith("node_modules"),
);

test.each(plans)("%s has the editor's line, with a schema that is there", async (plan) => {
  const text = await readFile(join(folder, plan), "utf8");
  const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? [];

  expect(existsSync(join(folder, dirname(plan), schema)), schema).toBe(true);
});

test("tools of three contracts are called in one way, and a wrong argument is refused in one way", async () => {
  await using host = await openHost(join(folder, "contracts.yaml"), options);
  const call = async (name: string, given: object) => {
    const { status, result } = await host.call({ name, arguments: JSON.stringify(given) });
    return [status, result.data];
  };

  expect(await call("agent_count_letters", { Word: "seven" })).toEqual(["ok", { Letters: 5 }]);
  expect(await call("greet", { name: "Ada" })).toEqual(["ok", { text: "Good morning, Ada!" }]);
  expect(await call("convert_amount", { amount: 2, rate: 1.5 })).toEqual(["ok", { converted: 3 }]);
  for (const name of ["agent_count_letters", "greet", "convert_amount"])
    expect((await call(name, {}))[0]).toBe("invalid");
});

test("a team's plan is its company's with what it adds, and the overlay of CI is stricter", async () => {
  const statusOf = async (overlays: readonly string[], tool: string, given: object) => {
    await using host = await openHost(join(folder, "team"), { ...options, overlays });
    return (await host.call({ name: tool, arguments: JSON.stringify(given) })).result.code;
  };
  const written = { file_path: "a.md", content: "one" };

  expect(await statusOf([], "delete_file", { path: "a.md" })).toBe("DENIED");
  expect(await statusOf(["ci"], "write_file", written)).toBe("DENIED");
  expect(await statusOf([], "todo", { action: "list" })).toBeUndefined();
});

test("the server's tools are as its lock file has them, and a call is asked about", async () => {
  const report = await lockPlan(join(folder, "servers"), { ...options, check: true });
  await using host = await openHost(join(folder, "servers"), {
    ...options,
    approver: () => ({ decision: "approve" }),
  });
  const outcome = await host.call({ name: "greeter_greet", arguments: { name: "Ada" } });

  expect(report).toMatchObject({ exists: true, changes: [], leftOut: [] });
  expect(host.tools().map(({ name }) => name)).toEqual(["greeter_greet"]);
  expect([outcome.status, JSON.stringify(outcome.result)]).toEqual([
    "ok",
    expect.stringContaining("Hello, Ada!") as string,
  ]);
});
