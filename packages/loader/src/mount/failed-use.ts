import { readdirSync } from "node:fs";
import { basename, dirname, extname } from "node:path";
import { isToolmountError, ToolmountError, type MountedModule } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { nearestNames } from "@toolmount/core/text";
import { isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import { createReporter, maskProblem, type Problem } from "../diagnostics/problems.ts";
import { findErrorOrigin, moduleFailed, shortMessage } from "../modules/error-origin.ts";
import type { Resolution } from "../modules/resolve.ts";
import { overridesOf } from "../plan/check-entries.ts";
import type { ModuleUse } from "./module-use.ts";
import type { MountContext } from "./mount-context.ts";
import type { StepTimes } from "./step-times.ts";

export interface FailedUse {
  readonly use: ModuleUse;
  readonly resolution: Resolution | undefined;
  readonly problems: readonly Problem[];
  readonly causes: readonly unknown[];
  /** `skipped`: the module was not tried, because a module that it needs failed. */
  readonly state: "failed" | "skipped";
  readonly times: StepTimes;
}

export function failUse(
  use: ModuleUse,
  resolution: Resolution | undefined,
  thrown: unknown,
  { map, mask }: Pick<MountContext, "map" | "mask">,
  times: StepTimes = {},
): FailedUse {
  const { report, problems } = createReporter(map);
  const errors = partsOf(thrown).map((each) => withPlace(resolution, explainMissing(use, each)));
  for (const error of errors) {
    const known = isToolmountError(error)
      ? error
      : moduleFailed("MODULE_MOUNT_FAILED", use.id, shortMessage(error), error);
    const part = use.neededFor === undefined ? "value" : "key";
    const path = findOverride(use, known) ?? use.path;
    report(known.code, known.details as never, { path, part, hint: findHint(use, error) });
  }
  const causes = errors.filter((error) => !isToolmountError(error));
  return { use, resolution, problems: problems.map(maskProblem(mask)), causes, state: "failed", times };
}

/** Returns the errors of a failure. A module with several refused tools throws one error that contains an error for each tool. */
function partsOf(thrown: unknown): readonly unknown[] {
  const isOfTools = thrown instanceof AggregateError && thrown.errors.every(isToolmountError);
  return isOfTools ? (thrown.errors as readonly unknown[]) : [thrown];
}

/** Adds to an error about a tool or a schema the place in the module's own code that mounts it. */
function withPlace(resolution: Resolution | undefined, error: unknown): unknown {
  if (!isToolmountError(error) || resolution?.path === undefined) return error;
  if (error.code !== "TOOL_INVALID" && error.code !== "SCHEMA_NOT_JSON") return error;
  const origin = findErrorOrigin(error, dirname(resolution.path));
  if (origin === undefined) return error;
  return new ToolmountError(error.code, { ...(error.details as object), origin } as never, { cause: error });
}

/**
 * Tests whether a module needs the plan's state for a fleet, and the state could not be mounted. Then only the state's problem is
 * reported.
 */
export function lacksState({ config: { runners } }: ModuleUse, failed: readonly FailedUse[]): boolean {
  const isFleet = Array.isArray(runners) && runners.some((run) => isRecord(run) && run["in"] === "fleet");
  return isFleet && failed.some(({ use }) => use.section === "state");
}

/** Returns facts about a failure's first problem, for the log and for the event `module:load_failed`. */
export function describeFailure({ use, state, problems: [first], causes: [err] }: FailedUse) {
  const { code, message = "a module was not mounted", file, line, column }: Partial<Problem> = first ?? {};
  const at = file === undefined ? undefined : `${file}:${line}:${column}`;
  const event = { module_id: use.id, state, error: { code, message } };
  return { facts: { module: use.id, state, code, at, err }, message, event };
}

/** The failure of a module that was not tried because of another module, which reports the problem. */
export const withoutProblem = { problems: [], causes: [], state: "skipped" } as const;

/** Replaces the error about a missing module with an error that names the part of the plan that needs the module. */
function explainMissing(use: ModuleUse, error: unknown): unknown {
  if (!isToolmountError(error) || error.code !== "SOURCE_NOT_FOUND") return error;
  const { foreignHint, neededFor, source, specifier } = use;
  if (foreignHint !== undefined)
    return new ToolmountError("SOURCE_FOREIGN", { source: specifier, hint: foreignHint }, { cause: error });
  if (neededFor === undefined) return error;
  const module = source.kind === "scheme" ? source.module : specifier;
  const details = { what: neededFor, module, install: `npm install ${module}` };
  return new ToolmountError("EXTENSION_MISSING", details, { cause: error });
}

function findHint({ source }: ModuleUse, error: unknown): string | undefined {
  if (!isToolmountError(error)) return undefined;
  if (error.code === "MODULE_IMPORT_FAILED") return hintForPeer(messageOf(error.cause));
  if (error.code !== "SOURCE_NOT_FOUND") return undefined;
  if (source.kind === "path") return `${nearFile(source.path)}paths are relative to the plan's file`;
  if (source.kind === "fetched") return "toolmount install";
  const { installed } = error.details as ToolmountError<"SOURCE_NOT_FOUND">["details"];
  if (installed !== undefined)
    return `a package of that exact name is installed; write module: npm:${installed}`;
  return source.kind === "package" ? hintForPackage(source.written) : undefined;
}

/** Returns a hint for a missing package that a module imports, such as a peer dependency that users must install. */
function hintForPeer(message: string): string | undefined {
  const match = /^Cannot find package '((?:@[^/']+\/)?[^/']+)[^']*' imported from (.*)/.exec(message);
  const [, name, importer = ""] = match ?? [];
  if (name === undefined) return undefined;
  return importer.includes("/node_modules/")
    ? `npm install ${name}`
    : `install ${name}, if it is the package that you mean, or correct the import`;
}

/**
 * Returns a question about a file whose name differs from that of a missing file only in case or ending; empty if there is no
 * such file.
 */
function nearFile(path: string): string {
  const plain = (name: string) => basename(name, extname(name)).toLowerCase();
  try {
    const near = readdirSync(dirname(path)).find(
      (name) => plain(name) === plain(path) && name !== basename(path),
    );
    return near === undefined ? "" : `did you mean ${near}? `;
  } catch {
    return "";
  }
}

const knownModules: readonly string[] = [
  "bash",
  "delegate",
  "discovery",
  "filesystem",
  "hello-world",
  "modes",
  "program",
  "search",
  "skills",
  "testing",
  "todo",
  "web",
];

/** Yarn's Plug'n'Play keeps packages in archives that only its own runtime reads. */
const hintForYarn =
  "packages are found in node_modules, which Yarn's Plug'n'Play does not write: put nodeLinker: node-modules into .yarnrc.yml, then run yarn install";

/**
 * Returns a hint for a missing package. Only names of toolmount's modules get an install command, because a mistyped name may be
 * a package by an unknown author.
 */
function hintForPackage(written: string): string {
  if (/\.[cm]?[jt]sx?$/.test(written)) return `did you mean ./${written}? a path begins with ./ or ../`;
  if (process.versions["pnp"] !== undefined) return hintForYarn;
  const short = written.replace(/^(?:npm:)?(?:@toolmount\/)?(?:tool-)?/, "");
  if (knownModules.includes(short)) return `npm install @toolmount/tool-${short}`;
  const [near] = nearestNames(short, knownModules);
  if (near !== undefined) return `did you mean "${near}"?`;
  return "install the package that you trust under this name, or write the path of a file, such as ./my-tool.ts";
}

/** Returns the path of the plan's override for the argument that an error is about; undefined without an override. */
function findOverride({ entry }: ModuleUse, { code, details }: ToolmountError): Path | undefined {
  const { tool, argument, member } = details as { tool?: unknown; argument?: unknown; member?: unknown };
  if (code !== "TOOL_INVALID" || entry === null || typeof argument !== "string") return undefined;
  const named = overridesOf(entry).find(([name, { as }]) => (as ?? `${entry.prefix ?? ""}${name}`) === tool);
  if (named === undefined) return undefined;
  const path = [...entry.path, "tools", named[0], "arguments", argument];
  return typeof member === "string" ? [...path, member] : path;
}

/**
 * The beginning of the name of a capability, which ends with a module's id. A module registers it while its tools are not known
 * yet.
 */
const waitsCapability = "mount.waits:";

/** The state of a mounted module whose MCP server has not answered yet. */
interface Waiting {
  /** Why the last attempt to reach the server failed; absent if no attempt has failed. */
  readonly error?: unknown;
}

/** Returns the state of a module that waits for its server; undefined for a module whose tools are known. */
export function waitingOf({ id, coordinator }: MountedModule): Waiting | undefined {
  const ask: unknown = coordinator.getCapability(`${waitsCapability}${id}`);
  return typeof ask === "function" ? (ask as () => Waiting | undefined)() : undefined;
}

/** Returns a failure for a module whose server could not be reached at the last attempt; undefined for all others. */
export function failedWait(
  {
    use,
    resolution,
    times,
    mounted,
  }: Pick<FailedUse, "use" | "resolution" | "times"> & { mounted: MountedModule },
  context: Pick<MountContext, "map" | "mask">,
): FailedUse | undefined {
  const waiting = waitingOf(mounted);
  if (waiting === undefined || !("error" in waiting)) return undefined;
  return failUse(use, resolution, waiting.error, context, times);
}
