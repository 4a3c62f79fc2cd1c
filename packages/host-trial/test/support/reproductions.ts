import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A program that shows without this package how a host breaks rows. */
export interface Reproduction {
  readonly name: string;
  /** Adapters and rows, of the line that begins with "// Rows of". */
  readonly hosts: readonly string[];
  readonly rows: readonly string[];
  /** Lines of code: no comments, no blank ones. */
  readonly lines: number;
  /** What it prints, of the comments at its end. */
  readonly printed: string;
}

export const reproductionsFolder = join(import.meta.dirname, "../../reproductions");

export const reproductions: readonly Reproduction[] = readdirSync(reproductionsFolder)
  .filter((file) => file !== "model.mjs")
  .map((file) => {
    const lines = readFileSync(join(reproductionsFolder, file), "utf8").split("\n");
    const [, hosts = "", rows = ""] = /^\/\/ Rows of ([^:]+): (.+)$/m.exec(lines.join("\n")) ?? [];
    return {
      name: file,
      hosts: hosts.split(", "),
      rows: rows.split(", "),
      lines: lines.filter((line) => line.trim() !== "" && !line.startsWith("//")).length,
      printed: lines
        .filter((line) => line.startsWith("//> "))
        .map((line) => `${line.slice(4)}\n`)
        .join(""),
    };
  });
