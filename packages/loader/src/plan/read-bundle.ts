import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import { findPlace, type Path, type Place, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";
import { createPlanText } from "../diagnostics/source-text.ts";
import { nameOf, type BundleReading, type Bundles, type Home, type Written } from "../bundles/bundle.ts";
import { compileBundle } from "../bundles/compile-bundle.ts";
import { findBundle, rootBundle } from "../bundles/find-bundle.ts";
import type { FetchedSource } from "../modules/fetched-source.ts";
import { readPlan, readPlanText } from "./read-plan.ts";

/** A bundle that a plan includes from a repository. */
export interface IncludedSource {
  readonly source: FetchedSource;
  /** Whether the repository was already fetched. */
  readonly isThere: boolean;
}

/** The state while the bundles of a plan are read. */
export interface BundleRun {
  readonly bundles: Bundles;
  readonly problems: Problem[];
  /** The repositories of included bundles, by alias. */
  readonly included: Map<string, IncludedSource>;
  /** The files of fetched bundles, and all files with texts of bundles. */
  readonly texts: Set<string>;
  readonly planFolder: string;
  /** Reads an included bundle as a plan below the one that includes it. */
  readonly readInclude: (
    home: Home,
    from: { readonly place: Place | undefined; readonly path: Path },
  ) => Promise<void>;
}

interface WrittenBundle extends Written {
  readonly map: PlanMap;
}

/** Reads the bundles that a bundle includes, the lowest first. Then compiles the bundle itself to the value of its part. */
export async function readBundle(written: WrittenBundle, home: Home, run: BundleRun): Promise<JsonObject> {
  if (home.fetched !== undefined) run.texts.add(home.file);
  await nameHome(written.value, home, run);
  for (const [index, include] of includesOf(written.value).entries())
    await follow(include, ["includes", index], { written, home, run });
  return compileBundle(written, home, readingOf(run, written.map));
}

/** Returns what is needed to read the parts of a bundle. `map` has the places in the bundle, for problems. */
export function readingOf({ bundles, problems, texts, planFolder }: BundleRun, map: PlanMap): BundleReading {
  const complainOf = (file: string, problem: string) => {
    const place = { text: createPlanText(file, ""), offset: 0 };
    problems.push(makeProblem("PLAN_VALUE_INVALID", { problem }, { place }));
  };
  return {
    bundles,
    project: planFolder,
    complainOf,
    complain: (path, problem) =>
      void problems.push(
        makeProblem("PLAN_VALUE_INVALID", { problem }, { path, place: findPlace(map, path) }),
      ),
    async readText(file) {
      texts.add(file);
      const read = await readPlanText(file);
      return read.ok ? read.text.text : undefined;
    },
    async readHead(file) {
      texts.add(file);
      const parsed = await readPlan(file);
      if (parsed.ok) return { value: parsed.value, body: parsed.body ?? "" };
      problems.push(...parsed.problems);
      return null;
    },
  };
}

/** Remembers where a bundle is, under its own name and under that of the root bundle of its folder. */
async function nameHome(value: JsonObject, home: Home, { bundles }: BundleRun): Promise<void> {
  const root = rootBundle(home.root);
  const atRoot = root === undefined || root === home.file ? undefined : await readPlan(root);
  const names = [nameOf(value), atRoot?.ok === true ? nameOf(atRoot.value) : undefined];
  for (const name of names) if (name !== undefined && !bundles.homes.has(name)) bundles.homes.set(name, home);
}

function includesOf({ includes }: JsonObject): readonly Json[] {
  return isList(includes) ? includes : [];
}

interface Following {
  readonly written: WrittenBundle;
  readonly home: Home;
  readonly run: BundleRun;
}

async function follow(include: Json, path: Path, { written, home, run }: Following): Promise<void> {
  const from = { place: findPlace(written.map, path), path };
  const source = isRecord(include) ? include["bundle"] : include;
  const complain = (problem: string) =>
    void run.problems.push(makeProblem("PLAN_VALUE_INVALID", { problem }, from));
  if (typeof source !== "string" || source.includes("${"))
    return complain("an include is the address, the path or the name of a bundle, without variables");
  const found = findBundle(source, home, run.bundles, run.planFolder);
  if ("problem" in found) return complain(found.problem);
  if ("missing" in found) {
    run.included.set(found.missing.alias, { source: found.missing, isThere: false });
    const hint = "fetch it with: toolmount install";
    return void run.problems.push(
      makeProblem("SOURCE_NOT_FOUND", { source, tried: [source] }, { ...from, hint }),
    );
  }
  const { fetched } = found.home;
  if (fetched !== undefined) run.included.set(fetched.alias, { source: fetched, isThere: true });
  // A bundle that includes its own file adds nothing.
  if (found.home.file === home.file) return;
  await run.readInclude(found.home, from);
}
