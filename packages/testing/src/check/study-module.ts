import { mount } from "@toolmount/interop/mount";
import type { JsonObject } from "@toolmount/core";
import { isStandardSchema } from "@toolmount/core/schemas";
import type { ModuleSubject, ToolSubject } from "@toolmount/core/validation";
import { withTimeout } from "../trial/deadline.ts";
import { callOnTrial, cancelOnTrial, isHarmless, sampleFor } from "../trial/trial-calls.ts";
import { listTools, startTrial, type ModuleExports, type Trial, type TrialOptions } from "../trial/trial.ts";
import type { CheckStep } from "./external-findings.ts";
import type { CheckOptions } from "./options.ts";
import { readInFreshProcess, type FreshRead } from "./fresh-process.ts";

type StudyOptions = Omit<CheckOptions, "profiles">;

/** Mounts a module, calls its tools and unmounts it. Resolves to what happened, which the rules then judge. */
export async function studyModule(
  module: ModuleExports | (() => Promise<ModuleExports>),
  options: StudyOptions,
): Promise<ModuleSubject> {
  const { timeoutMs = 10_000 } = options;
  let exports: ModuleExports;
  await beginStep(options, { during: "import" });
  try {
    exports = typeof module === "function" ? await withTimeout(timeoutMs, module()) : module;
  } catch (thrown) {
    return emptySubject({ during: "import", thrown });
  }
  const config = await configOf(exports, options.config ?? {});
  if (config.problem !== null)
    return { ...emptySubject({ during: "mount", thrown: config.problem }), exports };
  return mountAndCall(
    exports,
    {
      config: config.value,
      extensions: options.extensions ?? [{ mount }],
      capabilities: options.capabilities ?? {},
      timeoutMs,
    },
    options,
  );
}

async function mountAndCall(
  exports: ModuleExports,
  trialOptions: TrialOptions,
  options: StudyOptions,
): Promise<ModuleSubject> {
  let trial: Trial;
  await beginStep(options, { during: "mount" });
  try {
    trial = await startTrial(exports, trialOptions);
  } catch (thrown) {
    return { ...emptySubject({ during: "mount", thrown }), exports };
  }
  const tools = await tryTools(trial, options);
  await beginStep(options, { during: "unmount" });
  const ended = await trial.end();
  return {
    exports,
    failure: trial.thrown === null ? null : { during: "mount", thrown: trial.thrown.value },
    returned: trial.returned,
    isSynchronous: trial.isSynchronous,
    tools,
    registered: trial.registered,
    sideEffects: trial.sideEffects,
    leaks: ended.leaks,
    cleanupFailures: ended.failures,
    ignoredCancel: ended.ignoredCancel,
    repeats: trial.thrown === null ? await repeat(exports, trialOptions, options) : [],
    manifest: options.manifest ?? null,
  };
}

async function tryTools(trial: Trial, options: StudyOptions): Promise<readonly ToolSubject[]> {
  const { valid = {}, invalid = {}, partial, sideEffects = false } = options;
  const infos = listTools(trial.host);
  const tools: ToolSubject[] = [];
  for (const { thing, name, refused } of trial.things) {
    const info = refused === null ? (infos.find((listed) => listed.declaredName === name) ?? null) : null;
    const facts = { thing, name, info, refused, refusedBy: null };
    if (info === null) {
      tools.push({ ...facts, calls: [], saysOmissions: true, sample: null, isHarmless: false });
      continue;
    }
    await beginStep(options, { during: "call", tool: info.name });
    const calls = await callOnTrial(trial, info, { valid, invalid, partial, sideEffects });
    const sample = sampleFor(info, valid);
    if (valid[info.name]?.[0] !== undefined) await cancelOnTrial(trial, info.name, valid[info.name]![0]!);
    tools.push({
      ...facts,
      calls,
      saysOmissions: partial === undefined || info.name in partial,
      sample,
      isHarmless: sideEffects || isHarmless(info),
    });
  }
  return tools;
}

/** Mounts the module again, here and in two fresh processes, and lists its tools. */
async function repeat(
  exports: ModuleExports,
  trialOptions: TrialOptions,
  { url, extensionUrls = [import.meta.resolve("@toolmount/interop/mount")], onStep }: StudyOptions,
): Promise<ModuleSubject["repeats"]> {
  await beginStep({ onStep }, { during: "mount" });
  const again = await startTrial(exports, trialOptions);
  const tools = listTools(again.host);
  await again.end();
  const here = { from: "when it is mounted again", tools };
  if (url === undefined) return [here];
  const { config, capabilities } = trialOptions;
  const fresh = await Promise.all([1, 2].map(() => readFresh({ url, extensionUrls, config, capabilities })));
  return [here, ...fresh];
}

/** Returns the tools that a fresh process lists; an empty list with the reason if the module cannot be mounted there. */
async function readFresh(read: FreshRead): Promise<ModuleSubject["repeats"][number]> {
  try {
    return { from: "in a fresh process", tools: await readInFreshProcess(read) };
  } catch (error) {
    const lines = String(error).split("\n");
    const why = lines.find((line) => /^\w*Error/.test(line) && !line.includes("Command failed")) ?? lines[0]!;
    return { from: `in a fresh process, which cannot mount it (${why.slice(0, 200)})`, tools: [] };
  }
}

/** Returns the config with the defaults of the module's own schema, or why the schema refuses it. */
async function configOf(
  { config }: ModuleExports,
  given: JsonObject,
): Promise<{ value: JsonObject; problem: null } | { value: null; problem: Error }> {
  if (!isStandardSchema(config)) return { value: given, problem: null };
  const parsed = await config["~standard"].validate(given);
  if (parsed.issues === undefined) return { value: parsed.value as JsonObject, problem: null };
  const issues = parsed.issues.map(({ message, path = [] }) => {
    const place = path.map((key) => String(typeof key === "object" ? key.key : key)).join(".");
    return place === "" ? message : `${place}: ${message}`;
  });
  const text = JSON.stringify(given).slice(0, 100);
  return { value: null, problem: new Error(`its config schema refuses ${text}: ${issues.join("; ")}`) };
}

function emptySubject(failure: ModuleSubject["failure"]): ModuleSubject {
  return {
    exports: {},
    failure,
    returned: undefined,
    isSynchronous: false,
    tools: [],
    registered: false,
    sideEffects: [],
    leaks: [],
    cleanupFailures: [],
    ignoredCancel: [],
    repeats: [],
    manifest: null,
  };
}

/** Reports a step. First waits for one turn of the event loop, so that late errors count for the step before. */
export async function beginStep({ onStep }: Pick<StudyOptions, "onStep">, step: CheckStep): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
  onStep?.(step);
}
