import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import fc from "fast-check";
import { hookEnvironment } from "../src/hook-environment.ts";
import { readHookAnswer } from "../src/hook-wire.ts";
import { tool, world } from "./world.ts";

const note = tool("note", { category: "write" });
const call = { name: "note", arguments: { text: "hello" } };
const context = { sessionId: "s-1" };

/** A host whose calls a program is asked about: `script` is JavaScript that has the call as `input`. */
async function hooked(script: string, hook: Record<string, unknown> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-hook-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "hook.mjs");
  await writeFile(
    file,
    `const chunks = []; for await (const chunk of process.stdin) chunks.push(chunk);
const text = Buffer.concat(chunks).toString(); const input = JSON.parse(text);\n${script}`,
  );
  const command = [process.execPath, file];
  const { host, events } = await world({ commandHooks: [{ command, timeout: 60_000, ...hook }] }, [note]);
  return { host, events, folder };
}

const say = (answer: object) => `process.stdout.write(JSON.stringify(${JSON.stringify(answer)}));`;
const decide = (permissionDecision: string, more: object = {}) =>
  say({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision,
      permissionDecisionReason: "so",
      ...more,
    },
  });

describe("a command hook speaks the protocol of Claude Code's hooks", () => {
  test("it reads the call as JSON on standard input, in the plan's folder, with few variables", async () => {
    const { host, folder } = await hooked(
      `const { writeFileSync } = await import("node:fs");
       writeFileSync(process.env.OUT, JSON.stringify({ input, env: Object.keys(process.env).sort() }));`,
      {},
    );
    const out = join(folder, "out.json");
    const { host: second } = await world(
      {
        commandHooks: [
          { command: [process.execPath, join(folder, "hook.mjs")], timeout: 60_000, env: { OUT: out } },
        ],
      },
      [note],
    );
    expect((await second.call(call, context)).status).toBe("ok");
    const { input, env } = JSON.parse(await readFile(out, "utf8")) as { input: object; env: string[] };

    expect(input).toMatchObject({
      session_id: "s-1",
      hook_event_name: "PreToolUse",
      tool_name: "note",
      tool_input: { text: "hello" },
      tool_use_id: expect.any(String),
    });
    expect(env).toContain("PATH");
    expect(env).toContain("OUT");
    expect(env.filter((name) => /^(?:npm_|VITEST|NODE_)/.test(name))).toEqual([]);
    await host.close();
  });

  test.each([
    ["exit code 0", "", "ok"],
    ["exit code 0 with text that is no JSON", "console.log('all is well')", "ok"],
    ["exit code 2", "console.error('not on Fridays'); process.exitCode = 2", "denied"],
    ["permissionDecision allow", decide("allow"), "ok"],
    ["permissionDecision deny", decide("deny"), "denied"],
    ["permissionDecision ask", decide("ask"), "pending"],
    ["decision approve, of older scripts", say({ decision: "approve" }), "ok"],
    ["decision block, of older scripts", say({ decision: "block", reason: "so" }), "denied"],
    ["decision deny, of Gemini CLI", say({ decision: "deny", reason: "so" }), "denied"],
    ["continue: false", say({ continue: false, stopReason: "so" }), "denied"],
    ["continue: false without a reason", say({ continue: false }), "denied"],
  ])("%s", async (_title, script, status) => {
    const { host } = await hooked(script);
    const outcome = await host.call(call, context);

    expect(outcome.status).toBe(status);
    if (status === "denied")
      expect(outcome.result.error).toMatch(/not on Fridays|so$|a hook stopped the call$/);
  });

  test("updatedInput changes the arguments, which the tool's schema parses again", async () => {
    const { host } = await hooked(decide("allow", { updatedInput: { text: "goodbye" } }));

    expect((await host.call(call, context)).result).toMatchObject({ data: { text: "goodbye" } });
  });

  test("an allow does not lift a question of the plan", async () => {
    const { host } = await hooked(decide("allow"));
    const asking = await world({ ask: ["note"] }, [note]);

    expect((await host.call(call, context)).status).toBe("ok");
    expect((await asking.host.call(call, context)).status).toBe("pending");
  });

  test("after a call, exit code 2 gives the reason to the model beside the result", async () => {
    const script =
      "console.error(`checked ${input.hook_event_name} ${input.tool_response.data.text}`); process.exitCode = 2";
    const { host } = await hooked(script, { events: ["tool:post"] });
    const outcome = await host.call(call, context);

    expect(outcome.status).toBe("ok");
    expect(JSON.stringify(outcome)).toContain("checked PostToolUse hello");
  });

  test("it may end without reading the call", async () => {
    const { host } = await hooked("", { command: [process.execPath, "-e", "process.exit(0)"] });
    const long = { name: "note", arguments: { text: "x".repeat(500_000) } };

    expect((await host.call(long, context)).status).toBe("ok");
  });

  test("it runs for the tools that it names only", async () => {
    const { host } = await hooked("process.exitCode = 2", { tools: ["write_*"] });

    expect((await host.call(call, context)).status).toBe("ok");
  });
});

test("a hook gets the variables that programs need, the plan's folder and its own, and no other", () => {
  const needed = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT"];
  for (const name of [...needed, "AWS_SECRET"]) vi.stubEnv(name, `the ${name}`);
  const env = hookEnvironment({ OWN: "1", TZ: "UTC" }, "/plan");

  expect(env).toEqual({
    ...Object.fromEntries(needed.map((name) => [name, `the ${name}`])),
    CLAUDE_PROJECT_DIR: "/plan",
    GEMINI_PROJECT_DIR: "/plan",
    OWN: "1",
    TZ: "UTC",
  });
});

describe("a command hook that fails denies the call", () => {
  const failures: [string, string, Record<string, unknown>, RegExp][] = [
    ["another exit code", "console.error('no jq here'); process.exitCode = 1", {}, /exit code 1: no jq here/],
    ["a signal", "process.kill(process.pid, 'SIGKILL')", {}, /the signal SIGKILL ended it/],
    ["a timeout", "setInterval(() => {}, 1000)", { timeout: 400 }, /ran longer than 400 ms/],
    ["too much output", "process.stdout.write('x'.repeat(200_000))", {}, /wrote more than 65536 bytes/],
    ["JSON that is broken", "process.stdout.write('{\"decision\":')", {}, /not as hooks answer/],
    [
      "an unknown decision",
      say({ hookSpecificOutput: { permissionDecision: "maybe" } }),
      {},
      /not as hooks answer/,
    ],
    ["a question with changed arguments", decide("ask", { updatedInput: {} }), {}, /one of the two/],
    [
      "a program that is not there",
      "",
      { command: ["/no/such/program", "--now"] },
      /the hook \/no\/such\/program --now failed: .*ENOENT/,
    ],
  ];
  test.each(failures)("%s", async (_title, script, hook, reason) => {
    const { host } = await hooked(script, hook);
    const outcome = await host.call(call, context);

    expect(outcome.status).toBe("denied");
    expect(outcome.result.error).toMatch(reason);
  });

  test("unless the plan says otherwise", async () => {
    const { host } = await hooked("process.exitCode = 1", { onFailure: "allow" });

    expect((await host.call(call, context)).status).toBe("ok");
  });

  test("its children are killed with it", async () => {
    const { host, folder } = await hooked("", {
      command: "sleep 600 & echo $! > child; wait",
      timeout: 2_000,
    });
    host.coordinator.registerCapability("session.working_dir", folder);
    const { status } = await host.call(call, context);
    const child = Number(await readFile(join(folder, "child"), "utf8"));

    expect(status).toBe("denied");
    expect(await isGone(child)).toBe(true);
  });
});

test.runIf(process.platform === "linux")("a hook does not outlive a host that is killed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-hook-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pidFile = join(folder, "pid");
  const hook = {
    command: `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`,
    timeout: 600_000,
  };
  const program = `
    const { world, tool } = await import(${JSON.stringify(import.meta.resolve("./world.ts"))});
    const { host } = await world({ commandHooks: [${JSON.stringify(hook)}] }, [tool("note")]);
    await host.call(${JSON.stringify(call)});
  `;
  const flags = ["-C", "@toolmount/source", "--input-type=module", "--eval", program];
  const host = spawn(process.execPath, flags, { stdio: "ignore" });
  onTestFinished(() => void host.kill("SIGKILL"));
  await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), { timeout: 60_000, interval: 20 });
  const pid = Number(await readFile(pidFile, "utf8"));

  host.kill("SIGKILL");

  await vi.waitFor(async () => expect(await isGone(pid)).toBe(true), { timeout: 60_000, interval: 20 });
});

/** A killed process may still be there for a moment, as a zombie. */
async function isGone(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return state === "" || /\) Z /.test(state);
}

test("whatever a hook writes, the call is allowed only by an answer that says so", () => {
  const said = fc.oneof(fc.string(), fc.json());
  fc.assert(
    fc.property(said, fc.integer({ min: 0, max: 255 }), (stdout, code) => {
      const answer = readHookAnswer({ kind: "exit", code, stdout, stderr: "" }, "tool:pre", {});
      if (code === 2) expect(answer).toMatchObject({ result: { action: "deny" } });
      else if (code !== 0) expect(answer).toHaveProperty("failure");
      else expect("failure" in answer || typeof answer.result.action === "string").toBe(true);
    }),
  );
});
