import { randomBytes } from "node:crypto";
import { rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import type { Problem } from "@toolmount/loader";
import {
  parsePlanText,
  planError,
  readPlanFile,
  type PlanFile,
  type EditedSection,
  type NewEntry,
} from "@toolmount/loader/commands";
import type { FlowLines } from "@toolmount/record/internal";
import * as yaml from "./edit-yaml.ts";

export interface EditReport {
  readonly file: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Ids that the plan already had; their entries were not changed. */
  readonly kept: readonly string[];
}

interface EditOptions {
  readonly cwd: string;
  /** The list that gets the entries; by default `tools`. */
  readonly section?: EditedSection | undefined;
  /** Returns the new entries as they are written into the plan. `folder` is the plan's folder. */
  readonly prepare?:
    | ((entries: readonly NewEntry[], folder: string) => Promise<readonly NewEntry[]>)
    | undefined;
  /** Does everything except writing the file, so that the change can be shown. */
  readonly dryRun?: boolean | undefined;
  /**
   * Returns the problems that keep the new entries from being mounted. If there are any, no entry is added. `folder` is the
   * plan's folder.
   */
  readonly check?:
    | ((entries: readonly NewEntry[], folder: string) => Promise<readonly Problem[]>)
    | undefined;
}

/**
 * Adds entries at the end of a plan's list, in the style of the file. Comments and everything else stay. An entry is not added if
 * the plan has its id already; without an id, its module is the id.
 *
 * Throws `PLAN_NOT_FOUND`; `PLAN_INVALID` if the file is not a plan, before or after the edit, and if `check` reports problems.
 * The file then stays unchanged.
 */
export async function addEntries(
  plan: string | undefined,
  entries: readonly NewEntry[],
  { cwd, section = "tools", prepare, check: examine, dryRun = false }: EditOptions,
): Promise<EditReport> {
  const read = await readPlanFile(plan, cwd);
  const { file, yaml: text } = read;
  const known = new Set(yaml.idsOf(text));
  const kept: string[] = [];
  const wanted: NewEntry[] = [];
  for (const entry of entries) {
    const id = idOf(entry);
    if (known.has(id)) kept.push(id);
    else wanted.push(entry);
    known.add(id);
  }
  const fresh = wanted.length === 0 ? [] : ((await prepare?.(wanted, dirname(file))) ?? wanted);
  const problems = fresh.length === 0 ? [] : await examine?.(fresh, dirname(file));
  if (problems !== undefined && problems.length > 0) throw planError(problems);
  const edited = fresh.reduce((before, entry) => yaml.addEntry(before, section, entry), text);
  if (fresh.length > 0 && !dryRun) await save(file, await inItsGrammar(read, edited));
  return { file, added: fresh.map(idOf), removed: [], kept };
}

/** An edit that is not written yet, so that a person can see it first. */
export interface PlannedEdit {
  readonly report: EditReport;
  /** The texts of the file before and after the edit. */
  readonly before: string;
  readonly after: string;
  save(): Promise<void>;
}

/**
 * Plans new lines for the lists `allow`, `ask` and `deny` of a plan's policy, without lines that a list already has. The report
 * names them as `deny bash(rm *)`. With `flows`, also plans lines of the section `flows`, or the section itself. Throws as {@link
 * addEntries} does.
 */
export async function planPolicyRules(
  plan: string | undefined,
  lists: Readonly<Record<string, readonly string[]>>,
  { cwd, flows }: Pick<EditOptions, "cwd"> & { readonly flows?: FlowLines | undefined },
): Promise<PlannedEdit> {
  const read = await readPlanFile(plan, cwd);
  const { file, yaml: text } = read;
  const added: string[] = [];
  const kept: string[] = [];
  let edited = text;
  for (const [list, lines] of Object.entries(lists)) {
    const known = yaml.policyLines(text, list);
    const fresh = lines.filter((line) => !known.includes(line));
    added.push(...fresh.map((line) => `${list} ${line}`));
    kept.push(...lines.filter((line) => known.includes(line)).map((line) => `${list} ${line}`));
    if (fresh.length > 0) edited = yaml.addPolicyLines(edited, list, fresh);
  }
  if (flows !== undefined) edited = yaml.addFlowLines(edited, flows);
  const after = await inItsGrammar(read, edited);
  return {
    report: { file, added, removed: [], kept },
    before: read.text,
    after,
    save: async () => {
      if (after !== read.text) await save(file, after);
    },
  };
}

/** Returns an edited YAML text in the format of the plan's file, so that a JSON plan stays JSON. */
async function inItsGrammar({ text, yaml: before, isJson }: PlanFile, edited: string): Promise<string> {
  if (edited === before) return text;
  if (!isJson) return edited;
  const { rewriteJson } = await import("./edit-json.ts");
  return rewriteJson(text, yaml.valueOf(before), yaml.valueOf(edited));
}

function idOf({ id, module }: NewEntry): string {
  return id ?? module;
}

/**
 * Removes an entry from a plan by its id; for an entry without an id, by its module. Throws `PLAN_VALUE_INVALID` if there is no
 * such entry.
 */
export async function removeEntry(
  plan: string | undefined,
  id: string,
  { cwd }: EditOptions,
): Promise<EditReport> {
  const read = await readPlanFile(plan, cwd);
  const { file, yaml: text } = read;
  const edited = yaml.removeEntryText(text, id);
  if (edited !== undefined) {
    await save(file, await inItsGrammar(read, edited));
    return { file, added: [], removed: [id], kept: [] };
  }
  const ids = yaml.idsOf(text);
  // People may write the short name of a package: `rivers` for toolmount-tool-rivers.
  const [near = ids.find((one) => /[/-]/.test(one) && one.endsWith(id))] = nearestNames(id, ids);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  const problem = `no entry of ${file} is called "${id.slice(0, 100)}"${hint}`;
  throw new ToolmountError("PLAN_VALUE_INVALID", { problem });
}

/** Checks a plan's new text and then replaces the file in one step, so that a reader never sees half a plan. */
async function save(file: string, text: string): Promise<void> {
  await parsePlanText(file, text);
  const { mode } = await stat(file);
  const beside = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(beside, text, { mode: mode & 0o777, flag: "wx" });
  await rename(beside, file);
}
