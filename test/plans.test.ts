import { glob, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openHost } from "@toolmount/loader";
import * as interop from "@toolmount/interop";
import * as policy from "@toolmount/policy";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const plans = await listFiles("mount-plans/*.yaml");

test("the plans of this repository are found", () => {
  expect(plans.map((plan) => basename(plan))).toEqual(
    expect.arrayContaining(["coding.yaml", "demo.yaml", "minimal.yaml", "reference.yaml"]),
  );
});

test.each(plans)("%s is mounted, every module of it", async (plan) => {
  const extensions = { "@toolmount/interop": interop, "@toolmount/policy": policy };
  const host = await openHost(plan, { cwd: root, env: {}, extensions });
  const { entries } = host.status();
  const tools = host.tools();
  const report = await host.close();

  expect(entries.map(({ id, state }) => ({ id, state }))).toEqual(
    entries.map(({ id }) => ({ id, state: "mounted" })),
  );
  expect(tools.length).toBeGreaterThan(0);
  expect(report.failures).toEqual([]);
});

test("APTIX-13: the reference plan mounts every tool package of this repository that has a manifest", async () => {
  const host = await openHost("mount-plans/reference.yaml", { cwd: root, env: {} });
  const mounted = host.status().entries.map(({ path = "" }) => path);
  await host.close();

  const missing: string[] = [];
  for (const file of await listFiles("tools/*/package.json")) {
    const { toolmount } = JSON.parse(await readFile(join(root, file), "utf8")) as {
      toolmount?: { tools?: unknown[] };
    };
    const folder = `${join(root, dirname(file))}/`;
    const listed = (toolmount?.tools ?? []).length > 0;
    if (listed && !mounted.some((path) => path.startsWith(folder))) missing.push(file);
  }
  expect(missing).toEqual([]);
});

test("AMP-8: names of our tools are short, in snake case, and unique", async () => {
  const host = await openHost("mount-plans/reference.yaml", { cwd: root, env: {} });
  const names = host.status().entries.flatMap(({ tools }) => tools);
  await host.close();

  expect(names.filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || name.length > 64)).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test("every package that the plans name is a dependency of their folder", async () => {
  const { dependencies } = JSON.parse(await readFile(join(root, "mount-plans/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const named = new Set(["@toolmount/core", "zod"]);
  for (const plan of plans) {
    for (const [, id = ""] of (await readFile(join(root, plan), "utf8")).matchAll(/module: ([a-z-]+)/g)) {
      named.add(`@toolmount/tool-${id}`);
    }
  }
  expect(Object.keys(dependencies).toSorted()).toEqual([...named].toSorted());
});

async function listFiles(pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: root })) files.push(file);
  return files.toSorted();
}
