import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliWords, entries, hasLayer, project, tools } from "./support/layer-project.ts";

/** The processes of whose file in `/proc` a text is a part. */
function inProcesses(file: string, text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1").includes(text);
    } catch {
      return false; // no process, or one that has ended
    }
  });
}

describe.runIf(hasLayer)("tools in a session's layer", () => {
  test("see each other's changes, of which the folder has none", async () => {
    const { call, bash, read, folder } = await project();
    expect(await bash("echo more >> a.txt; rm src/b.txt; echo x > new; cat a.txt")).toBe("one\nmore\n");
    expect(await call("read_file", { file_path: "a.txt" })).toMatchObject({
      status: "ok",
      data: { content: expect.stringContaining("more") },
    });
    expect(await call("write_file", { file_path: "written", content: "by a tool" })).toMatchObject({
      status: "ok",
    });
    expect(await bash("cat written; ls src")).toBe("by a tool");
    expect(await call("grep", { pattern: "by a", output_mode: "files_with_matches" })).toMatchObject({
      status: "ok",
      data: { files: ["written"] },
    });
    expect([read("a.txt"), read("src/b.txt")]).toEqual(["one\n", "two\n"]);
    expect(["new", "written"].map((name) => existsSync(join(folder, name)))).toEqual([false, false]);
  });

  test("may change what the next command obeys, which waits apart, but not the plan; and no call keeps", async () => {
    const { call, bash, host } = await project();
    for (const file_path of [".husky/pre-commit", "package.json", "src/c.txt"])
      expect(await call("write_file", { file_path, content: "{}" })).toMatchObject({ status: "ok" });
    expect(await call("write_file", { file_path: "mount-plan.yaml", content: "" })).toMatchObject({
      status: "failed",
    });
    await bash("git config user.name x; rm a.txt");
    const layer = await host.coordinator.getCapability("host.layers")!.of("s");
    const { changes, digest } = await layer.difference();
    expect(Object.fromEntries(changes.map(({ path, section }) => [path, section]))).toEqual({
      ".git/config": "obeyed",
      ".husky": "obeyed",
      ".husky/pre-commit": "obeyed",
      "a.txt": "deletions",
      "package.json": "obeyed",
      "src/c.txt": "files",
    });
    expect(await call("keep_changes", { digest, sections: ["files"] })).toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
  });

  test("that rename a folder of the user get a warning with the way around", async () => {
    const { run, call } = await project();
    run("git -c user.name=A -c user.email=a@example.com commit --allow-empty -qm one; git add src");
    const moved = await call("bash", { command: "git mv src lib" });
    expect(moved.data).toMatchObject({ stderr: expect.stringContaining("cross-device") as string });
    expect(moved.warnings).toEqual([expect.stringContaining("instead of git mv use mv, then git add -A")]);

    const said = await call("bash", {
      command: "mv src lib && git add -A lib src && git status --short -uno",
    });
    expect([said.data, said.warnings]).toEqual([
      { stdout: "A  lib/b.txt\n", stderr: "", returncode: 0 },
      undefined,
    ]);
  });

  test("of another session are in another layer", async () => {
    const { bash } = await project();
    await bash("echo mine > a.txt", "s");
    expect(await bash("cat a.txt", "other")).toBe("one\n");
    expect(await bash("cat a.txt", "s")).toBe("mine\n");
  });

  test("ask nothing, though they delete, and reach neither the network nor files outside", async () => {
    const { bash, call, host } = await project();
    expect(await call("delete_file", { path: "src/b.txt" })).toMatchObject({ status: "ok" });
    expect(await bash("rm -rf src; git config user.name x; echo true > .envrc; ls -A")).toBe(
      ".envrc\n.git\n.toolmount\na.txt\nmount-plan.yaml\npackage.json\n",
    );
    expect(await bash("echo x > /etc/toolmount-x; echo $?")).toBe("1\n");
    expect(await bash("exec 3<>/dev/tcp/127.0.0.1/1; echo $?; tail -n +3 /proc/net/dev | cut -d: -f1")).toBe(
      "1\n    lo\n",
    );
    expect(await bash("echo x >> mount-plan.yaml; echo $?; ls -A .toolmount")).toBe("1\n");
    const changes = await host.session("s").changes();
    expect(changes.filter(({ irreversible }) => irreversible !== undefined)).toEqual([]);
  });

  test("show what the user changed meanwhile, unless a command in the background runs", async () => {
    const { call, bash, folder } = await project();
    await bash("echo 1 > own");
    writeFileSync(join(folder, "theirs"), "new\n");
    expect(await call("read_file", { file_path: "theirs" })).toMatchObject({ status: "ok" });
    expect(await bash("cat theirs own")).toBe("new\n1\n");
    const { data } = await call("bash", { command: "sleep 600", run_in_background: true });
    writeFileSync(join(folder, "later"), "new\n");
    expect(await call("bash", { command: "ls later" })).toMatchObject({
      warnings: ["the user changed files that this session does not see while a command runs: later"],
    });
    await call("bash_stop", { id: (data as { id: string }).id });
    expect(await bash("cat later")).toBe("new\n");
  });

  test("find their changes again in the next host", async () => {
    const { bash, host, open, read } = await project();
    await bash("echo mine > a.txt");
    await host.close();
    const next = await open();
    expect(await next.bash("cat a.txt")).toBe("mine\n");
    await next.host.close();
    expect(read("a.txt")).toBe("one\n");
  });

  test("leave no process and no mount when the host closes", async () => {
    const { bash, call, host, folder } = await project();
    await bash("true");
    await call("bash", { command: "sleep 601", run_in_background: true });
    await host.close();
    expect(inProcesses("cmdline", "sleep\u0000601")).toEqual([]);
    expect(inProcesses("mountinfo", folder)).toEqual([]);
  });

  test("at the same time, and of agents of the session, are in one layer", async () => {
    const { call, bash } = await project();
    const all = [
      bash("echo 1 > one"),
      bash("echo 2 > two"),
      ...["a.txt", "src/b.txt", "package.json"].map((file_path) => call("read_file", { file_path })),
      call("write_file", { file_path: "three", content: "3\n" }),
    ];
    for (const ended of await Promise.all(all)) expect(ended).not.toMatchObject({ status: "failed" });
    const causes = [{ sessionId: "between" }, { sessionId: "s" }];
    const { data } = await call("bash", { command: "cat one two three" }, "agent", { causes });
    expect(data).toMatchObject({ stdout: "1\n2\n3\n" });
  });

  test("keep their commands and changes over a reload", async () => {
    const { call, bash, host, folder } = await project();
    const { data } = await call("bash", { command: "sleep 600", run_in_background: true });
    await bash("echo mine > a.txt");
    const plan = join(folder, "mount-plan.yaml");
    writeFileSync(plan, `${readFileSync(plan, "utf8")}policy: { deny: [glob] }\n`);
    await host.reload();
    expect((await call("bash_list", {})).data).toMatchObject({
      jobs: [{ id: (data as { id: string }).id, status: "running" }],
    });
    expect(await bash("cat a.txt")).toBe("mine\n");
  });

  test.runIf(process.getuid?.() === 0)("work on a copy where a file belongs to another user", async () => {
    const { call, bash, read, folder, run } = await project();
    run("chown 65534 src/b.txt");
    expect(await bash("echo more >> a.txt; cat src/b.txt")).toBe("two\n");
    expect(readFileSync(join(folder, ".toolmount/layers/s/engine.json"), "utf8")).toBe('"copy"');
    expect(await call("grep", { pattern: "more", output_mode: "files_with_matches" })).toMatchObject({
      data: { files: ["a.txt"] },
    });
    writeFileSync(join(folder, "theirs"), "new\n");
    expect(await bash("cat theirs a.txt")).toBe("new\none\nmore\n");
    expect([read("a.txt"), read("src/b.txt")]).toEqual(["one\n", "two\n"]);
  });

  test.runIf(process.getuid?.() === 0)("of another user than root run as that user", async () => {
    const { folder, run } = await project();
    run("rm -r .git; chown -R 65534:65534 .");
    const as = "--reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent".split(" ");
    const words = [...as, process.execPath, ...cliWords, "call", "bash", "--json"];
    const given = JSON.stringify({ command: "id -u; echo mine > a.txt; stat -c %u a.txt; ls -A .toolmount" });
    const { stdout, stderr } = spawnSync("setpriv", [...words, given], { cwd: folder });
    expect(JSON.parse(stdout.toString()), stderr.toString()).toMatchObject({
      result: { data: { stdout: "65534\n65534\n" } },
    });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
  });

  test("end with a host that is killed, and their changes wait for the next", async () => {
    const { folder, host, open } = await project();
    await host.close();
    const given = JSON.stringify({ command: "echo mine > a.txt; sleep 602" });
    const child = spawn(process.execPath, [...cliWords, "call", "bash", given, "--session", "s"], {
      cwd: folder,
    });
    await expect
      .poll(() => inProcesses("cmdline", "sleep\u0000602").length, { timeout: 30_000 })
      .toBeGreaterThan(0);
    child.kill("SIGKILL");
    await expect.poll(() => inProcesses("cmdline", "sleep\u0000602")).toEqual([]);
    await expect.poll(() => inProcesses("mountinfo", folder)).toEqual([]);
    expect(await (await open()).bash("cat a.txt")).toBe("mine\n");
  });

  test("that a plan mounts outside of it ask as before", async () => {
    const plan = `version: 1\nlayer: ./\ntools:\n${entries}  - { module: "${tools}/bash", id: outside, prefix: out_ }\n`;
    const { call, host } = await project(plan);
    expect(host.tools().find(({ name }) => name === "out_bash")?.requiresConfirmation).toBe("dynamic");
    expect(await call("out_bash", { command: "echo x > a.txt" })).toMatchObject({ status: "pending" });
    expect(await call("bash", { command: "echo x > a.txt" })).toMatchObject({ status: "ok" });
  });
});
