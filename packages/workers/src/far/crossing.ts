// How a capability crosses the border of a process in both directions: as JSON, with methods that are called by messages.
import type { Json } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { frozenCopy, isRecord, NotJson } from "@toolmount/core/json";
import { truncateText } from "@toolmount/core/text";

/** A capability in the form in which it crosses: a JSON value, and the names of its methods if it is an object with some. */
export interface CapabilityShape {
  readonly value: Json;
  readonly methods: readonly string[];
}

/** Maximum number of methods of a capability. */
export const maxMethods = 100;

/** Longest name of a capability, a method or an event, in characters. */
export const maxName = 200;

/** Longest JSON of a capability, an argument or a result, in characters. */
const maxLength = 1_000_000;

/**
 * Names that the language itself calls: `await` calls `then`, a log calls `toJSON`, and text conversion calls `toString`. A
 * method with such a name would run although no code of its user calls it.
 */
const reservedNames: ReadonlySet<string> = new Set([
  "then",
  "toJSON",
  "toString",
  "valueOf",
  "constructor",
  "__proto__",
]);

/** Whether a method of a capability may have this name. */
export function isMethodName(name: string): boolean {
  return name !== "" && name.length <= maxName && !reservedNames.has(name);
}

/** Returns the form in which a capability crosses a border. Throws an error that names the part that cannot. */
export function shapeOf(name: string, capability: unknown): CapabilityShape {
  if (typeof capability === "function")
    throw cannotCross(name, "is a function; register a plain object with methods");
  if (!isRecord(capability) || !isPlainObject(capability))
    return { value: jsonOf(name, capability), methods: [] };
  const methods = Object.keys(capability).filter((key) => typeof capability[key] === "function");
  if (methods.length > maxMethods) throw cannotCross(name, `has more than ${maxMethods} methods`);
  const refused = methods.find((method) => !isMethodName(method));
  if (refused !== undefined)
    throw cannotCross(
      name,
      `has a method "${truncateText(refused, 40)}"; a name has 1 to ${maxName} characters, and the language calls no method of that name by itself`,
    );
  const data = Object.fromEntries(Object.entries(capability).filter(([key]) => !methods.includes(key)));
  return { value: jsonOf(name, data), methods };
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Makes the capability on the other side of the border, where each of its methods sends a message. */
export function capabilityOf(
  name: string,
  { value, methods }: CapabilityShape,
  call: (method: string, given: readonly Json[]) => Promise<unknown>,
): unknown {
  if (methods.length === 0) return frozenCopy(value);
  const proxy = (method: string) => {
    const ask = async (given: readonly unknown[]): Promise<unknown> =>
      call(
        method,
        given.map((argument, at) => jsonOf(`argument ${at + 1} of ${name}.${method}`, argument ?? null)),
      );
    return function callAcross(...given: readonly unknown[]): Promise<unknown> {
      const answer = ask(given);
      // If the caller does not wait for the answer, a failure of the other side must not end the caller's process.
      answer.catch(() => {});
      return answer;
    };
  };
  const proxies = methods.map((method) => [method, proxy(method)]);
  return Object.freeze({ ...(value as object), ...Object.fromEntries(proxies) });
}

/** Calls a method of a capability, in the process that has the capability itself. */
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

/** Returns a copy of a JSON value. Throws an error that names the part that is not JSON. */
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
