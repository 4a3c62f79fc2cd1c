/** The part of pino's interface that toolmount uses; a pino logger fits as it is. */
export interface Logger {
  trace(fields: object, message?: string): void;
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  child(bindings: Record<string, unknown>): Logger;
}

/** Secret texts that are masked as soon as they are known. A host and its loader share one set. */
export interface SecretTexts {
  /**
   * Masks these texts as well, and each of their lines, in everything that is stored, logged or shown from now on.
   * `guesses` may be ordinary values: they are masked in logs and failures, but not in what tools return.
   */
  add(secrets: readonly string[], guesses?: readonly string[]): void;
  /** Masks the known secrets in a text. */
  readonly mask: (text: string) => string;
  /** Masks the known secrets in a text that a tool returned; null as long as no secret is known. */
  readonly maskReturned: ((text: string) => string) | null;
}

const ignore = () => {};

/** A logger that drops everything; the default of `createHost`. */
export const silentLogger: Logger = Object.freeze({
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
});

/**
 * Wraps a logger so that its methods never throw, because a failing log must not fail the call that it logs. Errors of the log
 * itself are dropped. A child logger is made when it first writes, because most modules and calls write nothing.
 */
export function guardLogger(logger: Logger): Logger {
  return logger === silentLogger ? logger : guard(() => logger);
}

/** Returns the fields and the message of a line. Modules in JavaScript may log only a text, as with pino and the console. */
export function loggedOf(fields: object | string, message?: string): readonly [object, string | undefined] {
  return typeof fields === "string" ? [{}, fields] : [fields, message];
}

function guard(open: () => Logger): Logger {
  let opened: Logger | undefined;
  const level =
    (name: "trace" | "debug" | "info" | "warn" | "error") =>
    (fields: object | string, message?: string): void => {
      try {
        (opened ??= open())[name](...loggedOf(fields, message));
      } catch {
        // there is no other place to report it
      }
    };
  return {
    trace: level("trace"),
    debug: level("debug"),
    info: level("info"),
    warn: level("warn"),
    error: level("error"),
    child: (bindings) => guard(() => (opened ??= open()).child(bindings)),
  };
}
