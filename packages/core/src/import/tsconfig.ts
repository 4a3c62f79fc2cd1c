import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, resolve } from "node:path";
import { nearestFile } from "./nearest-file.ts";

/** The project options that change the code that is generated. */
export interface CompilerOptions {
  readonly experimentalDecorators?: boolean;
  readonly useDefineForClassFields?: boolean;
  readonly target?: string;
  readonly jsx?: string;
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
}

/** The nearest `tsconfig.json` of a file, combined with the configs that it extends. */
interface Tsconfig {
  /** The config file and the files that it extends. */
  readonly files: readonly string[];
  readonly options: CompilerOptions;
  /** Returns the absolute paths to which the project's `paths` map a specifier, best first. */
  targetsOf(specifier: string): readonly string[];
}

/** Finds the project of a file: the nearest `tsconfig.json` in its folder or above. */
export function findTsconfig(path: string): Tsconfig | undefined {
  const file = nearestFile("tsconfig.json", path);
  return file === undefined ? undefined : readTsconfig(file);
}

/** Configs by path, with the time of their last change: a file is read again only after it changed. */
const known = new Map<string, { readonly changed: string; readonly config: Tsconfig }>();

function readTsconfig(file: string): Tsconfig {
  const before = known.get(file);
  if (before !== undefined && before.changed === changesOf(before.config.files)) return before.config;
  const configs = configsOf(file, new Set());
  const options: CompilerOptions = Object.assign({}, ...configs.map(({ options: own }) => own));
  const mapping = configs.findLast(({ paths }) => paths !== undefined)?.paths ?? [];
  const config = {
    files: configs.map(({ file: each }) => each),
    options,
    targetsOf: (specifier: string) => mapped(specifier, mapping),
  };
  known.set(file, { changed: changesOf(config.files), config });
  return config;
}

function changesOf(files: readonly string[]): string {
  return files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join();
}

interface Config {
  readonly file: string;
  readonly options: CompilerOptions;
  readonly paths: readonly Mapping[] | undefined;
}

/** A pattern of `paths`, which has at most one `*`, and its targets as absolute paths. */
interface Mapping {
  readonly pattern: string;
  readonly targets: readonly string[];
}

/** Returns a config after the configs that it extends, so that later ones override earlier ones. */
function configsOf(file: string, seen: Set<string>): readonly Config[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const { extends: bases = [], compilerOptions = {} } = parseConfig(file);
  const { paths, baseUrl, ...options } = compilerOptions as CompilerOptions & Paths;
  const below = [bases].flat().flatMap((base) => configsOf(findBase(base, file), seen));
  const folder = resolve(dirname(file), baseUrl ?? ".");
  return [...below, { file, options, paths: paths && mappingsOf(paths, folder) }];
}

interface Paths {
  readonly baseUrl?: string;
  readonly paths?: Readonly<Record<string, readonly string[]>>;
}

interface ConfigFile {
  readonly extends?: string | readonly string[];
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
}

/** Reads JSON with comments and trailing commas, as `tsc` does. */
function parseConfig(file: string): ConfigFile {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  const plain = text
    .replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1")
    .replaceAll(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, "$1");
  try {
    return JSON.parse(plain) as ConfigFile;
  } catch (cause) {
    throw new SyntaxError(`${file} is not valid: ${(cause as Error).message}`, { cause });
  }
}

/** Finds the config that `base` names: a path, whose extension may be missing, or a package. */
function findBase(base: string, file: string): string {
  const path = isAbsolute(base) || base.startsWith(".") ? resolve(dirname(file), base) : undefined;
  if (path === undefined) return createRequire(file).resolve(base);
  return path.endsWith(".json") ? path : `${path}.json`;
}

function mappingsOf(paths: NonNullable<Paths["paths"]>, folder: string): readonly Mapping[] {
  return Object.entries(paths).map(([pattern, targets]) => {
    return { pattern, targets: targets.map((target) => resolve(folder, target)) };
  });
}

/** Maps a specifier by the pattern with the longest text before its `*`. A pattern without `*` is preferred. */
function mapped(specifier: string, mappings: readonly Mapping[]): readonly string[] {
  const matches = mappings
    .map(({ pattern, targets }) => ({ targets, ...match(specifier, pattern) }))
    .filter(({ star }) => star !== undefined)
    .toSorted((one, other) => other.length! - one.length!);
  const [best] = matches;
  return best === undefined ? [] : best.targets.map((target) => target.replace("*", () => best.star!));
}

function match(specifier: string, pattern: string): { star?: string; length?: number } {
  const [before = "", after] = pattern.split("*");
  if (after === undefined) return specifier === pattern ? { star: "", length: Infinity } : {};
  const fits =
    specifier.startsWith(before) &&
    specifier.endsWith(after) &&
    specifier.length >= before.length + after.length;
  return fits
    ? { star: specifier.slice(before.length, specifier.length - after.length), length: before.length }
    : {};
}
