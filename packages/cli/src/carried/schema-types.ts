// In a file of its own, which the build keeps apart: only `toolmount types` loads it.
export { compile } from "json-schema-to-typescript";
