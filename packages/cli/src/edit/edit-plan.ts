import { dirname, resolve } from "node:path";
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
import { rewriteText } from "@toolmount/paths";
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
  const { file, yaml: text } = await readPlanFile(plan, cwd);
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
  if (fresh.length === 0 || dryRun) return { file, added: fresh.map(idOf), removed: [], kept };
  let added = fresh;
  await save(file, (now) => {
    // While the modules were fetched and tried, another command may have added the same ids.
    const ids = new Set(yaml.idsOf(now));
    added = fresh.filter((entry) => !ids.has(idOf(entry)));
    return added.reduce((before, entry) => yaml.addEntry(before, section, entry), now);
  });
  const missed = fresh.filter((entry) => !added.includes(entry));
  return { file, added: added.map(idOf), removed: [], kept: [...kept, ...missed.map(idOf)] };
}

/** An edit that is not written yet, so that a person can see it first. */
export interface PlannedEdit {
  readonly report: EditReport;
  /** The texts of the file before and after the edit, unless another program changes it before `save`. */
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
  for (const [list, lines] of Object.entries(lists)) {
    const known = yaml.policyLines(text, list);
    for (const line of lines) (known.includes(line) ? kept : added).push(`${list} ${line}`);
  }
  const edit = (before: string) => addLines(before, lists, flows);
  const after = await inItsGrammar(read, edit(text));
  const report = { file, added, removed: [], kept };
  return { report, before: read.text, after, save: () => save(file, edit) };
}

function addLines(
  text: string,
  lists: Readonly<Record<string, readonly string[]>>,
  flows: FlowLines | undefined,
): string {
  let edited = text;
  for (const [list, lines] of Object.entries(lists)) {
    const known = yaml.policyLines(text, list);
    const fresh = lines.filter((line) => !known.includes(line));
    if (fresh.length > 0) edited = yaml.addPolicyLines(edited, list, fresh);
  }
  return flows === undefined ? edited : yaml.addFlowLines(edited, flows);
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
  const { file } = await readPlanFile(plan, cwd);
  await save(file, (text) => yaml.removeEntryText(text, id) ?? refuseId(text, id, file));
  return { file, added: [], removed: [id], kept: [] };
}

function refuseId(text: string, id: string, file: string): never {
  const ids = yaml.idsOf(text);
  // People may write the short name of a package: `rivers` for toolmount-tool-rivers.
  const [near = ids.find((one) => /[/-]/.test(one) && one.endsWith(id))] = nearestNames(id, ids);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  const problem = `no entry of ${file} is called "${id.slice(0, 100)}"${hint}`;
  throw new ToolmountError("PLAN_VALUE_INVALID", { problem });
}

/**
 * Edits a plan's file in one step, so that a reader never sees half a plan. The edit is of the text that the file has then, which
 * an editor or another command may have changed since it was read. Throws `PLAN_INVALID` if the result is not a plan.
 */
async function save(file: string, edit: (text: string) => string): Promise<void> {
  await rewriteText(file, async () => {
    const read = await readPlanFile(resolve(file), dirname(file));
    const edited = await inItsGrammar(read, edit(read.yaml));
    await parsePlanText(file, edited);
    return edited;
  });
}
