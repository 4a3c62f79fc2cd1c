import { execFile } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { libraries } from "../../src/scaffold/ranges.ts";
import { root, workspace } from "../support/workspace.ts";

/** Makes a tool's package, and links what `npm install` would bring. */
async function created(name: string, options: readonly string[] = []) {
  const world = await workspace({});
  const made = await world.run(["create", "tool", name, "made", ...options]);
  const folder = join(world.folder, "made");
  for (const [link, target] of [
    ["@toolmount/core", "packages/core"],
    ["@types/node", "node_modules/@types/node"],
    ["zod", "packages/core/node_modules/zod"],
  ] as const) {
    await mkdir(dirname(join(folder, "node_modules", link)), { recursive: true });
    await symlink(join(root, target), join(folder, "node_modules", link));
  }
  const run = async (command: string, ...words: string[]) =>
    promisify(execFile)(command, words, {
      cwd: folder,
      env: { PATH: `${join(root, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env["PATH"]}` },
    });
  return { toolmount: world.run, made, folder, run };
}

test.each([
  { name: "weather", options: [], tool: "get_weather", said: "module: weather" },
  {
    name: "send-mail",
    options: ["--name", "@acme/mail"],
    tool: "send_mail",
    said: 'module: "@acme/mail"',
  },
])(
  "create tool $name makes a package that builds, and passes validate, its tests, publint and attw as it is",
  async ({ name, options, tool, said }) => {
    const { made, run, folder, toolmount } = await created(name, options);

    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining(said)]);
    await run("tsc");
    expect(
      (await run("node", "--conditions=@toolmount/source", "--test", "test/*.test.ts")).stdout,
    ).toContain("fail 0");
    await run("publint", "--strict");
    await run("attw", "--pack", ".", "--profile", "esm-only", "--quiet");
    const manifest = await toolmount(["manifest", folder, "--check", "--json"]);
    expect([manifest.code, manifest.json()]).toEqual([0, expect.objectContaining({ same: true })]);
    const verdict = await toolmount(["validate", folder, "--type", "tool"]);
    expect(verdict).toMatchObject({ code: 0, stdout: expect.stringContaining("0 errors, 0 warnings") });
    expect(manifest.json()).toMatchObject({ manifest: { tools: [{ name: tool }] } });
  },
);

test.each(["Weather", "we ather", "-weather", "weather-", "1weather", "../weather", "w".repeat(41)])(
  "the name %j is refused",
  async (name) => {
    const { here: run } = await workspace({});

    expect(await run(["create", "tool", "--", name])).toMatchObject({ code: 2 });
  },
);

test("a folder that holds something is left as it is", async () => {
  const { here: run, read } = await workspace({ "weather/notes.txt": "mine" });
  const { code, stderr } = await run(["create", "tool", "weather"]);

  expect([code, await read("weather/notes.txt")]).toEqual([2, "mine"]);
  expect(stderr).toContain("is not empty");
});

test("only tools can be made", async () => {
  const { here: run } = await workspace({});

  expect(await run(["create", "hook", "audit"])).toMatchObject({ code: 2 });
});

test("a new tool is made with the libraries that this workspace uses", async () => {
  const catalog = await readFile(join(root, "pnpm-workspace.yaml"), "utf8");

  for (const [name, range] of Object.entries(libraries))
    expect(catalog.replaceAll('"', "")).toContain(`\n  ${name}: ${range}\n`);
});
