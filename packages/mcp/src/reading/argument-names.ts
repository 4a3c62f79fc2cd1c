// Names of arguments that Anthropic's API takes. For any other name in one tool, it refuses the whole request.
import { createHash } from "node:crypto";
import { isRecord } from "@toolmount/core/json";
import type { Members } from "./members.ts";

const maxLength = 64;
const plain = /^[A-Za-z0-9_.-]{1,64}$/;

/** Keywords whose schemas describe the same arguments as the schema that has them. */
const parts = ["allOf", "anyOf", "oneOf", "if", "then", "else", "not"];

/** A schema with plain names of arguments. */
interface PlainArguments {
  readonly schema: Members;
  /** The server's own name of each argument that has another one here. */
  readonly owns: ReadonlyMap<string, string>;
}

/**
 * Returns a schema whose arguments have plain names: up to 64 letters, digits, `_`, `.` and `-`. Other characters become `_`; a
 * name that is too long or taken ends in six digits of its hash. A schema that refers to such an argument stays as it is.
 */
export function withPlainArguments(schema: Members): PlainArguments {
  const { properties } = schema;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const odd = names.filter((name) => !plain.test(name));
  const isReferred = odd.length > 0 && JSON.stringify(schema).includes('"#/properties/');
  if (odd.length === 0 || isReferred) return { schema, owns: new Map() };
  const taken = new Set(names);
  const there = new Map(odd.map((name) => [name, plainName(name, taken)]));
  const owns = new Map([...there].map(([own, name]) => [name, own]));
  return { schema: renamed(schema, (name) => there.get(name) ?? name) as Members, owns };
}

/** Returns arguments with the names that the server gave them. */
export function withOwnNames(args: Members, { owns }: PlainArguments): Members {
  if (owns.size === 0) return args;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [owns.get(name) ?? name, value]));
}

function plainName(name: string, taken: Set<string>): string {
  const letters = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 6);
  const isFree = plain.test(letters) && !taken.has(letters);
  const found = isFree ? letters : `${letters.slice(0, maxLength - 7)}_${hash}`;
  taken.add(found);
  return found;
}

/** Renames the arguments in a schema, and in its parts that describe the same arguments. */
function renamed(schema: unknown, to: (name: string) => string): unknown {
  if (!isRecord(schema)) return schema;
  const read = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "properties" && isRecord(value)) return [keyword, withKeys(value, to)];
    if (keyword === "required" && Array.isArray(value)) return [keyword, value.map(String).map(to)];
    if (keyword === "dependentRequired" && isRecord(value))
      return [
        keyword,
        withKeys(value, to, (list) => (Array.isArray(list) ? list.map(String).map(to) : list)),
      ];
    if (keyword === "dependentSchemas" && isRecord(value))
      return [keyword, withKeys(value, to, (part) => renamed(part, to))];
    if (!parts.includes(keyword)) return [keyword, value];
    return [keyword, Array.isArray(value) ? value.map((part) => renamed(part, to)) : renamed(value, to)];
  });
  return Object.fromEntries(read);
}

function withKeys(
  value: Members,
  to: (name: string) => string,
  read: (member: unknown) => unknown = (member) => member,
): Members {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [to(name), read(member)]));
}
