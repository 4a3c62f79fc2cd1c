import { z } from "zod";
import { includeIgnored, pathPattern, pattern, searchPath } from "./arguments.ts";

const contextLines = z.int().min(0).max(1000).optional();

/** Checks the arguments of `grep`, and describes them to a model. */
export const grepSchema = z.strictObject({
  pattern: pattern.max(10_000).describe("A regular expression, in the syntax of Rust: no look-around"),
  path: searchPath.describe("The folder or file to search, relative to the working folder or absolute"),
  output_mode: z
    .enum(["files_with_matches", "content", "count"])
    .default("files_with_matches")
    .describe("Only the paths of files, the matching lines, or how many lines match in each file"),
  "-i": z.boolean().default(false).describe("Ignores case"),
  "-n": z.boolean().default(true).describe("Shows line numbers; with content only"),
  "-A": contextLines.describe("Lines to show after each match; with content only"),
  "-B": contextLines.describe("Lines to show before each match; with content only"),
  "-C": contextLines.describe("Lines to show before and after each match; with content only"),
  glob: pathPattern
    .optional()
    .describe("Only matching files, such as *.ts, src/**/*.{js,ts}, or !*.test.ts for all others"),
  type: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Only files of a type, such as ts, py, rust, markdown; faster than glob"),
  multiline: z.boolean().default(false).describe("Lets a match span lines, and . match a line end"),
  head_limit: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe("Most results to show; 0 for all. Default: 500 lines, or 200 files"),
  offset: z.int().min(0).max(1_000_000_000).default(0).describe("How many results to leave out first"),
  include_ignored: includeIgnored,
});

export type GrepArguments = z.output<typeof grepSchema>;
