import { randomBytes } from "node:crypto";
import { rename, stat, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { isMap, isSeq, parseDocument, type Document, type YAMLMap, type YAMLSeq } from "yaml";
import { ToolmountError, type JsonObject } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/nearest";
import { appendText, removeText } from "./edit-yaml.ts";
import { findPlan } from "../plan/find-plan.ts";
import { parsePlan } from "../plan/parse-yaml.ts";
import { planError } from "../diagnostics/problems.ts";
import { readPlanText } from "../plan/read-plan.ts";
import { createPlanText } from "../diagnostics/source-text.ts";

/** An entry as it is written into a plan; keys in this order. */
export interface NewEntry {
  readonly module: string;
  readonly id?: string | undefined;
  readonly source?: string | JsonObject | undefined;
  readonly required?: boolean | undefined;
  readonly prefix?: string | undefined;
  readonly config?: JsonObject | undefined;
}

/** What an edit did. */
export interface EditReport {
  readonly file: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Ids that are there already, and were left as they are. */
  readonly kept: readonly string[];
}

/** A plan's file, and where it is looked for. */
export interface EditOptions {
  readonly cwd: string;
  readonly section?: "tools" | "hooks" | undefined;
}

/**
 * Adds entries at the end of a plan's list, as YAML in the style of the file; comments and everything else stay. One
 * whose id (default its module) is there already is left as it is.
 *
 * Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` when the file is no plan, before or after.
 */
export async function addEntries(
  plan: string | undefined,
  entries: readonly NewEntry[],
  { cwd, section = "tools" }: EditOptions,
): Promise<EditReport> {
  const editing = await open(plan, cwd);
  const ids = idsOf(editing.document);
  const isNew = (entry: NewEntry, index: number) =>
    !ids.includes(idOf(entry)) && entries.findIndex((other) => idOf(other) === idOf(entry)) === index;
  const fresh = entries.filter(isNew);
  let { text, document } = editing;
  for (const entry of fresh.map(dropAbsent)) {
    const list = listOf(document, section);
    const spliced = appendText(text, list, entry);
    list.add(document.createNode(entry));
    text = choose(spliced, document, editing.text);
    document = parse(text);
  }
  if (fresh.length > 0) await save(editing.file, text);
  const kept = entries.filter((entry) => !fresh.includes(entry)).map(idOf);
  return { file: editing.file, added: fresh.map(idOf), removed: [], kept };
}

/** Takes an entry out of a plan by its id, or its module. Throws `PLAN_VALUE_INVALID` when there is none. */
export async function removeEntry(
  plan: string | undefined,
  id: string,
  { cwd }: EditOptions,
): Promise<EditReport> {
  const editing = await open(plan, cwd);
  const { document } = editing;
  for (const section of ["tools", "hooks"] as const) {
    const list = document.get(section);
    if (!isSeq(list)) continue;
    const at = list.items.findIndex((item) => isMap(item) && idOfMap(item) === id);
    if (at === -1) continue;
    const spliced = removeText(editing.text, list, at);
    list.delete(at);
    if (list.items.length === 0) list.flow = true;
    await save(editing.file, choose(spliced, document, editing.text));
    return { file: editing.file, added: [], removed: [id], kept: [] };
  }
  const [near] = nearestNames(id, idsOf(document));
  throw new ToolmountError("PLAN_VALUE_INVALID", {
    problem: `no entry of ${editing.file} is called "${id.slice(0, 100)}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
  });
}

interface Editing {
  readonly file: string;
  readonly document: Document;
  readonly text: string;
}

async function open(plan: string | undefined, cwd: string): Promise<Editing> {
  const file = await findPlan(plan, cwd);
  const text = await readPlanText(file);
  if (!text.ok) throw planError(text.problems);
  check(file, text.text.text);
  return { file, text: text.text.text, document: parse(text.text.text) };
}

function check(file: string, text: string): void {
  const parsed = parsePlan(createPlanText(file, text));
  if (!parsed.ok) throw planError(parsed.problems);
}

function parse(text: string): Document {
  return parseDocument(text, { uniqueKeys: false });
}

/** The spliced text, when it says what the edited document says; else the document, written anew with its comments. */
function choose(spliced: string | undefined, document: Document, before: string): string {
  if (spliced !== undefined && isDeepStrictEqual(parse(spliced).toJS(), document.toJS())) return spliced;
  const indentSeq = !/^[\w-]+:[^\S\n]*(?:#.*)?\n(?:[^\S\n]*#.*\n)*-[^\S\n]/m.test(before);
  return document.toString({ lineWidth: 0, indentSeq });
}

/** In one step, so that a plan is never half written. */
async function save(file: string, text: string): Promise<void> {
  check(file, text);
  const { mode } = await stat(file);
  const beside = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(beside, text, { mode: mode & 0o777, flag: "wx" });
  await rename(beside, file);
}

function listOf(document: Document, section: string): YAMLSeq {
  const list = document.get(section);
  if (isSeq(list)) {
    if (list.items.length === 0) list.flow = false;
    return list;
  }
  document.set(section, document.createNode([]));
  const made = document.get(section) as YAMLSeq;
  made.flow = false;
  return made;
}

function idsOf(document: Document): string[] {
  return ["tools", "hooks"].flatMap((section) => {
    const list = document.get(section);
    return isSeq(list) ? list.items.flatMap((item) => (isMap(item) ? [idOfMap(item)] : [])) : [];
  });
}

function idOfMap(item: YAMLMap): string {
  const name: unknown = item.get("id") ?? item.get("module");
  return typeof name === "string" ? name : "";
}

function idOf({ id, module }: NewEntry): string {
  return id ?? module;
}

function dropAbsent(entry: NewEntry): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}
