import { systemClock, type Clock, type Logger } from "@toolmount/core";
import { createDefaultLogger } from "./default-logger.ts";
import type { Environment } from "../plan/interpolate.ts";
import type { OpenHostOptions } from "./options.ts";
import type { GivenModules } from "../modules/resolve.ts";

export interface ResolvedOptions extends OpenHostOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly extensions: GivenModules;
  readonly startTimeoutMs: number;
  /** Conditions of package exports that this process was started with. */
  readonly conditions: readonly string[];
  readonly startedAt: number;
}

/** Fills in defaults. This is the only place of the loader that reads the process it runs in. */
export function fillOptions(options: OpenHostOptions): ResolvedOptions {
  return {
    ...options,
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
    logger: options.logger ?? createDefaultLogger(),
    clock: options.clock ?? systemClock,
    extensions: options.extensions ?? {},
    startTimeoutMs: options.startTimeoutMs ?? 30_000,
    conditions: readConditions(process.execArgv),
    // Reading performance.timeOrigin would load what Node has for measuring, for 2 ms.
    startedAt: Date.now() - process.uptime() * 1_000,
  };
}

/** Reads `-C name`, `--conditions name` and `--conditions=name`. */
export function readConditions(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, index) => {
    if (argument === "-C" || argument === "--conditions") return execArgv[index + 1] ?? [];
    return /^(?:-C|--conditions)=(.+)$/.exec(argument)?.[1] ?? [];
  });
}
