import { readRanges } from "./ranges.ts";
import { renderTemplates, type TemplateFiles } from "./templates.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { programCommand } from "@toolmount/sandbox";

/** A person's choices for a new plan. */
export interface InitAnswers {
  readonly name: string;
  /** Whether a first tool is added, in one file to try and to change. */
  readonly firstTool: boolean;
  /** Whether tools are added that read the files of the folder. */
  readonly files: boolean;
  /**
   * Whether tools are added that change files and run commands: in a layer, if this machine supports it (`layer`), or with a
   * question for each change (`asking`).
   */
  readonly work: "no" | "layer" | "asking";
}

const workModules = ["bash", "filesystem", "search"];

/** Returns the npm packages of the tools in a new plan. */
export function toolPackagesOf({ files, work }: Pick<InitAnswers, "files" | "work">): readonly string[] {
  const modules = work === "no" ? (files ? ["filesystem"] : []) : workModules;
  return modules.map((name) => `@toolmount/tool-${name}`);
}

const firstToolFile = "tools/count-words.ts";
const firstToolTest = "tools/count-words.test.ts";

/** The section `tests` of the plan: a test of the policy's answer to a call. It runs no tool. */
const firstTest = `
tests:
  - call: { count_words: { text: one two three } }
    expect: { answer: allow }`;

/**
 * Returns the files of a new plan: the plan with a test, a first tool with its test, `package.json`, `tsconfig.json`,
 * `.gitignore` and a workflow.
 */
export async function renderInit(answers: InitAnswers): Promise<TemplateFiles> {
  const { name, firstTool, files, work } = answers;
  const ranges = Object.entries(await readRanges()).map(([module, range]) => [`range:${module}`, range]);
  const entries = [
    ...(firstTool ? [`  - module: ./${firstToolFile}`] : []),
    ...(work === "no" ? [] : workModules.map((module) => `  - module: ${module}`)),
    ...(files && work === "no" ? ["  - module: filesystem", "    config: { allowed_read_paths: [.] }"] : []),
  ];
  const values: Record<string, string> = {
    name: JSON.stringify(name),
    packageName: JSON.stringify(packageNameOf(name)),
    tools: entries.length === 0 ? " []" : `\n${entries.join("\n")}`,
    tests: firstTool ? firstTest : "",
    toolTest: firstTool ? " && node --test tools/*.test.ts" : "",
    layer: work === "layer" ? "layer: ./\n" : "",
    packages: toolPackagesOf(answers)
      .map((module) => `\n    "${module}": "*",`)
      .join(""),
    ...Object.fromEntries(ranges),
  };
  const { [firstToolFile]: tool, [firstToolTest]: test, ...others } = await renderTemplates("init", values);
  return firstTool ? { ...others, [firstToolFile]: tool!, [firstToolTest]: test! } : others;
}

/** Converts the name of a plan to a valid name of an npm package. Source: the rules of validate-npm-package-name. */
function packageNameOf(name: string): string {
  const allowed = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, "-")
    .replaceAll(/^[._-]+|-+$/g, "")
    .slice(0, 200);
  return allowed === "" || allowed === "node_modules" ? "my-tools" : allowed;
}

/** Finds the git repository around a folder: the folder itself, or the nearest folder above it that has `.git`. */
export function repositoryAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Runs a program in a folder, at the same terminal. Resolves to whether it succeeded. */
export async function runIn(
  folder: string,
  [program = "", ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { file, args, options } = programCommand(program, words, { platform: process.platform, env });
  const child = spawn(file, args, { ...options, cwd: folder, env: { ...env }, stdio: "inherit" });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0;
  } catch {
    // The program does not exist. The next steps, which are printed later, name it.
    return false;
  }
}
