import { contractVersion, type ToolInfo } from "@toolmount/core";
import { canonicalJson } from "@toolmount/core/json";
import { exportedTools } from "@toolmount/core/modules";
import { isStandardSchema } from "@toolmount/core/schemas";
import type { ModuleSubject, Rule, RuleProblem } from "@toolmount/core/validation";
import { describeThrown } from "../trial/describe-thrown.ts";
import { DeadlineExceeded } from "../trial/deadline.ts";

const found = (where: string, problem: string, severity?: "warning"): RuleProblem =>
  severity === undefined ? { where, problem } : { where, problem, severity };

/** The checks of a module. Checks that Amplifier's validator has, too, have its names. */
export const moduleRules: readonly Rule<ModuleSubject>[] = [
  {
    id: "module_importable",
    severity: "error",
    why: "a module that cannot be imported mounts nothing",
    fix: "import it with node, and fix the error that node prints",
    *check({ failure }) {
      if (failure?.during === "import") yield found("module", describeThrown(failure.thrown));
    },
  },
  {
    id: "mount_exists",
    severity: "error",
    why: "a host calls mount, or mounts the tools that a file exports",
    fix: "export async function mount(coordinator, config), or export a tool made with defineTool",
    *check({ exports, failure }) {
      if (failure?.during === "import" || typeof exports["mount"] === "function") return;
      if (exports["mount"] !== undefined) yield found("mount", "mount is not a function");
      else if (exportedTools(exports).length === 0) yield found("mount", missing(exports));
    },
  },
  {
    id: "protocol_compliance",
    severity: "error",
    why: "a tool module mounts a tool, or returns one",
    fix: "mount the tool at tools, or return it from mount",
    *check({ exports, failure, tools, returned, registered }) {
      if (typeof exports["mount"] !== "function") return;
      if (failure?.during === "mount") yield found("mount", failed(failure.thrown));
      else if (tools.length === 0 && typeof returned === "function")
        yield found("mount", "it returned a cleanup and mounted nothing", "warning");
      else if (tools.length === 0 && !registered)
        yield found("mount", "it mounted nothing and returned no tool");
    },
  },
  {
    id: "mount_no_network",
    severity: "error",
    why: "listing the tools of a plan must not use the network",
    fix: "connect at the first call",
    *check({ sideEffects }) {
      for (const { kind, what } of sideEffects) if (kind === "network") yield found("mount", `it ${what}`);
    },
  },
  {
    id: "mount_no_process",
    severity: "error",
    why: "mounting must not start anything",
    fix: "start the process at the first call",
    *check({ sideEffects }) {
      for (const { kind, what } of sideEffects) if (kind === "process") yield found("mount", `it ${what}`);
    },
  },
  {
    id: "unmount_leaves_nothing",
    severity: "error",
    why: "plans are reloaded, and every reload would leak again",
    fix: "undo it in a cleanup that mount returns or registers",
    *check({ leaks, failure }) {
      if (failure === null) for (const what of leaks) yield found("mount", `it leaves ${what} behind`);
    },
  },
  {
    id: "cleanup_succeeds",
    severity: "error",
    why: "a cleanup that throws has not cleaned up",
    fix: "let the cleanup succeed when nothing is left to do",
    *check({ cleanupFailures }) {
      for (const thrown of cleanupFailures) yield found("cleanup", `it throws: ${describeThrown(thrown)}`);
    },
  },
  {
    id: "definition_stable",
    severity: "error",
    why: "every process must offer the definition that was approved",
    fix: "remove times, random values and changing orders from the definition",
    *check({ tools, repeats }) {
      const first = tools.flatMap(({ info }) => (info === null || info.dynamic ? [] : [info]));
      for (const { from, tools: again } of repeats)
        for (const name of changed(first, again))
          yield found(`tools.${name}`, `its definition differs ${from}`);
    },
  },
  {
    id: "name_near",
    severity: "warning",
    why: "a model confuses names that are almost equal",
    fix: "rename one so that different words distinguish them",
    *check({ tools }) {
      const names = tools.map(({ name }) => name);
      for (const [index, name] of names.entries())
        for (const other of names.slice(index + 1))
          if (name !== other && areNear(name, other))
            yield found(`tools.${other}`, `its name is almost "${name}"`);
    },
  },
  {
    id: "manifest_true",
    severity: "error",
    why: "hosts list tools from the manifest without running the module",
    fix: "run toolmount package manifest in the package's folder",
    *check({ exports, manifest, tools }) {
      const config = manifest?.["config"] === undefined ? undefined : printConfig(exports["config"]);
      if (config !== undefined && canonicalJson(config) !== canonicalJson(manifest!["config"]))
        yield found("manifest.config", "it differs from the module's config");
      if (manifest !== null && (manifest["contract"] ?? 1) !== contractVersion)
        yield found(
          "manifest.contract",
          `it is not ${contractVersion}, the version that this release speaks`,
        );
      if (manifest === null || !Array.isArray(manifest["tools"])) return;
      const declared = new Map((manifest["tools"] as ManifestTool[]).map((tool) => [tool.name, tool]));
      const mounted = tools.flatMap(({ info }) => (info === null ? [] : [info]));
      for (const info of mounted) yield* differences(info, declared.get(info.declaredName));
      for (const name of declared.keys())
        if (!mounted.some((info) => info.declaredName === name))
          yield found(`manifest.tools.${name}`, "it is not mounted");
    },
  },
  {
    id: "abort_in_flight",
    severity: "warning",
    why: "a cancelled call that runs on still costs",
    fix: "pass context.abortSignal to what the tool waits for",
    *check({ ignoredCancel }) {
      for (const name of ignoredCancel)
        yield found(`tools.${name}.execute`, "it ran on after it was cancelled");
    },
  },
];

function printConfig(config: unknown): unknown {
  return isStandardSchema(config)
    ? config["~standard"].jsonSchema?.input({ target: "draft-2020-12" })
    : undefined;
}

type ManifestTool = { readonly name: string } & Readonly<Record<string, unknown>>;

function* differences(info: ToolInfo, declared: ManifestTool | undefined): Generator<RuleProblem> {
  const where = `manifest.tools.${info.declaredName}`;
  if (declared === undefined) yield found(where, "the tool is mounted, but missing in the manifest");
  for (const [member, value] of Object.entries({ ...info, name: info.declaredName }))
    if (declared?.[member] !== undefined && canonicalJson(declared[member]) !== canonicalJson(value))
      yield found(`${where}.${member}`, "it differs from the mounted tool");
}

function changed(first: readonly ToolInfo[], again: readonly ToolInfo[]): readonly string[] {
  const known = new Map(again.map((info) => [info.declaredName, canonicalJson({ ...info, owner: "" })]));
  return first
    .filter((info) => known.get(info.declaredName) !== canonicalJson({ ...info, owner: "" }))
    .map(({ name }) => name);
}

/** Whether two names differ in only one letter, or have the same words in another order. */
function areNear(a: string, b: string): boolean {
  const [one, two] = [a, b].map((name) => name.toLowerCase().split(/[-_.]/).filter(Boolean)) as [
    string[],
    string[],
  ];
  if (one.toSorted().join("_") === two.toSorted().join("_")) return true;
  return withinOneEdit(one.join(""), two.join(""));
}

function withinOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || Math.min(a.length, b.length) < 3) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const rests = [
    [a.slice(at + 1), b.slice(at + 1)],
    [a.slice(at + 1), b.slice(at)],
    [a.slice(at), b.slice(at + 1)],
  ];
  return rests.some(([left, right]) => left === right);
}

function failed(thrown: unknown): string {
  return thrown instanceof DeadlineExceeded ? thrown.message : `it throws: ${describeThrown(thrown)}`;
}

/** Returns the problem of a module without a mount, with the names that it exports. */
function missing(exports: ModuleSubject["exports"]): string {
  const names = Object.keys(exports).filter((name) => name !== "module.exports");
  if (names.length === 0) return "there is neither a mount nor a tool; it exports nothing";
  const beside = names.includes("default") ? "; default exports are ignored" : "";
  return `there is neither a mount nor a tool; it exports ${names.slice(0, 10).join(", ")}${beside}`;
}
