// How a capability crosses the border of a process, in both directions: as JSON, and as methods that are called by message.
import type { Json } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { frozenCopy, isRecord, NotJson } from "@toolmount/core/internal";

/** A capability as JSON: a value, or an object that also has methods. */
export interface CapabilityShape {
  readonly value: Json;
  readonly methods: readonly string[];
}

/** Most methods of a capability. */
export const maxMethods = 100;

/** Longest name of a capability, a method or an event. */
export const maxName = 200;

/** Longest JSON of a capability, an argument or a result, in characters. */
const maxLength = 1_000_000;

/** A capability as it crosses a border. Throws with what of it cannot cross. */
export function shapeOf(name: string, capability: unknown): CapabilityShape {
  if (typeof capability === "function")
    throw cannotCross(name, "is a function; register a plain object with methods");
  if (!isRecord(capability) || !isPlainObject(capability))
    return { value: jsonOf(name, capability), methods: [] };
  const methods = Object.keys(capability).filter((key) => typeof capability[key] === "function");
  if (methods.length > maxMethods) throw cannotCross(name, `has more than ${maxMethods} methods`);
  const tooLong = methods.find((method) => method.length > maxName);
  if (tooLong !== undefined)
    throw cannotCross(name, `has a method with a name of more than ${maxName} characters`);
  const data = Object.fromEntries(Object.entries(capability).filter(([key]) => !methods.includes(key)));
  return { value: jsonOf(name, data), methods };
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The object on the other side of the border: each of its methods sends a message. */
export function capabilityOf(
  name: string,
  { value, methods }: CapabilityShape,
  call: (method: string, given: readonly Json[]) => Promise<unknown>,
): unknown {
  if (methods.length === 0) return frozenCopy(value);
  const proxy = (method: string) =>
    async function callAcross(...given: readonly unknown[]): Promise<unknown> {
      return call(
        method,
        given.map((argument, at) => jsonOf(`argument ${at + 1} of ${name}.${method}`, argument ?? null)),
      );
    };
  const proxies = methods.map((method) => [method, proxy(method)]);
  return Object.freeze({ ...(value as object), ...Object.fromEntries(proxies) });
}

/** Calls a method of a capability on the side where it lives. */
export async function callMethod(
  name: string,
  capability: unknown,
  method: string,
  given: readonly Json[],
): Promise<Json | undefined> {
  const called = isRecord(capability) && Object.hasOwn(capability, method) ? capability[method] : undefined;
  if (typeof called !== "function") throw new Error(`the capability "${name}" has no method "${method}"`);
  const result: unknown = await Reflect.apply(called, capability, given);
  return result === undefined ? undefined : jsonOf(`the result of ${name}.${method}`, result);
}

/** A copy of a value that is JSON. Throws with what of it is not. */
function jsonOf(what: string, value: unknown): Json {
  const copy = copyOf(what, value);
  if (JSON.stringify(copy).length > maxLength)
    throw cannotCross(what, `has more than ${maxLength} characters of JSON`);
  return copy;
}

function copyOf(what: string, value: unknown): Json {
  try {
    return frozenCopy(value as Json);
  } catch (error) {
    const place = error instanceof NotJson ? error.path.map((key) => `.${key}`).join("") : "";
    throw cannotCross(`${what}${place}`, messageOf(error));
  }
}

function cannotCross(what: string, problem: string): TypeError {
  return new TypeError(`${what} cannot cross a border: it ${problem}`);
}
