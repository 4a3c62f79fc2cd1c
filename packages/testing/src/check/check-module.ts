import type { ModuleExports } from "../trial/trial.ts";
import { judgeModule } from "./judge-module.ts";
import type { CheckOptions } from "./options.ts";
import type { CheckReport } from "./report.ts";
import { beginStep, studyModule } from "./study-module.ts";

/**
 * Checks a module against the rules of the core and of further profiles: mounts it in its own host, calls its
 * tools, unmounts it, and reports the findings. Never rejects because of the module's behaviour. Needs no test runner.
 */
export async function checkToolModule(
  module: ModuleExports | (() => Promise<ModuleExports>),
  options: CheckOptions = {},
): Promise<CheckReport> {
  const studied = await studyModule(module, options);
  await beginStep(options, { during: "rules" });
  return judgeModule(studied, options.profiles ?? []);
}
