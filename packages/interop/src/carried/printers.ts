// The build keeps this file apart, so that it is loaded only for the first schema of Valibot or Zod 3.
export { toJsonSchema as printValibot } from "@valibot/to-json-schema";
export { zodToJsonSchema as printZod3 } from "zod-to-json-schema";
