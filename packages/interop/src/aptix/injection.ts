import { messageOf } from "@toolmount/core/errors";
import type { AdapterServices } from "@toolmount/core";
import { createAptixLogger } from "./logger.ts";
import type { AptixClass, AptixInstance, Breach } from "./tool-class.ts";

/** The service that always exists: the host's log. */
const loggerName = "IAdminLogger";

/** The source of the services that tools get. */
type Services = Pick<AdapterServices, "capabilities" | "getCapability" | "logger">;

/** A constructor's parameter: the name of its service, undefined if its default is used, or the problem with it. */
type Filled = { readonly service: string | undefined } | Lack;

/** The reason why a class cannot be instantiated; `service` is set if only a service is missing. */
interface Lack extends Breach {
  readonly service?: string;
}

/**
 * Finds the services for a class: those that its static `inject` names, else those that the names of its constructor's
 * parameters suggest. For a parameter with no service, or with more than one, the result has a breach.
 */
export function findServices(type: AptixClass, services: Services): readonly Filled[] {
  if (!Array.isArray(type.inject)) return parametersOf(type).map((each) => fill(each, services));
  const named = type.inject.map(String);
  return [...named.map((name) => fillNamed(name, services)), ...waitsForMore(type, named.length)];
}

/** Returns what prevents a class from being instantiated. */
export function breachesOf(filled: readonly Filled[]): readonly Lack[] {
  return filled.filter((each) => "rule" in each);
}

/** Makes an instance with its services. If the constructor throws, returns that as a breach. */
export function makeInstance(
  type: AptixClass,
  filled: readonly Filled[],
  services: Services,
): AptixInstance | Breach {
  const parts = filled.map((each) => ("rule" in each ? null : serviceOf(each.service, services)));
  try {
    return new type(...parts);
  } catch (cause) {
    return {
      rule: "constructible",
      problem: `its constructor throws: ${messageOf(cause).slice(0, 500)}`,
      cause,
    };
  }
}

function serviceOf(name: string | undefined, { getCapability, logger }: Services): unknown {
  if (name === undefined) return undefined;
  return name === loggerName ? createAptixLogger(logger) : getCapability(name);
}

function fillNamed(name: string, { getCapability }: Services): Filled {
  if (name === loggerName || getCapability(name) !== null) return { service: name };
  return {
    rule: "service_missing",
    service: name,
    problem: `no module registers the service ${JSON.stringify(name)} that its static inject names; add the module that does to the plan`,
  };
}

/** Returns a breach if the constructor takes more services than `inject` names, because they would be undefined. */
function waitsForMore(type: AptixClass, named: number): readonly Breach[] {
  if (type.length <= named) return [];
  const problem = `its constructor takes ${type.length} services and its static inject names ${named}; write them in order, such as: static inject = ["${loggerName}"]`;
  return [{ rule: "constructible", problem }];
}

interface Parameter {
  readonly name: string;
  /** Whether the parameter has a default, so that its service may be absent. */
  readonly isOptional: boolean;
}

function fill({ name, isOptional }: Parameter, { capabilities }: Services): Filled {
  const found = candidates(name, [loggerName, ...capabilities()]);
  if (found.length === 1) return { service: found[0]! };
  if (found.length === 0 && isOptional) return { service: undefined };
  const parameter = `the parameter "${name}" of its constructor`;
  const wayOut = `name its services in order, such as: static inject = ["${loggerName}", "${found[0] ?? interfaceOf(name)}"]`;
  return found.length === 0
    ? {
        rule: "service_missing",
        service: name,
        problem: `no module registers a service for ${parameter}; add the module that does to the plan, or ${wayOut}`,
      }
    : {
        rule: "service_ambiguous",
        problem: `${parameter} may mean ${found.map((each) => JSON.stringify(each)).join(" or ")}; ${wayOut}`,
      };
}

function interfaceOf(name: string): string {
  const bare = name.replace(/^[_#$]+/, "");
  return `I${bare.charAt(0).toUpperCase()}${bare.slice(1)}`;
}

/**
 * Returns the services that a parameter's name may mean: those with the same words, else the interfaces in which each of its
 * words begins a word. `catalog` and `_modeCatalog` mean `IAgentModeCatalogService`; `log` means `IAdminLogger`.
 */
function candidates(parameter: string, services: readonly string[]): readonly string[] {
  const words = wordsOf(parameter);
  const same = services.filter((service) => wordsOf(service).join() === words.join());
  if (same.length > 0 || words.length === 0) return same;
  const interfaces = services.filter((service) => /^I[A-Z]/.test(service));
  return interfaces.filter((service) =>
    words.every((word) => wordsOf(service).some((each) => each.startsWith(word))),
  );
}

/** Splits a name in camel case into words, without the `I` of an interface. */
function wordsOf(name: string): readonly string[] {
  const bare = name.replace(/^I(?=[A-Z][a-z])/, "");
  return (bare.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+/g) ?? []).map((word) => word.toLowerCase());
}

/** Returns the parameters of a class's constructor, or of the constructor that it inherits. */
function parametersOf(type: AptixClass): readonly Parameter[] {
  for (
    let at: unknown = type;
    typeof at === "function" && at !== Function.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    const text = constructorText(Function.prototype.toString.call(at));
    if (text !== undefined) return splitParameters(text).map(readParameter);
  }
  return [];
}

/** Returns the text between the parentheses of a constructor; undefined if the class itself has no constructor. */
function constructorText(source: string): string | undefined {
  const text = source.replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g,
    '""',
  );
  const begin = /^class\b/.test(text)
    ? /(?<![.\w$#])constructor\s*\(/.exec(text)
    : /^function[^(]*\(/.exec(text);
  if (begin === null) return undefined;
  const from = begin.index + begin[0].length;
  return text.slice(from, endOf(text, from));
}

/** Returns the position of the bracket that closes the one opened before `from`. */
function endOf(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if ("([{".includes(text[at]!)) depth++;
    if (")]}".includes(text[at]!) && --depth === 0) return at;
  }
  return text.length;
}

/** Splits a text at the commas outside of brackets. */
function splitParameters(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if ("([{".includes(text[at] ?? " ")) at = endOf(text, at + 1);
    else if (at === text.length || text[at] === ",") {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== "" && !part.startsWith("..."));
}

function readParameter(text: string): Parameter {
  const [name = text] = /^[\w$]+/.exec(text) ?? [];
  return { name, isOptional: /^(?:[\w$]+|[{[][\s\S]*[}\]])\s*=/.test(text) };
}
