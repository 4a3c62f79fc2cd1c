import { z } from "zod";
import { maxPatternLength } from "./pattern.ts";

const missing = "Pattern is required";

/** The argument of the pattern to search for, which must not be empty. */
export const pattern = z
  .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
  .min(1, missing);

/** An argument that is a pattern of paths. */
export const pathPattern = z.string().min(1).max(maxPatternLength);

/** The folder or file in which the search is made. */
export const searchPath = z.string().min(1).default(".");

export const includeIgnored = z
  .boolean()
  .default(false)
  .describe("Also searches files that ignore files and default exclusions skip, such as node_modules");
