// In its own file, which the build keeps apart: the first schema of such a library loads it.
export { toJsonSchema as printValibot } from "@valibot/to-json-schema";
export { zodToJsonSchema as printZod3 } from "zod-to-json-schema";
