import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of real files that lasts as long as the test. */
export interface Workspace {
  readonly folder: string;
  path(name: string): string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

const packages = resolve(import.meta.dirname, "..", "node_modules");

/** Makes a folder with files, in which core and zod are installed. */
export async function workspace(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount loader ")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "node_modules/@toolmount"), { recursive: true });
  await symlink(join(packages, "@toolmount/core"), join(folder, "node_modules/@toolmount/core"));
  await symlink(join(packages, "zod"), join(folder, "node_modules/zod"));
  const path = (name: string) => join(folder, name);
  const write = (more: Readonly<Record<string, string>>) => writeFiles(folder, more);
  await write(files);
  return { folder, path, write };
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** The source of a file that exports one tool, which answers with `answer`. */
export function toolFile(name: string, answer = name): string {
  return `
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

export const tool = defineTool({
  name: "${name}",
  description: "Answers always the same. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: () => data("${answer}"),
});
`;
}

/** The files of an installed package whose module has the given source. */
export function installed(name: string, source: string, more: object = {}): Record<string, string> {
  const json = { name, version: "1.2.3", type: "module", exports: "./index.js", ...more };
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify(json),
    [`node_modules/${name}/index.js`]: source,
  };
}

/** The source of a module that mounts one tool; `before` is code in front of it, inside `mount`. */
export function moduleSource(tool: string, before = ""): string {
  return `
export async function mount(coordinator, config) {
  ${before}
  coordinator.mount("tools", {
    name: "${tool}",
    description: "Shows its config. Use in tests.",
    schema: schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: () => ({ data: config }),
  });
}
import { z } from "zod";
const schema = z.strictObject({});
`;
}
