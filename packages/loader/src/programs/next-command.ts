import type { JsonObject } from "@toolmount/core";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, resolve, sep } from "node:path";
import { isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import { readSourceFiles } from "../modules/source-files.ts";
import type { PlanEntry } from "../plan/check-entries.ts";
import type { Plan } from "../plan/check-plan.ts";
import type { Source } from "../modules/source.ts";
import { obeyedNames } from "./obeyed-names.ts";

/** Files that a part of the plan names, and that the next command would run or obey. */
export interface NamedFiles {
  /** The part of the plan. */
  readonly path: Path;
  /** Absolute, and protected from tools. Skills are their folder. A script need not exist. */
  readonly files: readonly string[];
  /** Files that the plan lets the program itself write, so that they are not protected. */
  readonly writable: readonly string[];
  /** Folders outside of the plan's to which the plan leads by a relative path. */
  readonly roots: readonly string[];
}

/** A plan, as far as it names programs and skills. */
export interface NamingPlan {
  readonly folder: string;
  readonly plan: Pick<Plan, "commandHooks" | "entries">;
  readonly modules: readonly NamingModule[];
}

/** A module of a plan: a program, when it is an MCP server over stdio. */
interface NamingModule {
  readonly source: Source;
  readonly config: JsonObject;
  readonly path: Path;
}

/**
 * Returns what the next command would run or obey besides modules: the programs of hooks and of MCP servers, with the files
 * that they name or import, the folders of skills, and files that programs obey. Absolute paths, and names in any folder.
 */
export async function nextCommandPaths(named: NamingPlan): Promise<readonly string[]> {
  const found = await nextCommandFiles(named);
  return [...new Set(found.flatMap(({ files }) => files)), ...obeyedNames];
}

/** The programs of hooks and of MCP servers with the files that they name or import, and the folders of skills. */
export async function nextCommandFiles({
  folder,
  plan,
  modules,
}: NamingPlan): Promise<readonly NamedFiles[]> {
  const hooks = plan.commandHooks.map(({ hook, path }): Program => {
    return { words: wordsOf(hook.command), cwd: folder, own: [], path };
  });
  const programs = [...hooks, ...modules.flatMap((use) => serverOf(use, folder))];
  const skills = plan.entries.map((entry) => skillsOf(entry, folder));
  const found = [...(await Promise.all(programs.map(filesOfProgram))), ...skills];
  return found.filter(({ files, writable }) => files.length + writable.length > 0);
}

interface Program {
  readonly path: Path;
  readonly words: readonly string[];
  readonly cwd: string;
  /** What the plan lets the program write. */
  readonly own: readonly string[];
}

/** The words of a shell's text, without quotes and operators; a word `--option=file` is two. */
function wordsOf(command: string | readonly string[]): readonly string[] {
  const words = typeof command === "string" ? [command] : command;
  return words.flatMap((word) => word.split(/[\s"'`;|&<>()=]+/)).filter((word) => word !== "");
}

/** The program of an MCP server over stdio. */
function serverOf({ source, config, path }: NamingModule, folder: string): readonly Program[] {
  const { command, args } = config;
  if (source.kind !== "scheme" || typeof command !== "string") return [];
  const cwd = resolve(folder, typeof config["cwd"] === "string" ? config["cwd"] : ".");
  const own = textsOf(config["write"]).map((each) => resolve(folder, each));
  const given = [command, ...textsOf(args)];
  // Words as they are, and also without the option before them.
  const words = [...given, ...wordsOf(given)];
  return [{ words, cwd, own, path }];
}

function skillsOf({ module, config, path }: PlanEntry, folder: string): NamedFiles {
  const isSkills = module === "skills" || module === "@toolmount/tool-skills";
  const written = isSkills && isRecord(config) ? textsOf(config["folders"]) : [];
  const within = (each: string) => resolve(folder, each);
  const roots = written.filter((each) => !isAbsolute(each)).map(within);
  return { path, files: written.map(within), writable: [], roots };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Most files of one program. */
const maxFiles = 200;

/** The files that the words of a program name, and the scripts that these name in turn. */
async function filesOfProgram(program: Program): Promise<NamedFiles> {
  const { words, cwd, own, path } = program;
  const files = new Set<string>();
  const first = await Promise.all(words.map((word) => filesOfWord(word, cwd)));
  const roots = first.flatMap((found, at) => (isAbsolute(words[at]!) ? [] : found.map(dirname)));
  let next = [...first.flat(), ...(await entriesOf(program))];
  while (next.length > 0 && files.size < maxFiles) {
    for (const file of next) files.add(file);
    const named = await Promise.all(next.map((file) => namedByScript(file, cwd)));
    next = [...new Set(named.flat())].filter((file) => !files.has(file));
  }
  const { kept = [], written = [] } = Object.groupBy(files, (file) =>
    own.some((root) => isBelow(file, root)) ? "written" : "kept",
  );
  return { path, files: kept, writable: written, roots };
}

export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Extensions of files that are run, and that a word may leave out. */
const scripts = ".sh .bash .zsh .py .js .mjs .cjs .ts .mts .cts .rb .pl .php .lua .ps1 .cmd .bat".split(" ");

/** What an interpreter runs in a folder that it is given. */
const entries = ["index.js", "index.mjs", "index.cjs", "package.json", "__main__.py"];

/** A program that runs the file or folder after its name. */
const interpreter = /^(?:node|nodejs|bun|tsx|python[\d.]*)$/;

/** The files in the folders that programs run: a shell's text may start several. */
async function entriesOf({ words, cwd }: Program): Promise<readonly string[]> {
  const run = words.flatMap((word, at) => {
    const isRun = interpreter.test(basename(word));
    return isRun ? (words.slice(at + 1).find((each) => !each.startsWith("-")) ?? []) : [];
  });
  return existing(run.flatMap((folder) => entries.map((name) => resolve(cwd, folder, name))));
}

/** The files that a word may mean. One that looks like a script need not be there: the program would run it all the same. */
async function filesOfWord(word: string, folder: string): Promise<readonly string[]> {
  if (word.length > 1_000 || /^[-~]|[*?{}\0]|^[a-z]+:\/\//i.test(word)) return [];
  const there = await existing(["", ...scripts].map((end) => resolve(folder, `${word}${end}`)));
  return there.length === 0 && isScript(word) ? [resolve(folder, word)] : there;
}

function isScript(path: string): boolean {
  return scripts.includes(extname(path));
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const facts = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, at) => facts[at]?.isFile() === true);
}

/** Longest script that is searched for names of others, in bytes, and most names. */
const maxScript = 1_000_000;
const maxNames = 500;

/** What a script names: words with the extension of a script, and modules of Python. */
const named = new RegExp(`[\\w./-]+(?:${scripts.map((end) => `\\${end}`).join("|")})\\b`, "g");
const pythonImport = /^\s*(?:from|import)\s+([\w.]+)/gm;

/** The scripts that a script imports, or names in its text. What is installed names nothing of the plan's folder. */
async function namedByScript(file: string, cwd: string): Promise<readonly string[]> {
  const real = await realpath(file).catch(() => file);
  const linked = real === file ? [] : [real];
  const facts = await stat(real).catch(() => undefined);
  const isRead = isScript(real) && facts !== undefined && facts.size <= maxScript;
  if (!isRead || real.split(sep).includes("node_modules")) return linked;
  const { digests } = await readSourceFiles(real);
  const text = await readFile(real, "utf8");
  const modules = [...text.matchAll(pythonImport)].map(([, name = ""]) => `${name.replaceAll(".", "/")}.py`);
  const words = [...new Set([...(text.match(named) ?? []), ...modules])].slice(0, maxNames);
  const places = [dirname(real), cwd].flatMap((folder) => words.map((word) => resolve(folder, word)));
  return [...linked, ...digests.keys(), ...(await existing(places))];
}
