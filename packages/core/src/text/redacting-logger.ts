import { silentLogger, type Logger } from "../contract/logger.ts";
import { isEmpty, mask, maskOf, namesSecret, type SecretTexts } from "./redact.ts";

/** Deepest level of a field that is written to a log. */
const maxLevels = 8;

/** Maximum number of members of one object or list that are written to a log. */
const maxMembers = 200;

/**
 * Wraps a logger so that it gets plain copies in which secrets are masked: the values of keys that name secrets, and the texts
 * in `secrets`, also in messages and stacks of errors. A value that cannot be read is logged as a note such as `[unreadable]`.
 */
export function redactingLogger(logger: Logger, secrets: readonly string[] | SecretTexts = []): Logger {
  if (logger === silentLogger) return logger;
  return wrap(logger, maskOf(secrets));
}

type Text = (text: string) => string;

function wrap(logger: Logger, text: Text): Logger {
  const level =
    (name: "trace" | "debug" | "info" | "warn" | "error") =>
    (fields: object, message?: string): void =>
      message === undefined
        ? logger[name](copyFields(fields, text))
        : logger[name](copyFields(fields, text), text(message));
  return Object.freeze({
    trace: level("trace"),
    debug: level("debug"),
    info: level("info"),
    warn: level("warn"),
    error: level("error"),
    child: (bindings: Record<string, unknown>) => wrap(logger.child(copyFields(bindings, text)), text),
  });
}

function copyFields(fields: object, text: Text): Record<string, unknown> {
  // pino accepts an error instead of fields
  if (fields instanceof Error) return { err: copyError(fields, text, []) };
  return copyMembers(fields, text, []);
}

/** Copies a value for a log. `above` are the objects that contain the value, so that circular values end. */
function copy(value: unknown, text: Text, above: readonly object[]): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[circular]";
  if (above.length >= maxLevels) return "[deeper]";
  if (value instanceof Error) return copyError(value, text, above);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value))
    return value.slice(0, maxMembers).map((item) => copy(item, text, [...above, value]));
  return copyMembers(value, text, above);
}

function copyMembers(value: object, text: Text, above: readonly object[]): Record<string, unknown> {
  const within = [...above, value];
  const members = keysOf(value).map((key): [string, unknown] => {
    const member = read(value, key);
    return [text(key), namesSecret(key) && !isEmpty(member) ? mask : copy(member, text, within)];
  });
  return Object.fromEntries(members);
}

function copyError(error: Error, text: Text, above: readonly object[]): Record<string, unknown> {
  const within = [...above, error];
  const { cause } = error;
  const type = copy(read(error, "name"), text, within);
  const members = {
    ...copyMembers(error, text, above),
    type,
    message: copy(read(error, "message"), text, within),
    stack: copy(read(error, "stack"), text, within),
    ...(cause === undefined ? {} : { cause: copy(cause, text, within) }),
  };
  // pino takes the copy for an error: the type in its line is the name of the constructor or, without one, `name`.
  const copied = Object.assign(Object.create(null) as Record<string, unknown>, members);
  return Object.defineProperty(copied, "name", { value: type, enumerable: false });
}

function keysOf(value: object): string[] {
  try {
    return Object.keys(value).slice(0, maxMembers);
  } catch {
    return []; // a proxy that throws has nothing to log
  }
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return "[unreadable]";
  }
}
