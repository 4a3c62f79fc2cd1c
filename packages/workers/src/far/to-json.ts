import { isToolInterrupt } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { ContractBreach } from "@toolmount/core/internal";
import { frozenCopy } from "@toolmount/core/json";
import type { Thrown } from "./far-message.ts";

/**
 * Returns a tool's return value as JSON; undefined stays undefined. Throws `ContractBreach` with the rule that a value breaks.
 */
export function returnedJson(returned: unknown): unknown {
  if (typeof returned === "bigint" || typeof returned === "symbol" || typeof returned === "function")
    throw new ContractBreach(
      `it returned a value of type ${typeof returned}, not a result; return data(…) or failure(…)`,
    );
  try {
    if (typeof returned !== "object" || returned === null || Array.isArray(returned)) return copy(returned);
    // The result of `data` is an instance of a class; only its members have to be plain.
    return frozenCopy({ ...returned });
  } catch (error) {
    throw ContractBreach.of(error);
  }
}

function copy(value: unknown): unknown {
  return value === undefined ? undefined : frozenCopy(value);
}

/** Returns what a tool threw, as JSON. */
export function thrownJson(thrown: unknown): Thrown {
  if (!(thrown instanceof Error)) {
    const of = thrown === null ? "null" : typeof thrown;
    return { kind: "value", of, text: textOf(thrown) };
  }
  const { name, stack } = thrown;
  const members = thrown as unknown as Readonly<Record<string, unknown>>;
  const { code, details, value = members["interrupts"], described } = members;
  return {
    kind: "error",
    name: isToolInterrupt(thrown) ? "ToolInterrupt" : String(name),
    message: messageOf(thrown),
    ...(typeof stack === "string" && { stack }),
    ...(typeof code === "string" && { code }),
    ...jsonMember("details", details),
    ...jsonMember("value", value),
    ...jsonMember("described", described),
  };
}

/** Returns a thrown value as text; empty for an object that cannot be converted. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "";
  }
}

/** Returns a member of an error if it is JSON, else nothing. */
function jsonMember(key: string, value: unknown): Record<string, never> {
  try {
    return value === undefined ? {} : { [key]: frozenCopy(value) as never };
  } catch {
    return {};
  }
}
