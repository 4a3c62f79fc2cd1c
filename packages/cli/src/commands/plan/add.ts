import { existsSync } from "node:fs";
import { basename } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { planError, type EditedSection, type NewEntry } from "@toolmount/loader/commands";
import type { EditReport } from "../../edit/edit-plan.ts";
import { Option, type Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { readJsonObject } from "../../options/json-option.ts";
import { reportEdit } from "../../render/edit.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";
import { withStatus } from "../../process/with-status.ts";
import { printable } from "../../screen/printable.ts";
import { lockNew, writeLocked, type Locked } from "../../trial/lock-new.ts";
import type { Trial } from "../../trial/try-new.ts";

interface Options {
  readonly json?: true;
  readonly entry?: string;
  readonly config?: string;
  readonly type?: AddedType;
  readonly registry?: string;
  readonly yes?: true;
  readonly rehearse?: true;
  /** False with `--no-load`. */
  readonly load: boolean;
}

/** The values of `--type`: what a module is, and how an MCP server is used: as a kind of package, or at a remote address. */
const [moduleTypes, serverTypes] = [
  ["tool", "hook"],
  ["npm", "pypi", "oci", "nuget", "remote"],
] as const;

type AddedType = (typeof moduleTypes)[number] | (typeof serverTypes)[number];

/**
 * `toolmount add <module> [plan]`: fetches a package that is not installed, tries the module, shows its tools, and adds an
 * entry if it can be mounted. The rest of the file stays as it was.
 */
export function define(command: Command, shell: Shell): void {
  command
    .argument(
      "<module>",
      "a package's name, whole or short, npm:name@range, git+https://…, or a path; an MCP server",
    )
    .argument("[plan]", planArgument)
    .option("--registry <place>", "of an MCP server by its name: a registry's address, a folder or a file")
    .option("-y, --yes", "of an MCP server: write and start it without asking")
    .option("--entry <json>", 'more of its entry, in the words of a plan, such as {"prefix":"acme_"}')
    .option("--config <json>", "its config")
    .addOption(
      new Option(
        "--type <type>",
        "what a module is, default tool; of an MCP server: how it is used, default the first that fits",
      ).choices([...moduleTypes, ...serverTypes]),
    )
    .option("--rehearse", "only try it and show its tools; keep nothing that was fetched")
    .option("--no-load", "run no code of it, so it is not tried, and its tools are not in the lock file")
    .option(...jsonOption)
    .action(async (module: string, plan: string | undefined, options: Options) => {
      const { isServer } = await import("../../scaffold/find-server.ts");
      if (isServer({ server: module, registry: options.registry })) {
        const { addServer } = await import("../../trial/add-server.ts");
        await addServer(module, plan, options, shell);
      } else await add(module, plan, options, shell);
    });
  addExamples(command, [
    'toolmount add filesystem --config \'{"working_dir":"."}\'',
    'toolmount add @acme/weather plan.yaml --entry \'{"prefix":"acme_"}\'',
    "toolmount add npm:weather-tools@^2 --rehearse",
    'toolmount add @tavily/ai-sdk --entry \'{"export":"tavilySearch"}\'',
    "toolmount add io.github.acme/weather --registry https://registry.modelcontextprotocol.io",
  ]);
}

async function add(module: string, plan: string | undefined, options: Options, shell: Shell): Promise<void> {
  const { json, type = "tool", rehearse: dryRun, load } = options;
  const isOfServers = serverTypes.some((one) => one === type);
  if (isOfServers || options.yes !== undefined)
    throw usageError(
      `--${isOfServers ? `type ${type}` : "yes"} is for an MCP server; name its server.json, or a --registry`,
    );
  const [{ addEntries }, { readModule }] = await Promise.all([
    import("../../edit/edit-plan.ts"),
    import("../../install/fetch-entry.ts"),
  ]);
  const config = readJsonObject("--config", options.config);
  const entry: Omit<NewEntry, "module"> = {
    ...readJsonObject("--entry", options.entry),
    ...(config !== undefined && { config }),
  };
  if ("module" in entry) throw usageError("--entry has no module: it is the first word of the command");
  const work = new Attempt(type === "hook" ? "hooks" : "tools", load, shell);
  const report = await withStatus(shell, "trying the module", () =>
    addEntries(plan, [readModule({ module, ...entry })], {
      cwd: shell.cwd,
      section: work.section,
      dryRun,
      prepare: (entries, folder) => work.fetch(entries, folder),
      check: (entries, folder) => work.try(entries, folder),
    }),
  );
  const given = Object.keys(entry).find((key) => key !== "id");
  if (report.kept.length > 0 && given !== undefined) throw nameTaken(report, given);
  if (dryRun === true) await work.withdraw();
  const lock = dryRun === true ? undefined : await work.lock(report);
  const { fetched, trial } = work;
  const shown = trial === undefined || trial.tools.length === 0 ? {} : { tools: trial.tools };
  const more = { ...(fetched !== undefined && { fetched }), ...(lock !== undefined && { lock }) };
  reportEdit(report, shell, json === true, { rehearsed: dryRun, ...shown, ...more }, dryRun);
  if (json !== true) await writeWork(work, lock, shell);
  if (lock?.problem !== undefined) shell.end(exitCodes.failed);
}

/** The steps of `add`. If the trial of a module fails, the package that was fetched for it is removed. */
class Attempt {
  readonly section: EditedSection;
  /** The package that was fetched, as name and version. */
  fetched: string | undefined;
  trial: Trial | undefined;
  withdraw = async (): Promise<void> => {};
  readonly #load: boolean;
  readonly #shell: Shell;

  constructor(section: EditedSection, load: boolean, shell: Shell) {
    this.section = section;
    this.#load = load;
    this.#shell = shell;
  }

  async fetch([entry]: readonly NewEntry[], folder: string): Promise<readonly NewEntry[]> {
    const { fetchEntry } = await import("../../install/fetch-entry.ts");
    const options = { ...loaderOptions({}, this.#shell), cwd: folder, section: this.section };
    const found = await fetchEntry(entry!, options);
    this.fetched = found.fetched;
    this.withdraw = found.withdraw;
    return [found.entry];
  }

  async try(entries: readonly NewEntry[], folder: string): Promise<Trial["problems"]> {
    const { tryNew } = await import("../../trial/try-new.ts");
    try {
      this.trial = await tryNew(entries, {
        section: this.section,
        folder,
        load: this.#load,
        shell: this.#shell,
      });
      if (this.trial.problems.length > 0) throw planError(this.trial.problems);
      return [];
    } catch (error) {
      await this.withdraw();
      throw error;
    }
  }

  /**
   * Adds the new tools to the plan's lock file. Creates the file only for a fetched package. Undefined if nothing is locked:
   * without a new entry or a lock file, or if the module was not tried or could not be mounted.
   */
  async lock({ file, added }: EditReport): Promise<Locked | undefined> {
    const { lockFileOf } = await import("@toolmount/loader/commands");
    const isTried = this.trial?.missing.length === 0;
    if (added.length === 0 || !this.#load || !isTried) return undefined;
    if (this.fetched === undefined && !existsSync(lockFileOf(file))) return undefined;
    return lockNew(file, added, this.#shell);
  }
}

async function writeWork({ trial, fetched }: Attempt, lock: Locked | undefined, shell: Shell): Promise<void> {
  const { out } = shell;
  if (fetched !== undefined) out.line(`  ${printable(`fetched ${fetched}; none of its scripts ran`)}`);
  const { writeTrial } = await import("../../trial/write-trial.ts");
  if (trial !== undefined) await writeTrial(trial, shell);
  if (lock !== undefined) writeLocked(lock, shell);
}

/** Creates the error for an entry that already exists, because options for it would otherwise be ignored silently. */
function nameTaken({ file, kept: [id = ""] }: EditReport, key: string): ToolmountError {
  const problem = `${basename(file)} has an entry "${id}" already, and its ${key} is not changed; name the new entry with --entry '{"id":"…"}', or edit the file`;
  return new ToolmountError("PLAN_VALUE_INVALID", { problem });
}
