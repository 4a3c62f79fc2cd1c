import type { Logger } from "@toolmount/core";
import { isRecord } from "../schema/guards.ts";

/** The logger that Aptix tools get. */
export interface IAdminLogger {
  AddException(tag: string, error: unknown): void;
  AddError(tag: string, message: string): void;
  /** `attributes` are an ordered list of pairs of texts. */
  AddCustomEvent(level: string, name: string, message: string, ...attributes: unknown[]): void;
  Trace(message: string): void;
}

const levels: Readonly<Record<string, "trace" | "debug" | "info" | "warn" | "error">> = {
  verbose: "trace",
  trace: "trace",
  debug: "debug",
  info: "info",
  information: "info",
  message: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  critical: "error",
};

/**
 * Makes a logger for Aptix tools that writes to the host's log. Attributes keep their order; those that are not pairs of texts
 * are left out and counted.
 */
export function createAptixLogger(logger: Logger): IAdminLogger {
  return Object.freeze({
    AddException: (tag: string, err: unknown) => logger.error({ err, tag: String(tag) }, String(tag)),
    AddError: (tag: string, message: string) => logger.error({ tag: String(tag) }, String(message)),
    AddCustomEvent: (level: string, name: string, message: string, ...given: unknown[]) => {
      const { attributes, dropped } = readPairs(given);
      const fields = {
        event: String(name),
        attributes,
        ...(dropped > 0 ? { attributes_dropped: dropped } : {}),
      };
      logger[levels[String(level).toLowerCase()] ?? "info"](fields, String(message));
    },
    Trace: (message: string) => logger.trace({}, String(message)),
  });
}

/** Reads attributes, which are passed as one list of pairs, or one pair after the other. */
function readPairs(given: readonly unknown[]): {
  attributes: readonly (readonly [string, string])[];
  dropped: number;
} {
  const [first] = given;
  const list: readonly unknown[] =
    given.length === 1 && Array.isArray(first) && (first.length === 0 || typeof first[0] === "object")
      ? first
      : given;
  const attributes = list.map(readPair).filter((pair) => pair !== null);
  return { attributes, dropped: list.length - attributes.length };
}

/** Reads a pair of texts: `[key, value]`, `{ Key, Value }` or `{ key, value }`; null for other values. */
function readPair(value: unknown): readonly [string, string] | null {
  const parts: readonly unknown[] = Array.isArray(value) ? value : isRecord(value) ? membersOf(value) : [];
  const [key, text] = parts;
  return parts.length === 2 && typeof key === "string" && typeof text === "string" ? [key, text] : null;
}

function membersOf(pair: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [pair["Key"] ?? pair["key"], pair["Value"] ?? pair["value"]];
}
