import type {
  JsonObject,
  ModuleSubject,
  Profile,
  Rule,
  RuleProblem,
  ToolInfo,
  ToolSubject,
} from "@toolmount/core";
import { within } from "./trial/deadline.ts";
import { coreProfile } from "./rules/core-profile.ts";
import { readInFreshProcess, type FreshRead } from "./fresh-process.ts";
import type { CheckStep } from "./external-findings.ts";
import { reportOf, type CheckReport, type Finding, type Verdict } from "./trial/report.ts";
import {
  callOnTrial,
  cancelOnTrial,
  isHarmless,
  sampleFor,
  type ArgumentTable,
} from "./trial/trial-calls.ts";
import {
  listTools,
  startTrial,
  type Extension,
  type ModuleExports,
  type Trial,
  type TrialOptions,
} from "./trial/trial.ts";

/** How a module is checked. */
export interface CheckOptions {
  /** What a plan would give it. Default `{}`, with the defaults of its config schema. */
  readonly config?: JsonObject | undefined;
  /** Arguments that a tool takes, by its name. These are called, whatever the tool does. */
  readonly valid?: ArgumentTable | undefined;
  /** Arguments that a tool must refuse, by its name. */
  readonly invalid?: ArgumentTable | undefined;
  /** Rules beside those of the core. One for an origin is asked for tools of that origin only. */
  readonly profiles?: readonly Profile[] | undefined;
  /** Modules that are mounted before, such as `@toolmount/interop` for tools of other contracts. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Services that the module asks for. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The `toolmount` part of the package's `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>> | null | undefined;
  /** Where the module is imported from, as a URL; with it, definitions are read in two fresh processes, too. */
  readonly url?: string | undefined;
  /** URLs of the extensions, for those processes. */
  readonly extensionUrls?: readonly string[] | undefined;
  /** Calls tools that write, delete or act with `{}` and junk, too. */
  readonly sideEffects?: boolean | undefined;
  /** Milliseconds that importing, mounting and each call may take. Default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Is told before each step, so that one who watches from another process knows what a module does that never ends. */
  readonly onStep?: ((step: CheckStep) => void) | undefined;
}

/**
 * Checks a module against the rules of the core and of further profiles: mounts it in a host of its own, calls its
 * tools, unmounts it, and tells what was found. Never rejects for what the module does. Needs no test runner.
 */
export async function checkToolModule(
  module: ModuleExports | (() => Promise<ModuleExports>),
  options: CheckOptions = {},
): Promise<CheckReport> {
  const studied = await study(module, options);
  await begin(options, { during: "rules" });
  const profiles = [coreProfile, ...(options.profiles ?? []).filter((profile) => concerns(profile, studied))];
  const subject = { ...studied, tools: studied.tools.map((tool) => blame(tool, profiles)) };
  const verdicts = await Promise.all(profiles.map((profile) => judge(profile, subject)));
  return reportOf(
    verdicts,
    subject.tools.map(({ name }) => name),
  );
}

/** Tells of a step, a turn of the loop after the last one: what that threw late is seen before. */
async function begin({ onStep }: Pick<CheckOptions, "onStep">, step: CheckStep): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
  onStep?.(step);
}

/** What the host refuses without naming a rule, by the code of its error. */
const refusals: Readonly<Record<string, string>> = {
  SCHEMA_NOT_JSON: "schema_json",
  TOOL_DUPLICATE: "name_duplicate",
};

/** Names the rule for which a tool was refused: the adapter's, when a profile that is asked has it, else one of the core. */
function blame(tool: ToolSubject, profiles: readonly Profile[]): ToolSubject {
  if (tool.refused === null) return tool;
  const { code, details } = tool.refused;
  const { rule } = details as { rule?: unknown };
  const isKnown = profiles.some(({ toolRules = [] }) => toolRules.some(({ id }) => id === rule));
  return { ...tool, refusedBy: isKnown ? String(rule) : (refusals[code] ?? "tool_mountable") };
}

function concerns({ origin }: Profile, { tools }: ModuleSubject): boolean {
  return origin === undefined || tools.some((tool) => originOf(tool) === origin);
}

/** The origin of a tool: what the host says; of a refused one, what its shape says. */
function originOf({ info, thing }: ToolSubject): ToolInfo["origin"] {
  if (info !== null) return info.origin;
  if (typeof thing === "function") return "aptix";
  if (typeof thing !== "object" || thing === null) return "toolmount";
  if ("ExecuteAsync" in thing) return "aptix";
  if (!("schema" in thing)) return "amplifier";
  return Symbol.for("toolmount.authored") in thing ? "toolmount" : "forge";
}

async function study(
  module: ModuleExports | (() => Promise<ModuleExports>),
  options: CheckOptions,
): Promise<ModuleSubject> {
  const { timeoutMs = 10_000 } = options;
  let exports: ModuleExports;
  await begin(options, { during: "import" });
  try {
    exports = typeof module === "function" ? await within(timeoutMs, module()) : module;
  } catch (thrown) {
    return emptySubject({ during: "import", thrown });
  }
  const config = configOf(exports, options.config ?? {});
  if (config.problem !== null)
    return { ...emptySubject({ during: "mount", thrown: config.problem }), exports };
  return mountAndCall(
    exports,
    {
      config: config.value,
      extensions: options.extensions ?? [],
      capabilities: options.capabilities ?? {},
      timeoutMs,
    },
    options,
  );
}

async function mountAndCall(
  exports: ModuleExports,
  trialOptions: TrialOptions,
  options: CheckOptions,
): Promise<ModuleSubject> {
  let trial: Trial;
  await begin(options, { during: "mount" });
  try {
    trial = await startTrial(exports, trialOptions);
  } catch (thrown) {
    return { ...emptySubject({ during: "mount", thrown }), exports };
  }
  const tools = await tryTools(trial, options);
  await begin(options, { during: "unmount" });
  const ended = await trial.end();
  return {
    exports,
    failure: trial.thrown === null ? null : { during: "mount", thrown: trial.thrown.value },
    returned: trial.returned,
    tools,
    registered: trial.registered,
    traces: trial.traces,
    residue: ended.residue,
    cleanupFailures: ended.failures,
    deaf: ended.deaf,
    repeats: trial.thrown === null ? await repeat(exports, trialOptions, options) : [],
    manifest: options.manifest ?? null,
  };
}

async function tryTools(trial: Trial, options: CheckOptions): Promise<readonly ToolSubject[]> {
  const { valid = {}, invalid = {}, sideEffects = false } = options;
  const infos = listTools(trial.host);
  const tools: ToolSubject[] = [];
  for (const { thing, name, refused } of trial.things) {
    const info = refused === null ? (infos.find((listed) => listed.declaredName === name) ?? null) : null;
    if (info === null) {
      tools.push({ thing, name, info, refused, refusedBy: null, calls: [], sample: null, isHarmless: false });
      continue;
    }
    await begin(options, { during: "call", tool: info.name });
    const calls = await callOnTrial(trial, info, { valid, invalid, sideEffects });
    const sample = sampleFor(info, valid);
    if (valid[info.name]?.[0] !== undefined) await cancelOnTrial(trial, info.name, valid[info.name]![0]!);
    tools.push({
      thing,
      name,
      info,
      refused,
      refusedBy: null,
      calls,
      sample,
      isHarmless: sideEffects || isHarmless(info),
    });
  }
  return tools;
}

/** Mounts again, here and in two fresh processes, and lists what is there. */
async function repeat(
  exports: ModuleExports,
  trialOptions: TrialOptions,
  { url, extensionUrls = [], onStep }: CheckOptions,
): Promise<ModuleSubject["repeats"]> {
  await begin({ onStep }, { during: "mount" });
  const again = await startTrial(exports, trialOptions);
  const tools = listTools(again.host);
  await again.end();
  const here = { from: "when it is mounted again", tools };
  if (url === undefined) return [here];
  const { config, capabilities } = trialOptions;
  const fresh = await Promise.all([1, 2].map(() => readFresh({ url, extensionUrls, config, capabilities })));
  return [here, ...fresh];
}

/** What a fresh process lists; nothing, and why, when the module cannot be mounted there. */
async function readFresh(read: FreshRead): Promise<ModuleSubject["repeats"][number]> {
  try {
    return { from: "in a fresh process", tools: await readInFreshProcess(read) };
  } catch (error) {
    const lines = String(error).split("\n");
    const why = lines.find((line) => /^\w*Error/.test(line) && !line.includes("Command failed")) ?? lines[0]!;
    return { from: `in a fresh process, where it does not mount (${why.slice(0, 200)})`, tools: [] };
  }
}

/** The config with the defaults of the module's own schema. */
function configOf(
  { config }: ModuleExports,
  given: JsonObject,
): { value: JsonObject; problem: null } | { value: null; problem: Error } {
  const schema = config as
    | { safeParse?: (value: unknown) => { success: boolean; data?: unknown; error?: Error } }
    | undefined;
  if (typeof schema?.safeParse !== "function") return { value: given, problem: null };
  const parsed = schema.safeParse(given);
  return parsed.success
    ? { value: parsed.data as JsonObject, problem: null }
    : {
        value: null,
        problem: new Error(
          `its config does not take ${JSON.stringify(given).slice(0, 100)}: ${parsed.error?.message ?? ""}`,
        ),
      };
}

function emptySubject(failure: ModuleSubject["failure"]): ModuleSubject {
  return {
    exports: {},
    failure,
    returned: undefined,
    tools: [],
    registered: false,
    traces: [],
    residue: [],
    cleanupFailures: [],
    deaf: [],
    repeats: [],
    manifest: null,
  };
}

async function judge(profile: Profile, subject: ModuleSubject): Promise<Verdict> {
  const tools = subject.tools.filter(
    (tool) => profile.origin === undefined || originOf(tool) === profile.origin,
  );
  const { moduleRules = [], toolRules = [] } = profile;
  const asked = [
    ...moduleRules.map((rule) => ask(profile.name, rule, subject)),
    ...tools.flatMap((tool) => toolRules.map((rule) => ask(profile.name, rule, tool))),
  ];
  const findings = (await Promise.all(asked)).flat();
  return {
    profile: profile.name,
    passed: findings.every(({ severity }) => severity !== "error"),
    checks: asked.length,
    findings,
  };
}

async function ask<Subject>(
  profile: string,
  rule: Rule<Subject>,
  subject: Subject,
): Promise<readonly Finding[]> {
  const { id, why, mend } = rule;
  return (await problemsOf(rule, subject)).map(({ where, problem, severity }) => ({
    profile,
    rule: id,
    severity: severity ?? rule.severity,
    where,
    problem,
    why,
    mend,
  }));
}

/** What a rule finds. What cannot be looked at, such as a getter that throws, is a problem of its own. */
async function problemsOf<Subject>(rule: Rule<Subject>, subject: Subject): Promise<readonly RuleProblem[]> {
  try {
    return [...(await rule.check(subject))];
  } catch (thrown) {
    const { name } = subject as { readonly name?: unknown };
    const where = typeof name === "string" ? `tools.${name || "(without a name)"}` : "module";
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ where, problem: `it cannot be looked at: ${what}`.slice(0, 300), severity: "error" }];
  }
}
