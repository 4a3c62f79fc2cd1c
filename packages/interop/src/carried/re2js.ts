// In its own file, which the build keeps apart: the first pattern of a plain schema loads it.
export { RE2JS } from "re2js";
