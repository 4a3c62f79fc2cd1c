import { writeSync } from "node:fs";
import type { Logger } from "@toolmount/core";

type Level = "warn" | "error";

export function createDefaultLogger(bindings: Record<string, unknown> = {}): Logger {
  let ready: Promise<Logger> | undefined;
  const write = (level: Level) => (fields: object, message?: string) => {
    ready ??= startPino(bindings);
    void ready.then(
      (logger) => logger[level](fields, message),
      // Without pino, for example when no file can be opened, the message is still printed and the host keeps running.
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
  // Typed as Logger, because TypeScript could treat pino's own type as a promise.
  const logger: Logger = pino({ level: "warn", base: bindings }, destination({ dest: 2, sync: true }));
  return logger;
}
