import { cp, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exec } from "./support/exec.ts";

const root = join(import.meta.dirname, "..");

/** A copy of the files of this repository that Git knows or would take, with what is installed. */
async function copyOfRepository() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-house-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const listed = await exec("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root });
  for (const file of listed.split("\0").filter(Boolean))
    await cp(join(root, file), join(folder, file), { recursive: true, verbatimSymlinks: true }).catch(
      (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? undefined : Promise.reject(error)),
    );
  const path = `${join(folder, "node_modules/.bin")}:${dirname(process.execPath)}:${join(root, ".toolchain/node_modules/.bin")}:${process.env["PATH"]}`;
  const run = (line: string) =>
    exec("bash", ["-c", line], { cwd: folder, env: { ...process.env, PATH: path } });
  await run("pnpm install --offline --frozen-lockfile");
  await run("git init --quiet && git add -A && git -c user.name=a -c user.email=a@b commit --quiet -m all");
  return { folder, run };
}

test("CARD-11: a new tool package takes five steps of CONTRIBUTING.md, and passes every check of the house by its own files", async () => {
  const page = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
  const steps = /^## Add a tool\n\n([^]*?)\n\n## /m.exec(page)![1]!.split("\n");
  expect(steps.length).toBeLessThanOrEqual(5);
  for (const [at, step] of steps.entries()) expect(step).toMatch(new RegExp(`^${at + 1}\\. `));
  expect(steps[0]).toContain("`pnpm tool new weather`");
  expect(steps[3]).toContain("`pnpm tool check weather`");

  const { run } = await copyOfRepository();
  await run("pnpm tool new weather");
  const missing = await run("pnpm tool check weather || true");
  expect(missing).toContain("✖ the list of packed files (pnpm tool check weather --write)");
  const checked = await run("pnpm tool check weather --write");
  expect(checked).not.toContain("✖");
  expect(checked.match(/^✔/gm)?.length).toBeGreaterThan(6);

  const changed = (await run("git status --porcelain")).split("\n").filter(Boolean);
  const written =
    /^.. (?:tools\/weather\/|\.changeset\/first-release\.md|pnpm-lock\.yaml|tsconfig\.json|test\/packed-files\.txt|packages\/cli\/schema\/|mount-plans\/(?:reference\.yaml|package\.json))/;
  expect(changed.filter((line) => !written.test(line))).toEqual([]);
});
