import { z } from "zod";
import { maxPatternLength } from "./pattern.ts";

const missing = "Pattern is required";

/** What is searched for. */
export const pattern = z
  .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
  .min(1, missing);

/** A pattern of paths. */
export const pathPattern = z.string().min(1).max(maxPatternLength);

/** Where it is searched. */
export const searchPath = z.string().min(1).default(".");

export const includeIgnored = z
  .boolean()
  .default(false)
  .describe("Also searches files that ignore files and default exclusions skip, such as node_modules");
