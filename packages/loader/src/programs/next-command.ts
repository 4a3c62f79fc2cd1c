import type { JsonObject } from "@toolmount/core";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, resolve, sep } from "node:path";
import { isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import { followImports, hasImports, importsIn } from "../modules/source-files.ts";
import type { PlanEntry } from "../plan/check-entries.ts";
import type { Plan } from "../plan/check-plan.ts";
import type { Source } from "../modules/source.ts";
import { obeyedNames } from "./obeyed-names.ts";

/** Files that the next command would run or obey because a part of the plan names them. */
export interface NamedFiles {
  /** The path of this part of the plan. */
  readonly path: Path;
  /** Absolute paths that tools must not write. For skills they are folders. A script need not exist yet. */
  readonly files: readonly string[];
  /** Files that the plan allows the program itself to write, so they are not protected. */
  readonly writable: readonly string[];
  /** Folders to which the plan refers by a relative path. They may be outside of the plan's folder. */
  readonly roots: readonly string[];
}

/** The parts of a plan that name programs, skills and texts. */
export interface NamingPlan {
  readonly folder: string;
  readonly plan: Pick<Plan, "commandHooks" | "entries">;
  readonly modules: readonly NamingModule[];
  /** The files with texts of fetched bundles, which are added to prompts. */
  readonly texts: readonly string[];
}

/** A module of a plan. Its config names a program if it is an MCP server over stdio. */
interface NamingModule {
  readonly source: Source;
  readonly config: JsonObject;
  readonly path: Path;
}

/**
 * Returns what the next command would run or obey besides modules: the programs of hooks and of MCP servers, the files that they
 * name or import, the folders of skills, and files that usual programs obey, such as `.git/hooks`. These are absolute paths, and
 * patterns for names in any folder.
 */
export async function nextCommandPaths(named: NamingPlan): Promise<readonly string[]> {
  const found = await nextCommandFiles(named);
  return [...new Set(found.flatMap(({ files }) => files)), ...obeyedNames];
}

/**
 * Returns, for each part of the plan, the files of its programs with the files that they name or import, or the folders of its
 * skills.
 */
export async function nextCommandFiles({
  folder,
  plan,
  modules,
  texts,
}: NamingPlan): Promise<readonly NamedFiles[]> {
  const hooks = plan.commandHooks.map(({ hook, path }): Program => {
    return { words: wordsOf(hook.command), cwd: folder, own: [], path };
  });
  const programs = [...hooks, ...modules.flatMap((use) => serverOf(use, folder))];
  const skills = plan.entries.map((entry) => skillsOf(entry, folder));
  const disk = createDisk();
  const used = await Promise.all(programs.map((each) => filesOfProgram(each, disk)));
  const bundles: NamedFiles = { path: ["includes"], files: texts, writable: [], roots: texts.map(dirname) };
  const found = [...used, ...skills, bundles];
  return found.filter(({ files, writable }) => files.length + writable.length > 0);
}

interface Program {
  readonly path: Path;
  readonly words: readonly string[];
  readonly cwd: string;
  /** Paths that the plan lets the program write. */
  readonly own: readonly string[];
}

/** Returns the words of a command for a shell, without quotes and operators. `--option=file` becomes two words. */
function wordsOf(command: string | readonly string[]): readonly string[] {
  const words = typeof command === "string" ? [command] : command;
  return words.flatMap((word) => word.split(/[\s"'`;|&<>()=]+/)).filter((word) => word !== "");
}

/** Returns the program of an MCP server over stdio; empty for any other module. */
function serverOf({ source, config, path }: NamingModule, folder: string): readonly Program[] {
  const { command, args } = config;
  if (source.kind !== "scheme" || typeof command !== "string") return [];
  const cwd = resolve(folder, typeof config["cwd"] === "string" ? config["cwd"] : ".");
  const own = textsOf(config["write"]).map((each) => resolve(folder, each));
  const given = [command, ...textsOf(args)];
  // The words are used both as written and split, so that a file after an option's `=` is found.
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

/** Returns the files that the words of a program name, and the files that these import or name in turn. */
async function filesOfProgram(program: Program, disk: Disk): Promise<NamedFiles> {
  const { words, cwd, own, path } = program;
  const first = await Promise.all(words.map((word) => filesOfWord(word, cwd, disk)));
  const roots = first.flatMap((found, at) => (isAbsolute(words[at]!) ? [] : found.map(dirname)));
  const starts = new Set([...first.flat(), ...(await entriesOf(program, disk))]);
  const files = (await followImports([...starts], createFollower(cwd, disk))).keys();
  const { kept = [], written = [] } = Object.groupBy(files, (file) =>
    own.some((root) => isBelow(file, root)) ? "written" : "kept",
  );
  return { path, files: kept, writable: written, roots };
}

export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Extensions of scripts. A word may name a script without its extension. */
const scripts = ".sh .bash .zsh .py .js .mjs .cjs .ts .mts .cts .rb .pl .php .lua .ps1 .cmd .bat".split(" ");

/** Files that an interpreter runs if its argument is their folder. */
const entries = ["index.js", "index.mjs", "index.cjs", "package.json", "__main__.py"];

/** Matches a program that runs the file or folder after its name. */
const interpreter = /^(?:node|nodejs|bun|tsx|python[\d.]*)$/;

/**
 * Returns the files that are run if an interpreter is started with their folder. A command for a shell may start several
 * programs.
 */
async function entriesOf({ words, cwd }: Program, disk: Disk): Promise<readonly string[]> {
  const run = words.flatMap((word, at) => {
    const isRun = interpreter.test(basename(word));
    return isRun ? (words.slice(at + 1).find((each) => !each.startsWith("-")) ?? []) : [];
  });
  return disk.existing(run.flatMap((folder) => entries.map((name) => resolve(cwd, folder, name))));
}

/**
 * Returns the files that a word may mean. A name with a script's extension counts even if no such file exists, because the
 * program would run it once a tool has written it.
 */
async function filesOfWord(word: string, folder: string, disk: Disk): Promise<readonly string[]> {
  if (word.length > 1_000 || /^[-~]|[*?{}\0]|^[a-z]+:\/\//i.test(word)) return [];
  const there = await disk.existing(["", ...scripts].map((end) => resolve(folder, `${word}${end}`)));
  return there.length === 0 && isScript(word) ? [resolve(folder, word)] : there;
}

function isScript(path: string): boolean {
  return scripts.includes(extname(path));
}

/** Maximum number of bytes of a script in which names of other scripts are searched, and of names that are used. */
const maxScript = 1_000_000;
const maxNames = 500;

/** Matches names in a script: words with the extension of a script, and modules of Python. */
const named = new RegExp(`(?<![\\w./-])[\\w./-]+(?:${scripts.map((end) => `\\${end}`).join("|")})\\b`, "g");
const pythonImport = /^[^\S\n]*(?:from|import)\s+([\w.]+)/gm;

/**
 * Creates a function that returns where a file leads: its real path, the files that it imports, and scripts that it names. An
 * installed file cannot mean files in the plan's folder. So its imports count only if a file of the plan imports it.
 */
function createFollower(cwd: string, disk: Disk) {
  const imported = new Set<string>();
  return async (file: string): Promise<{ readonly imports: readonly string[] }> => {
    const real = await disk.realPath(file);
    if (real !== file) return { imports: [real] };
    const isOwn = isScript(file) && !file.split(sep).includes("node_modules") && (await disk.isShort(file));
    const imports = (isOwn || imported.has(file)) && hasImports(file) ? await disk.importsOf(file) : [];
    for (const each of imports) imported.add(each);
    const words = isOwn ? await disk.namesIn(file) : [];
    const places = [dirname(file), cwd].flatMap((folder) => words.map((word) => resolve(folder, word)));
    return { imports: [...imports, ...(await disk.existing(places))] };
  };
}

type Disk = ReturnType<typeof createDisk>;

/** Creates functions that read files for the programs of one plan. Each file is read once, even if several programs name it. */
function createDisk() {
  const textOf = once((file) => readFile(file, "utf8"));
  const factsOf = once((path) => stat(path).catch(() => undefined));
  return {
    realPath: once((file) => realpath(file).catch(() => file)),
    isShort: async (file: string) => ((await factsOf(file))?.size ?? Infinity) <= maxScript,
    importsOf: once(async (file) => importsIn(await textOf(file), file)),
    namesIn: once(async (file) => namesIn(await textOf(file))),
    async existing(paths: readonly string[]): Promise<readonly string[]> {
      const facts = await Promise.all(paths.map(factsOf));
      return paths.filter((_, at) => facts[at]?.isFile() === true);
    },
  };
}

function once<Found>(find: (path: string) => Promise<Found>): (path: string) => Promise<Found> {
  const found = new Map<string, Promise<Found>>();
  return async (path) => {
    const before = found.get(path) ?? find(path);
    found.set(path, before);
    return before;
  };
}

function namesIn(text: string): readonly string[] {
  const modules = [...text.matchAll(pythonImport)].map(([, name = ""]) => `${name.replaceAll(".", "/")}.py`);
  return [...new Set([...(text.match(named) ?? []), ...modules])].slice(0, maxNames);
}
