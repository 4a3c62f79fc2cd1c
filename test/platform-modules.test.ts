import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** What differs between operating systems, and the only files that contain it. */
const kinds = [
  {
    kind: "asks which operating system it runs on",
    pattern: /\bprocess\.platform\b/,
    files: [
      "packages/cli/src/audit/sign-heads.ts",
      "packages/cli/src/clients/mcp-clients.ts",
      "packages/cli/src/host/machine.ts",
      "packages/cli/src/install/fetch-programs.ts",
      "packages/cli/src/process/open-browser.ts",
      "packages/cli/src/process/take-stdout.ts",
      "packages/cli/src/scaffold/init-files.ts",
      "packages/mcp/src/mount/process-tree.ts",
      "packages/paths/src/place.ts",
      "packages/paths/src/attributes.ts",
      "packages/sandbox/src/layer/layer.ts",
      "packages/sandbox/src/system/control-group.ts",
      "packages/sandbox/src/system/environment.ts",
      "packages/sandbox/src/system/process-trees.ts",
      "packages/sandbox/src/system/process-usage.ts",
      "packages/sandbox/src/system/program-guard.ts",
      "packages/policy/src/hook-process.ts",
      "packages/sandbox/src/border/plain.ts",
      "packages/sandbox/src/border/srt.ts",
      "packages/workers/src/process/far-process.ts",
      "packages/workers/src/process/open-processes.ts",
      "tools/bash/src/shell.ts",
    ],
  },
  {
    // The bash tools are refused on Windows, and look for what a command left behind beyond its group.
    kind: "signals a process group",
    pattern: /kill\(-|signal\(-|"taskkill"/,
    files: [
      "packages/sandbox/src/system/process-trees.ts",
      "tools/bash/src/run/command.ts",
      "tools/bash/src/run/end-processes.ts",
      "tools/bash/src/run/find-processes.ts",
    ],
  },
  {
    // Each asks whether /proc is there, or runs only on Linux.
    // The mark of a process is empty where there is no /proc.
    kind: "reads /proc",
    pattern: /["'`]\/proc\b/,
    files: [
      "packages/loader/src/host/process-mark.ts",
      "packages/paths/src/disk.ts",
      "packages/sandbox/src/proof/attempts.ts",
      "packages/paths/src/attributes.ts",
      "packages/sandbox/src/layer/folder-facts.ts",
      "packages/sandbox/src/layer/fork.ts",
      "packages/sandbox/src/layer/holder.ts",
      "packages/sandbox/src/layer/texts.ts",
      "packages/sandbox/src/system/control-group.ts",
      "packages/sandbox/src/border/host-gate.ts",
      "packages/sandbox/src/system/inherited-descriptors.ts",
      "packages/sandbox/src/system/process-trees.ts",
      "packages/sandbox/src/system/process-usage.ts",
      "packages/sandbox/src/system/program-guard.ts",
      "packages/sandbox/src/system/prove-sandbox.ts",
      "packages/sandbox/src/system/namespace-settings.ts",
      "packages/sandbox/src/system/own-processes.ts",
      "tools/bash/src/run/find-processes.ts",
      "tools/bash/src/run/guard.ts",
    ],
  },
  {
    kind: "starts a shell",
    pattern: /["']\/bin\/sh["']|cmd\.exe["']|shell: true/,
    files: [
      "packages/cli/src/process/take-stdout.ts",
      "packages/sandbox/src/layer/folder-lock.ts",
      "packages/sandbox/src/layer/holder.ts",
      "packages/sandbox/src/system/control-group.ts",
      "packages/sandbox/src/system/overlay-trial.ts",
      "packages/sandbox/src/system/program-command.ts",
      "packages/sandbox/src/system/program-guard.ts",
      "packages/policy/src/hook-process.ts",
    ],
  },
  {
    // Where links need a right, the first copies the file. The second puts back a link that a call removed. A layer is Linux's.
    kind: "makes a link",
    pattern: /\b(?:symlink|symlinkSync|linkSync)\(/,
    files: [
      "packages/cli/src/install/project-npmrc.ts",
      "packages/paths/src/restore.ts",
      "packages/sandbox/src/layer/commit.ts",
    ],
  },
  {
    kind: "follows a link",
    pattern: /\b(?:readlink|readlinkSync)\(/,
    // The proof of a sandbox, and the mark of a process, look up which namespaces they are in. A person sees where a new link leads.
    files: [
      "packages/loader/src/host/process-mark.ts",
      "packages/paths/src/disk.ts",
      "packages/paths/src/follow.ts",
      "packages/paths/src/mark.ts",
      "packages/sandbox/src/system/mark.ts",
      "packages/sandbox/src/proof/attempts.ts",
      "packages/paths/src/restore.ts",
      "packages/paths/src/snapshot.ts",
      "packages/sandbox/src/system/process-usage.ts",
      "packages/sandbox/src/system/prove-sandbox.ts",
      "tools/bash/src/run/guard.ts",
    ],
  },
  {
    // It never ends where a file system refuses a new folder as absent, as /proc does: `makeFolder` of @toolmount/paths does not.
    kind: "makes folders by Node's recursive mkdir, other than in a temporary folder",
    pattern: /\bmkdir(?:Sync)?\([^;]*?recursive: true/,
    files: ["packages/testing/src/fakes/workspace.ts"],
  },
];

test.each(kinds)("only the files listed here contain code that $kind", async ({ pattern, files }) => {
  const found: string[] = [];
  for await (const path of glob("{packages,tools}/*/src/**/*.ts", { cwd: root }))
    if (pattern.test(await readFile(join(root, path), "utf8"))) found.push(path.replaceAll("\\", "/"));

  expect(found.toSorted()).toEqual(files.toSorted());
});
