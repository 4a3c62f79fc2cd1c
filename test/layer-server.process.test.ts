import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { entries, hasLayer, project, tools } from "./support/layer-project.ts";

/** A server of a few lines: it writes files, counts its calls, and runs scripts. */
const server = `
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const objectOf = (...names) => ({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const tools = [
  { name: "delete_and_write", description: "Writes a file.", inputSchema: objectOf("file", "text"), annotations: { destructiveHint: true } },
  { name: "run_script", description: "Runs a script.", inputSchema: objectOf("script") },
];
let calls = 0;
const does = {
  delete_and_write({ file, text }) { writeFileSync(file, text); return "call " + ++calls; },
  run_script: ({ script }) => new Function("require", "return (async () => {" + script + "})()")(process.getBuiltinModule("module").createRequire("/")),
};
const resultOf = async (method, params) => {
  if (method === "initialize") return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1.0.0" } };
  if (method === "tools/list") return { tools };
  return { content: [{ type: "text", text: String(await does[params.name](params.arguments)) }] };
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = await resultOf(method, params).then((result) => ({ result }), (error) => ({ error: { code: 1, message: String(error) } }));
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
}
`;

const entry = (command: string) =>
  `  - { module: own, source: { mcp: { ${command} } }, run: { in: layer } }\n`;

async function withServer(command = "command: node, args: [server.mjs]", prepare = (_: string) => {}) {
  const made = await project(`version: 1\nlayer: ./\ntools:\n${entries}`);
  await made.host.close();
  writeFileSync(join(made.folder, "server.mjs"), server);
  mkdirSync(join(made.folder, "node_modules/@toolmount"), { recursive: true });
  symlinkSync(join(tools, "../packages/mcp"), join(made.folder, "node_modules/@toolmount/mcp"));
  writeFileSync(
    join(made.folder, "mount-plan.yaml"),
    `version: 1\nlayer: ./\ntools:\n${entries}${entry(command)}`,
  );
  prepare(made.folder);
  const opened = await made.open();
  const write = async (file: string, text: string, sessionId?: string) => {
    const { data, error } = await opened.call("delete_and_write", { file, text }, sessionId);
    return error ?? data;
  };
  const run = async (script: string) => {
    const { data, error } = await opened.call("run_script", { script });
    return error ?? data;
  };
  return { ...made, ...opened, write, runIn: run };
}

describe.runIf(hasLayer)("an MCP server in a session's layer", () => {
  test("is one process for each session, whose files the shell sees and the person keeps; nothing is asked", async () => {
    const { bash, write, folder, layers, read, host } = await withServer();
    await bash("echo of the shell > shell.txt");

    expect(await write("a.txt", "of the server\n")).toBe("call 1");
    expect(await write("b.txt", "two\n")).toBe("call 2");
    expect(await write("a.txt", "of another\n", "other")).toBe("call 1");
    expect(await bash("cat a.txt b.txt")).toBe("of the server\ntwo\n");
    expect([read("a.txt"), existsSync(join(folder, "b.txt"))]).toEqual(["one\n", false]);

    const waiting = (await layers.waiting("s"))!;
    expect(waiting.changes.map(({ path }) => path)).toEqual(["a.txt", "b.txt", "shell.txt"]);
    expect([waiting.running, waiting.calls.map(({ tool }) => tool)]).toEqual([
      [],
      ["bash", "delete_and_write", "delete_and_write", "bash"],
    ]);
    expect((await layers.keep("s", { digest: waiting.digest, sections: ["files"] })).status).toBe("ok");
    expect(read("a.txt")).toBe("of the server\n");
    expect(await write("c.txt", "three")).toBe("call 1");
    await host.close();
  });

  test("sees what the person changed meanwhile, in a new process", async () => {
    const { runIn, run, write } = await withServer();
    const look = 'return require("fs").readFileSync("a.txt", "utf8")';
    expect(await write("b.txt", "")).toBe("call 1");
    expect(await runIn(look)).toBe("one\n");
    run("echo of the person > new; mv new a.txt");
    expect(await runIn(look)).toBe("of the person\n");
    expect(await write("b.txt", "")).toBe("call 1");
  });

  test("has no network and no files outside, also as an agent wrote it; nor has it the host's variables", async () => {
    const outside = await project();
    const listener = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    onTestFinished(() => void listener.close());
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    const { runIn, bash, write } = await withServer();
    await bash("sed -i 's/call /changed /' server.mjs");
    expect(await write("b.txt", "")).toBe("changed 1");
    const connect = `return new Promise((done) => require("net").connect(${port}, "127.0.0.1", () => done("connected")).on("error", (error) => done(error.code)))`;
    const read = `try { return require("fs").readFileSync("${outside.folder}/a.txt", "utf8") } catch (error) { return error.code }`;
    const plan = `try { require("fs").writeFileSync("mount-plan.yaml", ""); return "wrote" } catch (error) { return error.code }`;

    expect(await runIn(connect)).toMatch(/^E(?:CONNREFUSED|NETUNREACH|PERM)$/);
    expect([await runIn(read), await runIn(plan)]).toEqual(["ENOENT", "EROFS"]);
    expect(await runIn("return Object.keys(process.env).includes('VITEST')")).toBe("false");
  });

  test("may be a program of the project, on PATH, as of an installed package", async () => {
    const { call } = await withServer("command: own-server", (folder) => {
      const bin = join(folder, "node_modules/.bin");
      vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
      mkdirSync(bin);
      const script = '#!/bin/sh\nexec node "$(dirname "$0")/../../server.mjs"\n';
      writeFileSync(join(bin, "own-server"), script, { mode: 0o755 });
    });
    expect(await call("delete_and_write", { file: "a.txt", text: "" })).toMatchObject({ data: "call 1" });
  });

  test("that is killed in a call leaves its outcome unknown, and the next call has a new one", async () => {
    const { call, write, bash } = await withServer();
    const script = 'require("fs").writeFileSync("half.txt", "half"); process.kill(process.pid, "SIGKILL")';
    const lost = { status: "unknown", code: "MCP_CONNECTION_LOST" };
    expect(await call("run_script", { script })).toMatchObject(lost);
    expect(await write("b.txt", "")).toBe("call 1");
    expect(await bash("cat half.txt")).toBe("half");
  });

  test("is rehearsed whole, in a process of its own", async () => {
    const { host, write, bash } = await withServer();
    await write("a.txt", "real\n");
    const rehearsal = host.session("s").rehearse();
    const { result } = await rehearsal.call({
      name: "delete_and_write",
      arguments: { file: "made.txt", text: "rehearsed\n" },
    });
    expect(result).toMatchObject({ data: "call 1" });
    expect(rehearsal.calls.map(({ effects }) => effects)).toEqual([
      [{ target: "made.txt", change: "create", difference: expect.stringContaining("+rehearsed") }],
    ]);
    expect(await bash("cat a.txt; ls made.txt 2>&1 || true")).toContain("real\nls:");
    expect(await write("b.txt", "")).toBe("call 2");
  });
});
