import fc from "fast-check";

/** JSON that a host accepts: it refuses a key named `__proto__`. */
export function acceptedJson(constraints?: fc.JsonSharedConstraints): fc.Arbitrary<unknown> {
  return fc.jsonValue(constraints).filter((value) => !JSON.stringify(value).includes("__proto__"));
}
