import { ToolError, ToolInterrupt, ToolmountError, type PartialResult } from "@toolmount/core";
import type { FarMessage, Thrown } from "../far/far-message.ts";

/** The failures into which tools' contracts turned errors, by the rebuilt error. */
const descriptions = new WeakMap<object, PartialResult<never>>();

/** Returns the failure into which the process has turned an error; undefined for any other value. */
export function describedFailure(thrown: unknown): PartialResult<never> | undefined {
  return typeof thrown === "object" && thrown !== null ? descriptions.get(thrown) : undefined;
}

/** Returns a value that core treats in the same way as the one that the tool threw in its process. */
export function rebuildThrown(thrown: Thrown): unknown {
  if (thrown.kind === "value") return rebuildValue(thrown);
  const { name, message, stack, code, details, value, described } = thrown;
  if (name === "ToolInterrupt") return new ToolInterrupt(value, message);
  const error = name === "ToolError" ? new ToolError(message, { code, details }) : new Error(message);
  if (name !== "ToolError") Object.defineProperty(error, "name", { value: name, enumerable: false });
  if (stack !== undefined) error.stack = stack;
  if (described !== undefined) descriptions.set(error, described as never);
  return error;
}

function rebuildValue({ of, text }: Extract<Thrown, { kind: "value" }>): unknown {
  switch (of) {
    case "null":
      return null;
    case "undefined":
      return undefined;
    case "string":
      return text;
    case "number":
      return Number(text);
    case "boolean":
      return text === "true";
    case "symbol":
      return Symbol(text);
    default:
      return {};
  }
}

/** Returns the error that says why a process could not mount its module. */
export function refusalOf(
  { problem, config }: Extract<FarMessage, { type: "refused" }>,
  module: string,
): Error {
  if (config) return new ToolmountError("CONFIG_INVALID", { module, problem });
  const error = new Error(`the process could not mount the module: ${problem}`);
  // The error was thrown in the other process, so a stack trace of this file would mislead.
  error.stack = error.message;
  return error;
}
