import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { command, runCommand, workspace } from "./support/workspace.ts";

/** A folder with a plan, and the command under its own name. */
async function folder() {
  const words = [process.execPath, ...command].map((word) => `"${word}"`).join(" ");
  const files = {
    "mount-plan.yaml": "version: 1\ntools:\n  - module: filesystem\n    config: { working_dir: . }\n",
  };
  const made = await workspace({ ...files, "bin/toolmount": `#!/bin/sh\nexec ${words} "$@"\n` });
  await chmod(join(made.folder, "bin/toolmount"), 0o755);
  const script = (await runCommand(["completion", "bash"])).stdout;
  /** What bash offers for a line, as after the Tab key. */
  const offered = (line: string): string[] => {
    const typed = line.split(" ");
    const quoted = typed.map((word) => `'${word}'`).join(" ");
    const { stdout, stderr } = spawnSync(
      "bash",
      [
        "--noprofile",
        "--norc",
        "-c",
        `${script}\nCOMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_CWORD=${typed.length - 1}
COMP_WORDS=(${quoted}); _toolmount_completion; printf '%s\n' "\${COMPREPLY[@]}"`,
      ],
      {
        cwd: made.folder,
        encoding: "utf8",
        env: { ...process.env, PATH: `${join(made.folder, "bin")}${delimiter}${process.env["PATH"]}` },
      },
    );
    expect(stderr).toBe("");
    return stdout.trim().split("\n");
  };
  return { ...made, offered };
}

test("bash completes commands, options, choices and the tools of the plan", async () => {
  const { offered } = await folder();

  expect(offered("toolmount de")).toEqual(["describe"]);
  expect(offered("toolmount call --app")).toEqual(["--approve"]);
  expect(offered("toolmount approvals r")).toEqual(["run", "revoke"]);
  expect(offered("toolmount check --format g")).toEqual(["github"]);
  expect(offered("toolmount completion f")).toEqual(["fish"]);
  expect(offered("toolmount call write")).toEqual(["write_file"]);
});

test("a line that is completed is not run", async () => {
  const { offered, read } = await folder();
  offered("toolmount call $(touch ran)");

  await expect(read("ran")).rejects.toThrow("ENOENT");
});

test.each(["bash", "zsh", "fish", "pwsh"])("completion %s prints a script for toolmount", async (name) => {
  const { code, stdout } = await runCommand(["completion", name]);

  expect(code).toBe(0);
  expect(stdout).toContain("completion-server");
});

test("another shell is wrong usage", async () => {
  const { code, stderr } = await runCommand(["completion", "cmd"]);

  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish, pwsh")]);
});
