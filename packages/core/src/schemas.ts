// Prepares schemas of any kind, checks them, and describes their issues in plain words. For packages of toolmount itself.
export { refusedAtRoot, withFlatRoot } from "./schema/flat-root.ts";
export { inNewestEdition } from "./schema/newest-edition.ts";
export { isStandardSchema } from "./contract/standard-schema.ts";
export { requireJsonSchema } from "./schema/require-json-schema.ts";
export { plainRule, plainWords } from "./schema/plain-rule.ts";
export { invalidArguments, prepareSchema, type PreparedSchema } from "./schema/schema.ts";
export { validateStandard, zodSize } from "./schema/zod-parser.ts";
export { fitsOutputSchema } from "./host/tools-here.ts";
