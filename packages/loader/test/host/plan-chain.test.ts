import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostLink } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { chainOf } from "../../src/host/plan-chain.ts";

async function planFile(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-chain-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "plan.yaml"), "version: 1\n");
  return join(folder, "plan.yaml");
}

const named = (above: readonly HostLink[]) => () => Promise.resolve(above);

test("what a program learns names no path, and each host names the same plan otherwise", async () => {
  const file = await planFile();
  const one = await (await chainOf(file, { id: "one", env: {} })).toServers();
  const two = await (await chainOf(file, { id: "two", env: {} })).toServers();

  expect(one.links).toEqual([{ host: "one", plan: expect.any(String) as string }]);
  expect(JSON.parse(one.env["TOOLMOUNT_CHAIN"] ?? "")).toEqual(one.links);
  expect(JSON.stringify(one)).not.toContain("plan.yaml");
  expect(one.links[0]?.plan).not.toBe(two.links[0]?.plan);
});

test("a host of the same plan is recognised by the environment and by its client, also under another path", async () => {
  const file = await planFile();
  const link = file.replace("plan.yaml", "link.yaml");
  await symlink(file, link);
  const { links, env } = await (await chainOf(file, { id: "one", env: {} })).toServers();

  await expect(chainOf(link, { id: "two", env })).rejects.toMatchObject({ code: "PLAN_SERVES_ITSELF" });
  const chain = await chainOf(link, { id: "two", env: {}, above: named(links) });
  await expect(chain.toServers()).rejects.toMatchObject({ code: "PLAN_SERVES_ITSELF" });
  expect(await chain.toClients()).toEqual([expect.objectContaining({ host: "two" }), ...links]);
});

test("hosts that the environment and the client name count once, and in their order", async () => {
  const [one, two] = [await planFile(), await planFile()];
  const first = await (await chainOf(one, { id: "one", env: {} })).toServers();
  const options = { id: "two", env: first.env, above: named([...first.links, { host: "between" }]) };
  const second = await (await chainOf(two, options)).toServers();

  expect(second.links.map(({ host }) => host)).toEqual(["one", "between", "two"]);
});

test("a server that leads to this host, to its plan or to a host above is refused; another one is not", async () => {
  const [one, two] = [await planFile(), await planFile()];
  const above = await (await chainOf(one, { id: "one", env: {} })).toServers();
  const chain = await chainOf(two, { id: "two", env: above.env });
  const copy = await (await chainOf(two, { id: "copy", env: {} })).toServers();
  const other = await (await chainOf(await planFile(), { id: "other", env: {} })).toServers();

  for (const behind of [[{ host: "two" }], [{ host: "one" }], copy.links])
    expect(() => chain.requireOther([...other.links, ...behind])).toThrow(
      expect.objectContaining({ code: "PLAN_SERVES_ITSELF" }),
    );
  expect(() => chain.requireOther(other.links)).not.toThrow();
});

test("sixteen hosts before one another are refused, whatever their plans are", async () => {
  const above = Array.from({ length: 16 }, (_, index) => ({ host: `host${index}` }));
  const chain = await chainOf(undefined, { id: "last", env: {}, above: named(above) });
  const before = await chainOf(undefined, { id: "last", env: {}, above: named(above.slice(1)) });

  await expect(chain.toServers()).rejects.toMatchObject({
    code: "PLAN_SERVES_ITSELF",
    message: expect.stringContaining("16 other hosts") as string,
  });
  await expect(before.toServers()).resolves.toBeDefined();
});

test.each([
  ["not JSON"],
  ["{}"],
  ["null"],
  ['[1, null, "a", {"host": 1}, {"plan": "x"}]'],
  ["[".repeat(9_999)],
])("a variable that no host wrote names no host: %#", async (text) => {
  const chain = await chainOf(await planFile(), { id: "one", env: { TOOLMOUNT_CHAIN: text } });

  expect((await chain.toServers()).links).toHaveLength(1);
});
