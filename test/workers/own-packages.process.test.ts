import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { inspectPlan } from "@toolmount/loader/commands";
import { expect, test } from "vitest";
import { extensions, folderOf, open } from "./world.ts";

const tools = new URL("../../tools/", import.meta.url);
const names = await readdir(tools);

/** Packages that do more with the host than a process can, so a plan names `run: { in: inline }`. */
const hostOnly: Readonly<Record<string, string>> = {
  delegate: "it starts sessions of the host",
  program: "it lists and calls the tools of its host",
  discovery: 'it registers the capability "tools.disclosure"',
  modes: "it reads and changes the modes of the host's sessions",
  skills: "it follows the plan, and mounts tools while it runs",
};

/** A folder in which our packages are installed. */
async function installed(): Promise<string> {
  const folder = await folderOf({
    "skills/note/SKILL.md": "---\nname: note\ndescription: Takes a note.\n---\nDo it.\n",
  });
  const modules = join(folder, "node_modules/@toolmount");
  await mkdir(modules, { recursive: true });
  for (const name of names) await symlink(new URL(name, tools).pathname, join(modules, `tool-${name}`));
  return folder;
}

const entryOf = (name: string, more: object = {}) => ({
  module: name,
  source: `npm:@toolmount/tool-${name}`,
  ...(name === "skills" && { config: { folders: ["./skills"] } }),
  ...more,
});

test("there is a package for each name, and none has another reason", () => {
  expect(names).toEqual(expect.arrayContaining(Object.keys(hostOnly)));
});

test.each(names.filter((name) => hostOnly[name] === undefined))(
  "our package %s mounts from npm behind the default border, as its manifest says",
  async (name) => {
    const cwd = await installed();
    const plan = { version: 1, tools: [entryOf(name)] };
    const { problems, entries } = await inspectPlan(plan, { cwd, extensions });
    const host = await open(plan, { cwd });
    const manifest = JSON.parse(await readFile(new URL(`${name}/package.json`, tools), "utf8")) as {
      toolmount: { tools: readonly { name: string }[] };
    };

    expect(problems).toEqual([]);
    expect(entries.find(({ id }) => id === name)?.run).toMatchObject({
      in: "process",
      border: "strictest",
    });
    expect(host.tools().map((tool) => tool.name)).toEqual(
      manifest.toolmount.tools.map((tool) => tool.name).toSorted(),
    );
  },
);

test.each(Object.entries(hostOnly))(
  "our package %s is refused behind a border by check and by the mount, and mounts inline",
  async (name, reason) => {
    const cwd = await installed();
    const plan = { version: 1, tools: [entryOf(name)] };
    const problem = {
      code: "MODULE_MOUNT_FAILED",
      message: expect.stringContaining(
        `${reason}, which is not possible behind a border; if you trust its code, write`,
      ),
    };

    expect((await inspectPlan(plan, { cwd, extensions })).problems).toMatchObject([problem]);
    await expect(open(plan, { cwd })).rejects.toMatchObject({ details: { problems: [problem] } });
    const inline = { version: 1, tools: [entryOf(name, { run: { in: "inline" } })] };
    expect((await open(inline, { cwd })).tools().length).toBeGreaterThan(0);
  },
);

const elsewhere = [{ in: "process" }, { in: "process", border: "none" }, { in: "fleet" }] as const;

test.each(
  Object.entries(hostOnly).flatMap(([name, reason]) =>
    name === "discovery" ? [] : elsewhere.map((run) => [name, run, reason] as const),
  ),
)(
  "our package %s is refused with run %j, since its calls would not find the host",
  async (name, run, reason) => {
    const cwd = await installed();
    const source = join(cwd, "node_modules/@toolmount", `tool-${name}`);
    const plan = { version: 1, tools: [{ ...entryOf(name, { run }), source: `file:${source}` }] };
    const problem = {
      code: "MODULE_MOUNT_FAILED",
      message: expect.stringContaining(`${reason}, which its calls can do only in the host; write run: {`),
    };

    expect((await inspectPlan(plan, { cwd, extensions })).problems).toMatchObject([problem]);
    if (run.in === "process")
      await expect(open(plan, { cwd })).rejects.toMatchObject({ details: { problems: [problem] } });
  },
);
