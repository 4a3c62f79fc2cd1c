import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Set by `npm test`, which builds first: built packages start in less than half of the time of their sources. */
const isBuilt = process.env["TOOLMOUNT_TEST_BUILT"] === "1";

/** Flags of Node for a program that imports the packages of this repository: built, or else their sources. */
export const nodeFlags: readonly string[] = isBuilt ? [] : ["-C", "@toolmount/source"];

/** Where the command begins. */
export const commandFile = join(root, isBuilt ? "packages/cli/dist/main.js" : "packages/cli/src/main.ts");
