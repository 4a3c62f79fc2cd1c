import { readFile } from "node:fs/promises";
import { nearestNames } from "@toolmount/core/text";
import type { Command } from "commander";
import { addExamples, jsonOption } from "../../options/common.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";

/** `toolmount help [code]`: shows what an error code means and what to do, from the page in this package. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("[code]", "a code, such as LOCK_DRIFT; default: a list of all codes")
    .option(...jsonOption)
    .action(async (code: string | undefined, { json }: { readonly json?: true }) => {
      const codes = await readCodes();
      const text = code === undefined ? undefined : codes.get(code.toUpperCase());
      if (code !== undefined && text === undefined) throw unknownCode(code, [...codes.keys()]);
      if (text === undefined) writeAll(codes, json, shell);
      else if (json === true) shell.out.json({ code: code!.toUpperCase(), text });
      else write(code!.toUpperCase(), text, shell);
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount help LOCK_DRIFT", "toolmount help codes"]);
}

/** Reads the page of error codes, which has a heading for each code, and returns the text below each heading. */
async function readCodes(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(new URL("schema/errors.md", import.meta.resolve("#package.json")), "utf8");
  const parts = page.split(/^#+ /m).filter((part) => /^[A-Z][A-Z0-9_]+\n/.test(part));
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n")).trim()]),
  );
}

function unknownCode(code: string, known: readonly string[]): Error {
  const [near] = nearestNames(code.toUpperCase(), known);
  const hint = near === undefined ? "toolmount help codes lists them" : `did you mean ${near}?`;
  return usageError(`there is no error code ${JSON.stringify(code.slice(0, 100))}; ${hint}`);
}

function write(code: string, text: string, { out }: Shell): void {
  out.line(out.paint("bold", code));
  for (const [at, paragraph] of text.split(/\n{2,}/).entries()) {
    if (at > 0) out.line("");
    out.line(paragraph.replaceAll(/\s+/g, " "));
  }
}

function writeAll(codes: ReadonlyMap<string, string>, json: true | undefined, { out }: Shell): void {
  if (json === true) return out.json({ codes: [...codes.keys()] });
  for (const code of codes.keys()) out.line(code);
}
