import { spawn } from "node:child_process";
import { cp, glob, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { commandFile, nodeFlags } from "./program.ts";

/** A fenced block of a page, with the mark after its language. */
export interface Block {
  readonly language: string;
  readonly mark: string;
  readonly value: string;
  readonly text: string;
  readonly line: number;
}

/** Languages whose blocks a reader copies, so each needs a mark that says how it is run. */
const tried = new Set(["sh", "ts", "js", "yaml", "json", "text"]);

/**
 * What may follow a fence's language:
 *
 * - `file=weather.ts`: the block is the content of that file
 * - `install`: `npm install …`, whose packages are linked instead of fetched; others are not found
 * - `run`, `run=1`: each line is run, and exits with 0 or with the given code
 * - `output`: each line is part of the output of the last `run`
 * - `repository`: run by another test, in a clone; the scripts exist
 * - `shown`: an excerpt that is not run
 */
const marks = new Set(["file", "install", "run", "output", "repository", "shown"]);

/** Reads the fenced blocks of a page. Throws if one has no mark. */
export function readBlocks(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const { 0: whole, 1: info = "", 2: text = "", index } of markdown.matchAll(
    /^```(.+)\n([\s\S]*?)^```$/gm,
  )) {
    const line = markdown.slice(0, index).split("\n").length;
    const [language = "", marked = ""] = info.trim().split(" ");
    const [mark = "", value = ""] = marked.split("=");
    if (tried.has(language) && !marks.has(mark))
      throw new Error(`${page}:${line}: no test looks at ${whole.split("\n")[0]}`);
    blocks.push({ language, mark, value, text, line });
  }
  return blocks;
}

/** What a page's steps find beside an empty folder. */
export interface Given {
  /** A folder whose files are there from the start. */
  readonly files?: string;
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Follows a page in a folder below `base`, as a reader would, and keeps the folder. Returns how many blocks it ran. */
export async function tryPage(root: string, page: string, base: string, given: Given = {}): Promise<number> {
  const blocks = readBlocks(page, await readFile(join(root, page), "utf8"));
  const folder = join(base, page);
  await mkdir(folder, { recursive: true });
  if (given.files !== undefined) await cp(given.files, folder, { recursive: true });
  const reader: Reader = { root, folder, env: given.env ?? {}, printed: "" };
  for (const block of blocks) await tryBlock(reader, block, `${page}:${block.line}`);
  return blocks.filter(({ mark }) => mark === "run").length;
}

/** Follows each page once: a test of what all of them make works in any order. */
export function followOnce(follow: (page: string) => Promise<number>) {
  const followed = new Map<string, Promise<number>>();
  const one = (page: string) => {
    const blocks = followed.get(page) ?? follow(page);
    followed.set(page, blocks);
    return blocks;
  };
  const all = async (pages: readonly string[]) => {
    // One after the other, as the tests do; their own tests report what fails.
    for (const page of pages) await one(page).catch(() => undefined);
  };
  return { one, all };
}

interface Reader {
  readonly root: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  printed: string;
}

async function tryBlock(reader: Reader, { mark, value, text }: Block, place: string): Promise<void> {
  const lines = text.split("\n").filter((line) => line !== "");
  switch (mark) {
    case "file":
      await mkdir(dirname(join(reader.folder, value)), { recursive: true });
      return writeFile(join(reader.folder, value), text);
    case "install":
      return install(reader, lines.join(" "));
    case "run":
      reader.printed = "";
      if (text === newPackage) return makePackage(reader, lines, place);
      for (const line of lines) await run(reader, line, Number(value), place);
      return undefined;
    case "output":
      for (const line of lines) expect(reader.printed, place).toContain(line);
      return undefined;
    case "repository":
      return checkScripts(reader, lines, place);
    default:
      return undefined;
  }
}

/** How most pages begin. */
const newPackage = "npm init -y\nnpm pkg set type=module\n";

/** What npm wrote when the first of these pages began. It writes the same for the others, but for the name. */
let written: Promise<object> | undefined;

async function makePackage(reader: Reader, lines: readonly string[], place: string): Promise<void> {
  const file = join(reader.folder, "package.json");
  const ask = async () => {
    for (const line of lines) await run(reader, line, 0, place);
    return JSON.parse(await readFile(file, "utf8")) as object;
  };
  const manifest = await (written ??= ask());
  await writeFile(
    file,
    JSON.stringify({ ...manifest, name: basename(reader.folder).toLowerCase() }, null, 2),
  );
}

/** Runs a line in a shell that finds `node`, `npx` and the installed packages. */
async function run(reader: Reader, line: string, code: number, place: string): Promise<void> {
  const path = [
    join(reader.folder, "node_modules/.bin"),
    dirname(process.execPath),
    process.env["PATH"],
  ].join(":");
  const child = spawn("bash", ["-c", line], {
    cwd: reader.folder,
    env: {
      ...reader.env,
      PATH: path,
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      NO_COLOR: "1",
      npm_config_offline: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  expect(ended, `${place}: ${line}\n${printed}`).toBe(code);
  reader.printed += printed;
}

/** Links the packages that the page installs, and no others. */
async function install({ root, folder }: Reader, line: string): Promise<void> {
  const [npm, verb, ...names] = line.split(" ");
  expect([npm, verb], line).toEqual(["npm", "install"]);
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  for (const name of names.filter((word) => !word.startsWith("-"))) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(await realpath(await findPackage(root, name)), join(modules, name));
  }
  await writeScript(join(modules, ".bin/node"), [`"${process.execPath}"`, ...nodeFlags].join(" "));
  await writeFile(join(modules, ".bin/npx"), npx, { mode: 0o755 });
  if (names.includes("toolmount"))
    await writeScript(join(modules, ".bin/toolmount"), `node "${commandFile}"`);
}

async function findPackage(root: string, name: string): Promise<string> {
  if (name === "toolmount") return join(root, "packages/cli");
  const [, tool] = /^@toolmount\/tool-(.+)$/.exec(name) ?? [];
  if (tool !== undefined) return join(root, "tools", tool);
  if (name.startsWith("@toolmount/")) return join(root, "packages", name.slice("@toolmount/".length));
  for await (const found of glob(`{mount-plans,packages/*,test,test/agents,test/mcp}/node_modules/${name}`, {
    cwd: root,
  }))
    return join(root, found);
  throw new Error(`no package here has ${name} among its dependencies`);
}

/** Starts an installed command as npx does, without npm's start of 0.3 s of processor time. It downloads nothing. */
const npx = `#!/bin/sh
command="$(dirname "$0")/$1"
[ -x "$command" ] || { echo "npx: $1 is not installed" >&2; exit 127; }
shift
exec "$command" "$@"
`;

function writeScript(path: string, command: string): Promise<void> {
  return writeFile(path, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
}

async function checkScripts({ root }: Reader, lines: readonly string[], place: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  for (const line of lines) {
    const [, name] = /^npm (?:run )?(\w+)/.exec(line) ?? [];
    expect(Object.keys(scripts), `${place}: ${line}`).toContain(name);
  }
}

/**
 * Checks the types of all files that pages below `base` made, in one program: the compiler reads the packages once. An
 * error names the page, which is the folder of its file.
 */
export async function checkTypes(root: string, base: string): Promise<void> {
  await mkdir(join(base, "node_modules/@types"), { recursive: true });
  await symlink(join(root, "node_modules/@types/node"), join(base, "node_modules/@types/node"));
  const compilerOptions = {
    composite: false,
    emitDeclarationOnly: false,
    declarationMap: false,
    noEmit: true,
    rootDir: "/",
    target: "esnext",
    lib: ["esnext"],
  };
  const extensions = { allowImportingTsExtensions: true, rewriteRelativeImportExtensions: false };
  const config = {
    extends: join(root, "tsconfig.base.json"),
    include: ["**/*.ts", "**/*.mts"],
    exclude: ["**/node_modules"],
    compilerOptions: { ...compilerOptions, ...extensions },
  };
  await writeFile(join(base, "tsconfig.json"), JSON.stringify(config));
  await run({ root, folder: base, env: {}, printed: "" }, `"${root}/node_modules/.bin/tsc" -p .`, 0, "types");
}
