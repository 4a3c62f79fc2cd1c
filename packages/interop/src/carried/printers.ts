// A separate file, which the build keeps apart, so that it is loaded only with the first schema of such a library.
export { toJsonSchema as printValibot } from "@valibot/to-json-schema";
export { zodToJsonSchema as printZod3 } from "zod-to-json-schema";
