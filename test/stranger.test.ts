import { mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exec } from "./support/exec.ts";
import { startRegistry } from "./support/registry.ts";
import { npmEnvironment, release, writeNpmrc } from "./support/release.ts";

const plan = `version: 1
tools:
  - module: hello-world
  - module: testing
    tools: { include: [testing_calculator] }
  - module: weather
    config: { entries: { Vienna: sunny } }
`;

const hostScript = `import { openHost } from "@toolmount/loader";
import type { ToolOutcome } from "@toolmount/core";

const host = await openHost("mount-plan.yaml");
const outcome: ToolOutcome = await host.call({ name: "get_weather", arguments: { name: "Vienna" } });
console.log(outcome.status, JSON.stringify(outcome.result.data));
// @ts-expect-error a name is a text, for strangers too
console.log((await host.call({ name: 7 })).status);
console.log(host.tools().map(({ name }) => name).join(" "));
await host.close();
`;

const tsconfig = {
  compilerOptions: {
    strict: true,
    module: "nodenext",
    target: "es2024",
    types: ["node"],
    noEmit: true,
    skipLibCheck: false,
  },
  files: ["host.ts"],
};

test("a stranger installs toolmount and two tools, publishes a third, mounts all by a plan, and calls them", async () => {
  const { url } = await startRegistry();
  for (const { name, version } of await release(url))
    expect([name, await latest(url, name)]).toEqual([name, version]);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount stranger ")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeNpmrc(folder, url);
  const env = npmEnvironment(url, folder);
  const run = (line: string, at = folder) =>
    exec("bash", ["-c", `export PATH="${folder}/node_modules/.bin:$PATH"; ${line}`], { cwd: at, env });

  await run("npm init -y && npm pkg set type=module");
  await run("npm install toolmount");
  expect(await megabytesOf(join(folder, "node_modules"))).toBeLessThan(maxMegabytes);
  await run(
    "npm install @toolmount/core @toolmount/loader @toolmount/tool-hello-world @toolmount/tool-testing typescript@7 @types/node@24",
  );
  await run("npx toolmount create tool weather");
  const tool = join(folder, "weather");
  await run("npm install", tool);
  await run("npm test", tool);
  await run("npm run check", tool);
  await run("npm publish", tool);
  await run("npm install toolmount-tool-weather");

  await writeFile(join(folder, "mount-plan.yaml"), plan);
  await writeFile(join(folder, "host.ts"), hostScript);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  expect(await run("npx toolmount check")).toContain("3 modules, 3 tools");
  expect(await run(`npx toolmount call agent_hello_world '{"name":"Ada"}'`)).toContain("Hello, Ada!");
  expect(
    await run(`npx toolmount call testing_calculator '{"operation":"add","left":2,"right":3}'`),
  ).toContain("5");
  expect(await run("npm ls vitest || true")).toContain("(empty)");
  expect(await run("npx tsc -p .")).toBe("");
  expect(await run("node host.ts")).toBe(
    'ok {"name":"Vienna","value":"sunny"}\nnot_found\nagent_hello_world get_weather testing_calculator\n',
  );
});

/** What `npm install toolmount` may put on disk, in megabytes of files: 32.5 when this was written. */
const maxMegabytes = 34;

async function megabytesOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1e6;
}

/** The version that npm installs by default. */
async function latest(registry: string, name: string): Promise<string | undefined> {
  const answer = await fetch(new URL(name.replace("/", "%2f"), registry));
  return ((await answer.json()) as { "dist-tags"?: { latest?: string } })["dist-tags"]?.latest;
}
