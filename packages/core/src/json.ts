// JSON from outside: it is measured before it is walked, read exactly, frozen and digested. For packages of toolmount itself.
export { canonicalJson, digestOf } from "./json/canonical.ts";
export { frozenCopy, maxDepth, NotJson } from "./json/freeze.ts";
export { isRecord } from "./json/json.ts";
export { meter, smallBytes } from "./json/meter.ts";
export { boundedFetch, LineReader, readBounded, requireNarrow } from "./json/bounded-fetch.ts";
export { withoutUndefined } from "./json/without-undefined.ts";
export { mostValues, parseExact, quoteChanged, refusalOf } from "./json/shape.ts";
