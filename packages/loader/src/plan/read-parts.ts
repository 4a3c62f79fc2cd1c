import { realpathSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, resolve } from "node:path";
import type { Json, JsonObject } from "@toolmount/core";
import { isToolmountError, ToolmountError } from "@toolmount/core/errors";
import { findPlan, planFileNames, statOf } from "./find-plan.ts";
import { findPackage } from "../modules/manifest.ts";
import { findPlace, type Path, type Place, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, planError, type Problem } from "../diagnostics/problems.ts";
import { readPlan } from "./read-plan.ts";
import { createBundles, isBundle, type Bundles, type Home } from "../bundles/bundle.ts";
import { compileWhole } from "../bundles/compile-bundle.ts";
import { homeOf } from "../bundles/find-bundle.ts";
import { readBundle, readingOf, type BundleRun, type IncludedSource } from "./read-bundle.ts";
import type { ParseResult } from "./parse-yaml.ts";

export interface PlanPart {
  /** `base`: another part extends it. `overlay`: it is laid over the plan, because its name was given. */
  readonly role: "base" | "plan" | "overlay";
  /** The path of the file; undefined for a plan that was given as a value. */
  readonly file: string | undefined;
  /** The folder at which relative sources in this part start. */
  readonly folder: string;
  readonly value: JsonObject;
  readonly map: PlanMap;
}

export interface PlanParts {
  readonly parts: readonly PlanPart[];
  readonly problems: readonly Problem[];
  /** The repositories of bundles that the plan includes, directly or through other bundles. */
  readonly included: readonly IncludedSource[];
  /** The files of fetched bundles, and all files with texts of bundles. */
  readonly texts: readonly string[];
}

/** Maximum number of files of one plan. A plan with a bundle of Amplifier has some dozens. */
const maxFiles = 128;

/** Reads a plan's parts, the lowest first: the files that it extends, each once; then the plan itself; then its overlays. */
export async function readParts(
  input: string | URL | undefined,
  { cwd, overlays = [] }: { readonly cwd: string; readonly overlays?: readonly string[] | undefined },
): Promise<PlanParts> {
  const file = await findPlan(input, cwd);
  const reading = beginReading(dirname(file));
  await readWithBases(reading, file, "plan", []);
  for (const name of overlays) await readOverlay(reading, file, name);
  if (!reading.parts.some(({ role }) => role === "plan")) throw planError(reading.problems);
  return { ...reading, included: [...reading.included.values()], texts: [...reading.texts] };
}

/** For a plan that was given as a value, reads the files that it extends. Returns them and the plan, the lowest first. */
export async function readBases(value: JsonObject, folder: string): Promise<PlanParts> {
  const reading = beginReading(folder);
  const part: PlanPart = { role: "plan", file: undefined, folder, value, map: new Map() };
  await followBases(reading, part, []);
  return { parts: [...reading.parts, part], problems: reading.problems, included: [], texts: [] };
}

interface Reading {
  readonly parts: PlanPart[];
  /** By real path, the files whose reading has begun; true if it has ended. */
  readonly known: Map<string, boolean>;
  readonly problems: Problem[];
  readonly planFolder: string;
  readonly bundles: Bundles;
  readonly included: Map<string, IncludedSource>;
  readonly texts: Set<string>;
}

function beginReading(planFolder: string): Reading {
  const bundles = createBundles();
  return {
    parts: [],
    known: new Map(),
    problems: [],
    planFolder,
    bundles,
    included: new Map(),
    texts: new Set(),
  };
}

/** Where a file is named, for problems and, for a bundle, its home. */
interface From {
  readonly place: Place | undefined;
  readonly path: Path;
  readonly home?: Home;
}

async function readWithBases(
  reading: Reading,
  file: string,
  role: PlanPart["role"],
  trail: readonly string[],
  from?: From,
): Promise<void> {
  const real = realOf(file);
  const done = reading.known.get(real);
  if (done === true) return;
  const circle = `the plans extend each other in a circle: ${[...trail, file].join(" → ")}`;
  if (done === false) return void complain(reading, from, circle);
  if (reading.known.size >= maxFiles)
    return void complain(reading, from, `a plan has at most ${maxFiles} files`);
  reading.known.set(real, false);
  // Reading a pipe or a device could wait forever.
  if (from !== undefined && statOf(real)?.isFile() !== true)
    return void reading.problems.push(makeProblem("PLAN_NOT_FOUND", { path: file }, from));
  const parsed = await tryRead(reading, file, from);
  if (parsed === null) return;
  const part: PlanPart = { role, file, folder: dirname(file), value: parsed.value, map: parsed.map };
  const isCompiled = isBundle(parsed.value);
  if (isCompiled) await addBundle(reading, part, { ...parsed, home: from?.home ?? homeOf(file) }, trail);
  else await followBases(reading, part, [...trail, file]);
  reading.known.set(real, true);
  if (!isCompiled) reading.parts.push(part);
}

type ParsedBundle = Extract<ParseResult, { ok: true }> & { readonly home: Home };

/**
 * Adds the parts of a bundle: those of included bundles and its own. If it is the plan itself, also adds a last part with what
 * all bundles have together.
 */
async function addBundle(
  reading: Reading,
  part: PlanPart,
  { home, body = "", value, map }: ParsedBundle,
  trail: readonly string[],
): Promise<void> {
  const run: BundleRun = {
    ...reading,
    readInclude: (inner, from) =>
      readWithBases(reading, inner.file, "base", [...trail, home.file], { ...from, home: inner }),
  };
  const compiled = await readBundle({ value, body, map }, home, run);
  reading.parts.push({ ...part, value: compiled });
  if (part.role !== "plan") return;
  const root = map.get("");
  const whole = await compileWhole(readingOf(run, map));
  reading.parts.push({
    ...part,
    role: "overlay",
    file: undefined,
    value: whole,
    map: new Map(root && [["", root]]),
  });
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function tryRead(reading: Reading, file: string, from: From | undefined) {
  try {
    const parsed = await readPlan(file);
    if (parsed.ok) return parsed;
    reading.problems.push(...parsed.problems);
  } catch (error) {
    if (from === undefined || !isToolmountError(error)) throw error;
    reading.problems.push(makeProblem("PLAN_NOT_FOUND", { path: file }, from));
  }
  return null;
}

async function followBases(reading: Reading, part: PlanPart, trail: readonly string[]): Promise<void> {
  const written = part.value["extends"];
  if (written === undefined || written === null) return;
  const list: readonly [Json, Path][] = Array.isArray(written)
    ? written.map((item: Json, index): [Json, Path] => [item, ["extends", index]])
    : [[written, ["extends"]]];
  for (const [item, path] of list) {
    const from = { place: findPlace(part.map, path), path };
    const file = await findBase(reading, item, part.folder, from);
    if (file !== null) await readWithBases(reading, file, "base", trail, from);
  }
}

/** Finds the file that `extends` names: by a path, or in a package. Null if there is none; the problem is then reported. */
async function findBase(reading: Reading, item: Json, folder: string, from: From): Promise<string | null> {
  const needed = "extends is a path such as ./base.yaml, a package, or a list of them, without variables";
  if (typeof item !== "string" || item.trim() === "" || item.includes("${"))
    return complain(reading, from, needed);
  if (/^\.{1,2}(?:[/\\]|$)/.test(item) || isAbsolute(item)) return resolve(folder, item);
  const match = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)((?:\/[\w.~-]+)*)$/i.exec(item);
  const neither = `"${item.slice(0, 200)}" is neither a path nor a package; a path begins with ./ or ../`;
  if (match === null || item.split("/").includes("..")) return complain(reading, from, neither);
  const [, name = "", inside = ""] = match;
  const facts = await findPackage(name, folder);
  const file = facts && planIn(facts.folder, inside);
  if (file !== undefined) return file;
  const tried =
    facts === undefined ? [name] : planFileNames.map((plan) => join(facts.folder, inside || plan));
  const hint =
    facts === undefined ? "install the package that has this plan, or write the path of a file" : undefined;
  reading.problems.push(makeProblem("SOURCE_NOT_FOUND", { source: item, tried }, { ...from, hint }));
  return null;
}

function planIn(folder: string, inside: string): string | undefined {
  const names = inside === "" ? planFileNames : [inside, `${inside}.yaml`, `${inside}.yml`];
  for (const name of names) {
    const file = join(folder, name);
    if (statOf(file)?.isFile() === true) return file;
  }
  return undefined;
}

/** Reads an overlay: `production` of `plan.yaml` is `plan.production.yaml` in the same folder. */
async function readOverlay(reading: Reading, plan: string, name: string): Promise<void> {
  if (!/^[\w-]{1,64}$/.test(name))
    throw new ToolmountError("OPTION_INVALID", {
      option: "overlays",
      problem: "the name of an overlay has 1 to 64 letters, digits, _ and -",
    });
  const extension = extname(plan);
  const file = join(dirname(plan), `${basename(plan, extension)}.${name}${extension}`);
  const parsed = await tryRead(reading, file, { place: undefined, path: [] });
  if (parsed === null) return;
  const { value, map } = parsed;
  if (value["extends"] !== undefined) {
    const path = ["extends"];
    const problem = "an overlay cannot extend a plan; write extends in the plan";
    return void complain(reading, { place: findPlace(map, path, "key"), path }, problem);
  }
  reading.parts.push({ role: "overlay", file, folder: dirname(file), value, map });
}

function complain({ problems }: Reading, from: From | undefined, problem: string): null {
  problems.push(makeProblem("PLAN_VALUE_INVALID", { problem }, from ?? {}));
  return null;
}
