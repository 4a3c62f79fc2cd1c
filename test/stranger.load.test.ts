import { mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { exec } from "./support/exec.ts";
import { playGatewayStory } from "./support/gateway-story.ts";
import { startRegistry } from "./support/registry.ts";
import { isFull, matrix, tryUpgrade } from "./support/release-matrix.ts";
import { npmEnvironment, release, writeNpmrc, type Release } from "./support/release.ts";
import { shellAtTerminal } from "./support/shell-terminal.ts";

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

/** What all strangers here share: a registry on loopback with the packages of this repository, and npm's cache. */
interface World {
  readonly url: string;
  readonly cache: string;
  /** The newest release. */
  release: Release;
}
let opened: Promise<World> | undefined;
const undos: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const undo of undos.toReversed()) await undo();
});

async function openWorld(): Promise<World> {
  const later = (undo: () => Promise<void>) => void undos.push(undo);
  const { url } = await startRegistry(later);
  const cache = await mkdtemp(join(tmpdir(), "toolmount-npm-cache-"));
  later(() => rm(cache, { recursive: true, force: true }));
  return { url, cache, release: await release(url, later) };
}

/** An empty folder with a space in its name, and an environment in which npm knows only the registry. */
async function emptyFolder({ url, cache }: World) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount stranger ")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeNpmrc(folder, url);
  return { folder, env: npmEnvironment(url, folder, cache) };
}

test("two minutes: from an empty folder, npm create toolmount leads to a first own call", async () => {
  const { folder, env } = await emptyFolder(await (opened ??= openWorld()));
  const { PATH = "" } = process.env;
  const shell = await shellAtTerminal(folder, { PATH, ...env });

  await shell.run("npm create --yes toolmount my-tools", async () => {
    await shell.answer("Write a first tool", "y");
    await shell.answer("run commands in this folder", "n");
    await shell.answer("read the files of this folder", "n");
    await shell.answer("Install the packages", "y");
    await shell.answer("a git repository", "n");
  });
  await shell.run("cd my-tools");
  expect(await shell.run("npx toolmount check")).toContain("1 module, 1 tool");
  const called = await shell.run(`npx toolmount call count_words '{"text":"one two three"}'`);
  expect(called).toMatch(/✔ ok count_words[\s\S]*words: 3/);
  await shell.run("sed -i 's/words: text/count: text/' tools/count-words.ts");
  expect(await shell.run("npx toolmount call count_words text='one two'")).toContain("count: 2");
  const took = await shell.run('echo "all of it took $SECONDS seconds"');
  process.stderr.write(`${/all of it took \d+ seconds/.exec(took)?.[0]}\n`);
});

test("the story of the gateway, from an empty folder: import, lock, serve; ask, stop what changed, audit", async () => {
  const { folder, env } = await emptyFolder(await (opened ??= openWorld()));
  const path = `export PATH="${folder}/node_modules/.bin:$PATH"`;

  const run = (line: string) => exec("bash", ["-c", `${path}; ${line}`], { cwd: folder, env });

  // It has its own expectations.
  await expect(playGatewayStory({ folder, env, run })).resolves.toBeUndefined();
});

test("a stranger installs toolmount and two tools, publishes a third, mounts all by a plan, and calls them", async () => {
  const world = await (opened ??= openWorld());
  for (const { name, version } of world.release.packages)
    expect([name, await latest(world.url, name)]).toEqual([name, version]);
  const { folder, env } = await emptyFolder(world);
  const run = (line: string, at = folder) =>
    exec("bash", ["-c", `export PATH="${folder}/node_modules/.bin:$PATH"; ${line}`], { cwd: at, env });

  await run("npm init -y && npm pkg set type=module");
  await run("npm install toolmount");
  const installed = await megabytesOf(join(folder, "node_modules"));
  process.stderr.write(`npm install toolmount: ${installed.toFixed(1)} MB\n`);
  expect(installed).toBeLessThan(maxMegabytes);
  await run(
    "npm install @toolmount/core @toolmount/loader @toolmount/tool-hello-world @toolmount/tool-testing typescript@7 @types/node@24",
  );
  await run("npx toolmount package create tool weather");
  const tool = join(folder, "weather");
  // The next release of core must not break what strangers published with this one.
  const { peerDependencies } = JSON.parse(await readFile(join(tool, "package.json"), "utf8")) as {
    peerDependencies: object;
  };
  expect(peerDependencies).toEqual({
    "@toolmount/core": expect.stringMatching(/^>=\d+\.\d+\.\d+$/) as string,
  });
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

/** The tools that need the sessions of the host, and cannot run behind a border. */
const hostTools = ["delegate", "discovery", "modes", "skills"];

/** The tools that a fetched module's default border holds, each with a call that does no harm. */
const harmless: Readonly<Record<string, readonly [string, object, string]>> = {
  bash: ["bash", { command: "echo from-bash" }, "from-bash"],
  filesystem: ["read_file", { file_path: "notes.md" }, "a note of mine"],
  "hello-world": ["agent_hello_world", { name: "Ada" }, "Hello, Ada!"],
  search: ["grep", { pattern: "a note", output_mode: "content" }, "a note of mine"],
  testing: ["testing_calculator", { operation: "add", left: 2, right: 3 }, "5"],
  todo: [
    "todo",
    { action: "create", todos: [{ content: "Ship", status: "pending", activeForm: "Shipping" }] },
    "Ship",
  ],
  web: ["web_fetch", { url: "http://127.0.0.1:1/" }, "URL_BLOCKED"],
};

/** Skills have no tool of their own, and a delegate needs a model. */
const hostCalls: readonly (readonly [string, object, string])[] = [
  ["tool_search", { query: "greet a person" }, "agent_hello_world"],
  ["agent_list_modes", {}, "For everything"],
];

const modes = {
  catalog: [{ key: "all", displayName: "All", description: "For everything", isDefault: true, tools: ["*"] }],
};

/** Calls the tools of a plan, one after the other, and prints each outcome as a line. */
const callAll = `import { openHost } from "@toolmount/loader";
import * as interop from "@toolmount/interop";
import * as workers from "@toolmount/workers";
const [plan, calls] = process.argv.slice(2);
const extensions = { "@toolmount/interop": interop, "@toolmount/workers": workers };
// Behind a border a tool that decides by a function whether to ask always asks.
const host = await openHost(plan, { extensions, approver: () => ({ decision: "approve" }) });
for (const [name, given] of JSON.parse(calls)) console.log(JSON.stringify(await host.call({ name, arguments: given })));
await host.close();
`;

interface Entry {
  readonly module: string;
  readonly source: string;
  readonly config?: object;
  readonly run?: object;
}

/** The entry of a tool, with what its harmless call needs. */
function entryOf(tool: string, source: string): Entry {
  const entry = { module: `@toolmount/tool-${tool}`, source };
  if (tool === "bash")
    return { ...entry, config: { require_approval: false, safety_profile: "unrestricted" } };
  if (tool === "skills") return { ...entry, config: { folders: ["./skills"] } };
  return tool === "filesystem" || tool === "search"
    ? { ...entry, run: { in: "process", border: "strictest", read: ["./notes.md"] } }
    : entry;
}

test("every tool of toolmount is mounted from the registry, and three from repositories, and answers a call", async () => {
  const world = await (opened ??= openWorld());
  const { folder, env } = await emptyFolder(world);
  const path = `export PATH="${folder}/node_modules/.bin:$PATH"`;
  const run = (line: string, at = folder) => exec("bash", ["-c", `${path}; ${line}`], { cwd: at, env });
  const call = async (file: string, calls: readonly (readonly [string, object, string])[]) => {
    const lines = (await run(`node call-all.mjs ${file} '${JSON.stringify(calls)}'`)).trim().split("\n");
    for (const [at, [name, , answer]] of calls.entries())
      expect([name, lines[at]]).toEqual([name, expect.stringContaining(answer)]);
  };
  const write = (name: string, entries: readonly Entry[]) =>
    writeFile(join(folder, name), JSON.stringify({ version: 1, modes, tools: entries }));
  const versions = new Map(world.release.packages.map(({ name, version }) => [name, version]));
  const published = (tool: string) =>
    entryOf(tool, `npm:@toolmount/tool-${tool}@${versions.get(`@toolmount/tool-${tool}`)}`);
  const inHost = hostTools.map((tool) => ({ ...published(tool), run: { in: "inline" } }));
  const repositories = ["filesystem", "hello-world", "todo"];

  await run("npm init -y && npm install toolmount");
  await mkdir(join(folder, "skills/note"), { recursive: true });
  await writeFile(
    join(folder, "skills/note/SKILL.md"),
    "---\nname: note\ndescription: Notes.\n---\nDo it.\n",
  );
  await writeFile(join(folder, "notes.md"), "a note of mine\n");
  await writeFile(join(folder, "call-all.mjs"), callAll);
  const cloned = await Promise.all(repositories.map((tool) => repositoryOf(tool, folder, run)));
  await write("all.json", [...Object.keys(harmless).map(published), ...inHost]);
  await write("bordered.json", hostTools.map(published));
  await write(
    "cloned.json",
    repositories.map((tool, at) => entryOf(tool, cloned[at]!)),
  );
  await run("toolmount install all.json && toolmount install bordered.json && toolmount install cloned.json");

  expect(await run("toolmount check all.json")).toContain("27 tools");
  expect(await run("toolmount check cloned.json")).toContain("10 tools");
  const listed = await run("toolmount list all.json");
  const calls = [...Object.values(harmless), ...hostCalls];
  for (const [name] of calls) expect(listed).toContain(name);
  await call("all.json", calls);
  await call(
    "cloned.json",
    repositories.map((tool) => harmless[tool]!),
  );
  const refused = await run("toolmount check bordered.json || true");
  for (const tool of hostTools)
    expect(refused).toMatch(new RegExp(`@toolmount/tool-${tool}[^]{0,300}not possible behind a border`));
});

/** A repository with what a release has of a tool; its source for a plan. */
async function repositoryOf(
  tool: string,
  folder: string,
  run: (line: string, at?: string) => Promise<string>,
): Promise<string> {
  const at = join(folder, "repositories", tool);
  await mkdir(at, { recursive: true });
  await run(
    `npm pack --silent @toolmount/tool-${tool} && tar -xzf *.tgz --strip-components=1 && rm *.tgz`,
    at,
  );
  await run(
    "git init -q -b main && git add -A && git -c user.name=a -c user.email=a@b.test commit -qm all",
    at,
  );
  return `git+file://${at}@main`;
}

test(`two releases, one after the other: ${matrix.map(([manager, node]) => `${manager} on Node ${node}`).join(", ")} installs the first, calls a tool, and upgrades to the second`, async () => {
  const world = await (opened ??= openWorld());
  const first = world.release;
  // A change of every package only where all pairs are tried: each package takes npm a second.
  world.release = await (isFull ? first.again() : first.again(["toolmount", "@toolmount/tool-hello-world"]));

  // It has its own expectations.
  await expect(tryUpgrade(world.url, first.packages, world.release.packages)).resolves.toBeUndefined();
});

/** What `npm install toolmount` may put on disk, in megabytes of files: 28 with the compiler for TypeScript, 1.2 of them. */
const maxMegabytes = 28.5;

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
