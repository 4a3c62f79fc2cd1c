// In a file of its own, which the build keeps apart: the first pattern of a plain schema loads it.
export { RE2JS } from "re2js";
