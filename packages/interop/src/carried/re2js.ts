// A separate file, which the build keeps apart, so that it is loaded only with the first pattern of a plain schema.
export { RE2JS } from "re2js";
