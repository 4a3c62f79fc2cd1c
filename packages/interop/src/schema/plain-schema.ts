import { isRecord } from "./guards.ts";
import { typeNames } from "./repair.ts";

/**
 * Whether a schema has only common keywords, each with a value that every edition of JSON Schema allows. Ajv need not check
 * such a schema itself: compiling that check takes 50 ms, half of the whole time of `toolmount call` with a small server.
 */
export function isPlainSchema(schema: unknown, depth = 0): boolean {
  if (!isRecord(schema) || depth > 64) return false;
  return Object.entries(schema).every(
    ([key, value]) => Object.hasOwn(keywords, key) && keywords[key]!(value, depth + 1),
  );
}

type Check = (value: unknown, depth: number) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isAny: Check = () => true;

const isFilledList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0;
const isUnique = (list: readonly unknown[]) =>
  new Set(list.map((item) => JSON.stringify(item))).size === list.length;
const areSchemas: Check = (value, depth) =>
  isFilledList(value) && value.every((schema) => isPlainSchema(schema, depth));

const keywords: Readonly<Record<string, Check>> = {
  $schema: isText,
  $comment: isText,
  title: isText,
  description: isText,
  format: isText,
  type: (value) =>
    typeNames.has(value) ||
    (isFilledList(value) && value.every((one) => typeNames.has(one)) && isUnique(value)),
  enum: (value) => isFilledList(value) && isUnique(value),
  const: isAny,
  default: isAny,
  examples: Array.isArray,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  uniqueItems: isFlag,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  required: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === "string") && isUnique(value),
  properties: (value, depth) =>
    isRecord(value) && Object.values(value).every((schema) => isPlainSchema(schema, depth)),
  additionalProperties: (value, depth) => typeof value === "boolean" || isPlainSchema(value, depth),
  items: isPlainSchema,
  anyOf: areSchemas,
  oneOf: areSchemas,
  allOf: areSchemas,
};
