// The process in which a module is validated, so that it cannot break the command itself. Started by run-trial.ts.
import { ToolmountError, type JsonObject } from "@toolmount/core";
import type { Profile } from "@toolmount/core/validation";
import {
  addExternalFindings,
  type CheckReport,
  type CheckStep,
  type ExternalFinding,
} from "@toolmount/testing";
import { answerTrial, readRequest, send } from "./trial-message.ts";

/** A module, and the options for validating it. */
export interface ValidateRequest {
  readonly path: string;
  readonly cwd: string;
  readonly profile: readonly string[] | undefined;
  readonly config: JsonObject;
  readonly sideEffects: boolean;
}

/** Longest time that importing a module may take, in milliseconds. */
const importMs = 30_000;

let current: CheckStep = { during: "import" };
const external: ExternalFinding[] = [];

// In a host, an error outside of any call, or a rejection without a handler, would end the process. Here it becomes a finding.
process.on("uncaughtException", (thrown: unknown, origin) => {
  const what = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : String(thrown);
  const how =
    origin === "unhandledRejection"
      ? "a promise without a handler is rejected"
      : "it throws outside of any call";
  external.push({ step: current, kind: "threw", problem: `${how}: ${what}`.slice(0, 300) });
});

await answerTrial(async () => addExternalFindings(await check(readRequest() as ValidateRequest), external));

async function check({ path, cwd, profile, config, sideEffects }: ValidateRequest): Promise<CheckReport> {
  const { importPackage } = await import("@toolmount/loader/commands");
  const { checkToolModule } = await import("@toolmount/testing");
  const interop = await import("@toolmount/interop");
  const profiles: readonly Profile[] = [interop.aptixProfile, interop.amplifierProfile, interop.forgeProfile];
  const found = await importOrFail(() => withinTime(path, importPackage(path, { cwd })));
  return checkToolModule(found.exports, {
    config,
    profiles: profiles.filter(({ name }) => profile === undefined || profile.includes(name)),
    extensions: [interop],
    extensionUrls: [import.meta.resolve("@toolmount/interop")],
    sideEffects,
    onStep: (step) => send({ kind: "step", step: (current = step) }),
    ...(found.imported && {
      url: found.imported.url,
      manifest: found.imported.manifest,
      capabilities: { "session.working_dir": found.imported.folder },
    }),
  });
}

/** Rejects if an import takes too long, because a module may wait at its top level for something that never happens. */
async function withinTime<Value>(module: string, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const problem = `its import did not come to an end within ${importMs} ms`;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new ToolmountError("MODULE_IMPORT_FAILED", { module, problem }));
    timer = setTimeout(give, importMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

interface Found {
  readonly exports: Readonly<Record<string, unknown>> | (() => Promise<never>);
  readonly imported?: {
    readonly url: string;
    readonly folder: string;
    readonly manifest: Readonly<Record<string, unknown>> | null;
  };
}

/** Imports a module. A module that exists but cannot be imported becomes a finding. If it does not exist, the error is thrown. */
async function importOrFail(
  work: () => Promise<Found["imported"] & { exports: Readonly<Record<string, unknown>> }>,
): Promise<Found> {
  try {
    const imported = await work();
    return { exports: imported.exports, imported };
  } catch (error) {
    if (!(error instanceof ToolmountError) || error.code !== "MODULE_IMPORT_FAILED") throw error;
    return { exports: () => Promise.reject(error) };
  }
}
