import { closeSync, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { ToolmountError } from "@toolmount/core/errors";
import { parseMarkdown, parsePlan, type ParseResult } from "./parse-yaml.ts";
import { makeProblem } from "../diagnostics/problems.ts";
import { createPlanText, maxPlanBytes, sizeProblem, type PlanText } from "../diagnostics/source-text.ts";

/** Reads and parses a plan's file. A file that is too large is a problem. Throws `PLAN_NOT_FOUND` if it cannot be read. */
export async function readPlan(file: string): Promise<ParseResult> {
  const read = await readPlanText(file);
  if (!read.ok) return read;
  return file.endsWith(".md") ? parseMarkdown(read.text) : parsePlan(read.text);
}

/** Reads the text of a plan's file. Throws `PLAN_NOT_FOUND` when it cannot be read. */
export async function readPlanText(
  file: string,
): Promise<{ readonly ok: true; readonly text: PlanText } | Extract<ParseResult, { ok: false }>> {
  const bytes = await readStart(file);
  if (bytes.length > maxPlanBytes) return refuse(file, "PLAN_TOO_LARGE", sizeProblem);
  const text = decode(bytes);
  return text === undefined
    ? refuse(
        file,
        "PLAN_SYNTAX",
        "the plan is not UTF-8; save it as UTF-8 (older PowerShell writes UTF-16 with >)",
      )
    : { ok: true, text: createPlanText(file, text) };
}

async function readStart(file: string): Promise<Uint8Array> {
  const bytes = Buffer.alloc(maxPlanBytes + 1);
  try {
    return await (statSync(file).isFile() ? readFile(file, bytes) : readPipe(file, bytes));
  } catch (cause) {
    throw new ToolmountError("PLAN_NOT_FOUND", { path: file }, { cause });
  }
}

/** Reads a file synchronously, because loading `node:fs/promises` takes longer than reading a plan. */
async function readFile(file: string, bytes: Buffer): Promise<Uint8Array> {
  const descriptor = openSync(file, "r");
  try {
    return await fill(bytes, (from) => readSync(descriptor, bytes, from, bytes.length - from, null));
  } finally {
    closeSync(descriptor);
  }
}

async function readPipe(file: string, bytes: Buffer): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    return await fill(bytes, async (from) => (await handle.read(bytes, from)).bytesRead);
  } finally {
    await handle.close();
  }
}

async function fill(bytes: Buffer, read: (from: number) => number | Promise<number>): Promise<Uint8Array> {
  for (let length = 0; ;) {
    const count = await read(length);
    length += count;
    if (count === 0 || length === bytes.length) return bytes.subarray(0, length);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refuse(
  file: string,
  code: "PLAN_SYNTAX" | "PLAN_TOO_LARGE",
  problem: string,
): Extract<ParseResult, { ok: false }> {
  const place = { text: createPlanText(file, ""), offset: 0 };
  return { ok: false, problems: [makeProblem(code, { problem }, { place })] };
}
