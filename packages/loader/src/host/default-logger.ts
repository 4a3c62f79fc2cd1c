import type { Logger } from "@toolmount/core";

type Level = "warn" | "error";

/** Logs warnings and errors to stderr with pino, which is imported when there is something to say. */
export function createDefaultLogger(bindings: Record<string, unknown> = {}): Logger {
  let ready: Promise<Logger> | undefined;
  const write = (level: Level) => (fields: object, message?: string) => {
    ready ??= startPino(bindings);
    void ready.then((logger) => logger[level](fields, message));
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
  // Named, because pino's own type could be taken for a promise.
  const logger: Logger = pino({ level: "warn", base: bindings }, destination({ dest: 2, sync: true }));
  return logger;
}
