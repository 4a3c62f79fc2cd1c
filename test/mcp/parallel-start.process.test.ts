import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { folderOf, mark, open, processesWith, serverOf } from "./support/world.ts";

/** A program that starts the server of the tests when all of `others` have started, too. */
const waiting = `
import { existsSync, watch, writeFileSync } from "node:fs";
const [fixture, own, ...others] = process.argv.slice(2);
writeFileSync(own, "");
const areThere = () => others.every((file) => existsSync(file));
while (!areThere()) await new Promise((resolve) => setTimeout(resolve, 10));
process.argv = [process.argv[0], fixture];
await import(fixture);
`;

test("servers of a plan without a lock start side by side: each waits here for all others", async () => {
  const folder = await folderOf({ "waiting.mjs": waiting });
  const labels = ["a", "b", "c", "d"];
  const { command, args } = serverOf();
  const fixture = args.at(-1) ?? "";
  const tools = labels.map((module) => {
    const files = [module, ...labels].map((label) => join(folder, label));
    const words = [...args.slice(0, -1), join(folder, "waiting.mjs"), fixture, ...files];
    return { module, prefix: `${module}_`, source: { mcp: { command, args: words, era: "legacy" } } };
  });

  const host = await open({ version: 1, tools }, { logger: silentLogger });

  for (const label of labels)
    expect((await host.call({ name: `${label}_echo`, arguments: { text: label } })).result.data).toBe(
      `echo: ${label}`,
    );
  expect(host.status().entries.map(({ id, state }) => [id, state])).toEqual(
    expect.arrayContaining(labels.map((label) => [label, "mounted"])),
  );
});

test("a server that never answers keeps no other from starting, and fails alone", async () => {
  const folder = await folderOf();
  const started = join(folder, "started");
  const program = `require("node:fs").writeFileSync(${JSON.stringify(started)}, ""); setInterval(() => {}, 1000)`;
  const entry = (module: string, mcp: object) => ({
    module,
    prefix: `${module}_`,
    required: false,
    source: { mcp },
  });

  const host = await open(
    {
      version: 1,
      tools: [
        entry("silent", { command: process.execPath, args: ["-e", program], startTimeoutMs: 3_000 }),
        entry("good", serverOf()),
      ],
    },
    { logger: silentLogger },
  );
  const states = host.status().entries.map(({ id, state }) => [id, state]);

  expect(existsSync(started)).toBe(true);
  expect(states).toEqual(
    expect.arrayContaining([
      ["silent", "failed"],
      ["good", "mounted"],
    ]),
  );
  expect((await host.call({ name: "good_echo", arguments: { text: "hi" } })).status).toBe("ok");
});

test("servers that were started for a plan that cannot be opened end with it", async () => {
  const { env, word } = mark();
  const folder = await folderOf();
  writeFileSync(join(folder, "broken.ts"), "export function mount() { throw new Error('no'); }");
  const entry = (module: string) => ({
    module,
    prefix: `${module}_`,
    source: { mcp: { ...serverOf("--child"), env } },
  });

  await expect(
    open(
      { version: 1, tools: [entry("a"), { module: join(folder, "broken.ts") }, entry("b")] },
      { logger: silentLogger },
    ),
  ).rejects.toMatchObject({ code: "PLAN_INVALID" });

  expect(processesWith(word)).toEqual([]);
});

test("a reload starts no server of an entry that did not change", async () => {
  const { env, word } = mark();
  const host = await open(
    { version: 1, tools: [{ module: "a", source: { mcp: { ...serverOf(), env } } }] },
    { logger: silentLogger },
  );
  const before = processesWith(word);

  await host.reload();

  expect(before).toHaveLength(1);
  expect(processesWith(word)).toEqual(before);
});
