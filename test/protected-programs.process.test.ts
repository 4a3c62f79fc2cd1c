import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost, type OpenedHost } from "@toolmount/loader";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import { describe, expect, onTestFinished, test } from "vitest";

const tools = join(import.meta.dirname, "../tools");

/** Where bubblewrap is missing, a command of `bash` has the host's rights. CI always has it. */
const hasBubblewrap =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

const server = `import { createInterface } from "node:readline";
import { serverInfo } from "./lib/info.mjs";
const initialize = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const result = { initialize, "tools/list": { tools: [] } }[method];
  const answer = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result };
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

/** Files of a plan's folder, beside the plan. The last two are the work of the model. */
const files = {
  "guard/check.sh": ". ./guard/lib.sh\nrefuse_nothing\n",
  "guard/lib.sh": "refuse_nothing() { exit 0; }\n",
  "guard.py": "import rules\n",
  "rules.py": "pass\n",
  "servers/srv.mjs": server,
  "servers/lib/info.mjs": 'export const serverInfo = { name: "served", version: "1.0.0" };\n',
  "skills/note/SKILL.md": "---\nname: note\ndescription: Takes a note.\n---\nDo it.\n",
  "skills/note/run.sh": "echo note\n",
  ".git/hooks/pre-commit": "#!/bin/sh\n",
  ".git/config": "[core]\n",
  ".npmrc": "fund=false\n",
  ".vscode/tasks.json": "{}\n",
  ".claude/settings.json": "{}\n",
  ".envrc": "true\n",
  ".husky/pre-commit": "true\n",
  ".mcp.json": "{}\n",
  "notes.md": "mine\n",
  "guard/notes.md": "mine\n",
};

const work = ["notes.md", "guard/notes.md"];
const kept = Object.keys(files).filter((name) => !work.includes(name));

/** What does not exist, and would be run or obeyed if it did. */
const absent = [
  "guard/late.sh",
  ".git/hooks/post-checkout",
  "deep/.vscode/tasks.json",
  "deep/.git/hooks/pre-commit",
  ".git/HEAD",
  ".git/info/attributes",
  ".git/modules/sub/config",
  ".git/worktrees/w/commondir",
  ".git/objects/info/alternates",
  "deep/.git",
  "store.git/config",
  ".config/git/config",
  ".ssh/authorized_keys",
  ".github/workflows/x.yml",
  ".gitlab-ci.yml",
  ".zed/tasks.json",
  ".windsurf/mcp.json",
  ".cursorrules",
  ".gitattributes",
  "deep/.GitHub/workflows/x.yml",
];

async function open(): Promise<{ readonly folder: string; readonly host: OpenedHost }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-programs-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const plan = {
    version: 1,
    tools: [
      { module: "filesystem", source: `file:${join(tools, "filesystem")}` },
      {
        module: "bash",
        source: `file:${join(tools, "bash")}`,
        config: { safety_profile: "unrestricted", require_approval: false },
      },
      { module: "served", source: { mcp: { command: process.execPath, args: ["./servers/srv.mjs"] } } },
      { module: "skills", source: `file:${join(tools, "skills")}`, config: { folders: ["./skills"] } },
    ],
    hooks: [
      { command: "sh ./guard/check.sh --strict", tools: ["never"] },
      { command: ["python3", "guard.py"], tools: ["never"] },
      { command: "sh guard/late.sh", tools: ["never"] },
    ],
  };
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan));
  const host = await openHost(join(folder, "plan.json"), {
    logger: silentLogger,
    store: createMemoryStore(),
    approver: () => ({ decision: "approve" }),
    extensions: { "@toolmount/interop": interop, "@toolmount/mcp": mcp, "@toolmount/policy": policy },
  });
  onTestFinished(() => void host.close());
  return { folder, host };
}

const textOf = (folder: string, name: string) => readFile(join(folder, name), "utf8").catch(() => "nothing");

describe("the file tools", () => {
  test.each(kept)("do not change %s, which the next command runs or obeys", async (name) => {
    const { folder, host } = await open();
    await symlink(join(folder, name), join(folder, "link"));
    await symlink(dirname(join(folder, name)), join(folder, "folder"));
    const parent = dirname(name);
    const calls = [
      { name: "write_file", arguments: { file_path: name, content: "bad" } },
      { name: "write_file", arguments: { file_path: "link", content: "bad" } },
      { name: "write_file", arguments: { file_path: `folder/${name.split("/").at(-1)}`, content: "bad" } },
      {
        name: "edit_file",
        arguments: { file_path: name, old_string: files[name as "notes.md"], new_string: "bad" },
      },
      { name: "move_file", arguments: { source: "notes.md", destination: name, overwrite: true } },
      { name: "move_file", arguments: { source: name, destination: "elsewhere" } },
      { name: "delete_file", arguments: { path: name } },
      ...(parent === "."
        ? []
        : [
            { name: "move_file", arguments: { source: parent, destination: "elsewhere" } },
            { name: "delete_file", arguments: { path: parent, recursive: true } },
          ]),
    ];
    const codes = [];
    for (const call of calls) codes.push((await host.call(call)).result.code);

    expect(codes).toEqual(calls.map(() => "ACCESS_DENIED"));
    expect(await textOf(folder, name)).toBe(files[name as "notes.md"]);
  });

  test.each(absent)("do not make %s", async (name) => {
    const { folder, host } = await open();
    const written = await host.call({ name: "write_file", arguments: { file_path: name, content: "bad" } });
    const moved = await host.call({
      name: "move_file",
      arguments: { source: "notes.md", destination: name },
    });

    expect([written.result.code, moved.result.code]).toEqual(["ACCESS_DENIED", "ACCESS_DENIED"]);
    expect(await textOf(folder, name)).toBe("nothing");
  });

  test("do not move a folder to a place where the next command looks", async () => {
    const { folder, host } = await open();
    const call = (name: string, given: object) => host.call({ name, arguments: given as never });
    await call("write_file", { file_path: "deep/x/hooks/pre-commit", content: "bad" });

    expect((await call("move_file", { source: "deep/x", destination: "deep/.git" })).result.code).toBe(
      "ACCESS_DENIED",
    );
    expect(await textOf(folder, "deep/.git/hooks/pre-commit")).toBe("nothing");
  });

  test.each(work)("change %s, which is beside them", async (name) => {
    const { folder, host } = await open();
    const { result } = await host.call({
      name: "write_file",
      arguments: { file_path: name, content: "new" },
    });

    expect(result.error).toBeUndefined();
    expect(await textOf(folder, name)).toBe("new");
  });
});

describe.runIf(hasBubblewrap)("a command of bash that a person approved", () => {
  test.each(kept)("does not change %s", async (name) => {
    const { folder, host } = await open();
    const parent = dirname(name);
    const lines = [
      `echo bad > '${name}'`,
      `ln -s '${name}' link; echo bad > link`,
      `cp notes.md '${name}'`,
      `mv -f notes.md '${name}'`,
      `rm -f '${name}'`,
      ...(parent === "."
        ? []
        : [`mv '${parent}' elsewhere; mkdir -p '${parent}'; echo bad > '${name}'`, `rm -rf '${parent}'`]),
    ];
    for (const line of lines)
      await host.call({ name: "bash", arguments: { command: `python3 -c 1; ${line}` } });

    expect(await textOf(folder, name)).toBe(files[name as "notes.md"]);
  });

  test("changes the files beside them", async () => {
    const { folder, host } = await open();
    const command =
      "echo new > notes.md; echo new > guard/notes.md; mkdir src; mv guard/notes.md src/notes.md";
    await host.call({ name: "bash", arguments: { command } });

    expect([await textOf(folder, "notes.md"), await textOf(folder, "src/notes.md")]).toEqual([
      "new\n",
      "new\n",
    ]);
  });
});
