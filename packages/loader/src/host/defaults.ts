import { writeSync } from "node:fs";
import { systemClock, type Clock, type Logger } from "@toolmount/core";
import type { Environment } from "../plan/interpolate.ts";
import type { OpenHostOptions } from "./options.ts";
import type { GivenModules } from "../modules/source.ts";

export interface ResolvedOptions extends OpenHostOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly extensions: GivenModules;
  readonly startTimeoutMs: number;
  /** Conditions for the exports of packages with which this process was started (`--conditions`). */
  readonly conditions: readonly string[];
  readonly startedAt: number;
}

/** Fills in the defaults of options. No other file of the loader reads the environment or the working folder. */
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
    // `performance.timeOrigin` would load Node's code for measuring, which takes 2 ms.
    startedAt: Date.now() - process.uptime() * 1_000,
  };
}

/** Reads `-C name`, `--conditions name` and `--conditions=name` from the arguments of Node. */
export function readConditions(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, index) => {
    if (argument === "-C" || argument === "--conditions") return execArgv[index + 1] ?? [];
    return /^(?:-C|--conditions)=(.+)$/.exec(argument)?.[1] ?? [];
  });
}

/** Creates a logger that writes warnings and errors to stderr as JSON lines. It loads pino for the first of them. */
function createDefaultLogger(bindings: Record<string, unknown> = {}): Logger {
  let ready: Promise<Logger> | undefined;
  const write = (level: "warn" | "error") => (fields: object, message?: string) => {
    ready ??= startPino(bindings);
    void ready.then(
      (logger) => logger[level](fields, message),
      // If pino cannot be loaded, for example because no more files can be opened, the message is still printed.
      () => writeSync(2, `${message ?? "a warning"}\n`),
    );
  };
  return Object.freeze({
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: write("warn"),
    error: write("error"),
    child: (more) => createDefaultLogger({ ...bindings, ...more }),
  } satisfies Logger);
}

const ignore = () => {};

async function startPino(bindings: Record<string, unknown>): Promise<Logger> {
  const { destination, pino } = await import("pino");
  // The type is `Logger`, because TypeScript could take pino's own type for a promise.
  const logger: Logger = pino({ level: "warn", base: bindings }, destination({ dest: 2, sync: true }));
  return logger;
}
