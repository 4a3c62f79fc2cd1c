import { z } from "zod";
import { maxPatternLength } from "./pattern.ts";

const missing = "Pattern is required";

/** The pattern that is searched for. */
export const pattern = z
  .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
  .min(1, missing);

/** A pattern of paths. */
export const pathPattern = z.string().min(1).max(maxPatternLength);

/** The folder or file in which the search is made. */
export const searchPath = z.string().min(1).default(".");

export const includeIgnored = z
  .boolean()
  .default(false)
  .describe("Also searches files that ignore files and default exclusions skip, such as node_modules");
