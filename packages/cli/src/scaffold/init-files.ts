import { readRanges } from "./ranges.ts";
import { renderTemplates, type TemplateFiles } from "./templates.ts";

/** What a person wants in a new plan. */
export interface InitAnswers {
  readonly name: string;
  /** A tool of one file, to try and to change. */
  readonly firstTool: boolean;
  /** The tools that read the files of this folder. */
  readonly files: boolean;
}

const firstToolFile = "tools/count-words.ts";

/** A test of the plan: what becomes of a call. It runs no tool. */
const firstTest = `
tests:
  - call: { count_words: { text: one two three } }
    expect: { answer: allow }`;

/** The files of a new plan: the plan with a test, a first tool, `package.json`, `tsconfig.json` and `.gitignore`. */
export async function renderInit({ name, firstTool, files }: InitAnswers): Promise<TemplateFiles> {
  const ranges = Object.entries(await readRanges()).map(([module, range]) => [`range:${module}`, range]);
  const entries = [
    ...(firstTool ? [`  - module: ./${firstToolFile}`] : []),
    ...(files ? ["  - module: filesystem", "    config: { allowed_read_paths: [.] }"] : []),
  ];
  const values: Record<string, string> = {
    name: JSON.stringify(name),
    tools: entries.length === 0 ? " []" : `\n${entries.join("\n")}`,
    tests: firstTool ? firstTest : "",
    packages: files ? `\n    "@toolmount/tool-filesystem": "*",` : "",
    ...Object.fromEntries(ranges),
  };
  const { [firstToolFile]: tool, ...others } = await renderTemplates("init", values);
  return firstTool ? { ...others, [firstToolFile]: tool! } : others;
}
