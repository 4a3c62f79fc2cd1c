// The build keeps this file apart, so that RE2 is loaded only for the first JSON Schema with a pattern.
export { RE2JS } from "re2js";
