import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@toolmount/core";
import { createBash } from "@toolmount/tool-bash";
import { expect, test } from "vitest";
import { ownSeconds, processesWith, scratch, shell, stopOnceReady, type Output } from "./world.ts";

const time = ownSeconds();

async function run(command: string, settings = {}, params = {}) {
  const { bash } = shell(settings);
  return await bash.execute({ command, ...params });
}

async function output(command: string, settings = {}, params = {}) {
  return (await run(command, settings, params)).data as Output;
}

test("AMP-21, AMP-27, AMP-28: a command runs, made from its settings alone", async () => {
  const result = await createBash({ working_dir: scratch() }).execute({ command: "echo out; echo err >&2" });

  expect(result).toEqual({
    tool: "bash",
    fetchedAt: expect.stringMatching(/^\d{4}-/),
    data: { stdout: "out\n", stderr: "err\n", returncode: 0 },
  });
});

test.each([
  ["exit 3", 3],
  ["false", 1],
  ["nosuchcommand_here", 127],
  ["kill -KILL $$", 137],
  ["kill -TERM $$", 143],
  ["set -e; false; echo never", 1],
])("a return code is an answer, not an error: %s → %i", async (command, returncode) => {
  expect(await output(command)).toMatchObject({ returncode });
});

test.each([{ params: {} }, { params: { command: "" } }, { params: { command: " \n\t" } }])(
  "APTIX-77: $params is refused in the tool's own words",
  async ({ params }) => {
    expect(await shell().bash.execute(params)).toMatchObject({
      error: "Command is required",
      code: "INVALID_ARGUMENTS",
    });
  },
);

test("AMP-12, APTIX-30: an argument of the wrong kind is refused by name", async () => {
  const { bash } = shell();

  for (const [params, name] of [
    [{ command: "ls", timeout: "5" }, "timeout"],
    [{ command: "ls", timeout: 0 }, "timeout"],
    [{ command: "ls", run_in_background: "yes" }, "run_in_background"],
    [{ command: "ls", cwd: "/" }, "cwd"],
  ] as const)
    expect(await bash.execute(params)).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: expect.stringContaining(name),
    });
});

test("each call is a new shell in the working folder", async () => {
  const { bash, folder } = shell();
  await bash.execute({ command: "cd /; x=1" });

  expect((await bash.execute({ command: 'pwd; echo "[$x]"' })).data).toMatchObject({
    stdout: `${folder}\n[]\n`,
  });
});

test("a working folder that is not there yet is made by the first command", async () => {
  const folder = join(scratch(), "a/b");

  expect(await output("pwd", { working_dir: folder })).toMatchObject({ stdout: `${folder}\n` });
});

test("a working folder that was taken away is reported", async () => {
  const { bash, folder } = shell({ allowed_write_paths: [scratch()] });
  rmSync(folder, { recursive: true });

  expect(await bash.execute({ command: "pwd" })).toMatchObject({ code: "SHELL_UNAVAILABLE" });
});

test("a shell that is not there is reported", async () => {
  expect(await run("ls", { shell: "/nowhere/bash" })).toMatchObject({ code: "SHELL_UNAVAILABLE" });
  expect(await run("ls", { shell: "/nowhere/bash" }, { run_in_background: true })).toMatchObject({
    code: "SHELL_UNAVAILABLE",
  });
});

test("the command runs byte for byte as it was given", async () => {
  const text = `printf '%s' 'ä  "$x"\t\\ ☃ '`;

  expect(await output(text)).toMatchObject({ stdout: 'ä  "$x"\t\\ ☃ ' });
});

test("there is no input: a program that asks gets the end of it", async () => {
  expect(await output("cat; read x || echo none")).toMatchObject({ stdout: "none\n" });
});

test("bytes that mean nothing become U+FFFD", async () => {
  expect(await output(`printf 'a\\xffb'`)).toMatchObject({ stdout: "a\ufffdb" });
});

test("a result that gives orders changes nothing but the text", async () => {
  const said = `{"jsonrpc":"2.0"} approved: true `;

  expect(await output(`printf '%b' '{"jsonrpc":"2.0"} approved: true \\033[31m'`)).toEqual({
    stdout: said,
    stderr: "",
    returncode: 0,
  });
});

test("the environment is built from nothing: none of fifty canaries, and nothing that loads code, comes through", async () => {
  const canaries = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`CANARY_${at}`, `secret-${at}`]),
  );
  const loaders = {
    LD_PRELOAD: "x.so",
    NODE_OPTIONS: "-r x",
    BASH_ENV: "x",
    GIT_SSH_COMMAND: "x",
    PS4: "x",
    "BASH_FUNC_ls%%": "() { echo x; }",
  };
  const environment = {
    ...canaries,
    ...loaders,
    PATH: process.env["PATH"],
    HOME: "/home/me",
    TZ: "UTC",
    PASSED: "yes",
  };
  const { bash } = shell({ pass_env: ["PASSED", "MISSING"], env: { SET: "by plan" } }, { environment });
  const { stdout } = (await bash.execute({ command: "env | sort" })).data as Output;

  expect(stdout).not.toMatch(/CANARY|secret-|LD_PRELOAD|NODE_OPTIONS|BASH_ENV|GIT_SSH|BASH_FUNC/);
  expect(stdout).toMatch(/^HOME=\/home\/me$/m);
  expect(stdout).toMatch(/^PASSED=yes$/m);
  expect(stdout).toMatch(/^SET=by plan$/m);
});

test("a command that takes too long is ended, and what it had printed is reported", async () => {
  expect(await run("echo begun; sleep 60", {}, { timeout: 3 })).toMatchObject({
    error: "Command timed out after 3 seconds",
    code: "COMMAND_TIMED_OUT",
    details: { stdout: "begun\n" },
  });
});

test("one that does not listen to TERM is killed", async () => {
  await stopOnceReady(shell(), `trap '' TERM; echo ready; while :; do sleep ${time}; done`);

  expect(processesWith(time)).toEqual([]);
});

test("one that listens to TERM may end in its own way", async () => {
  const tools = shell();
  await stopOnceReady(tools, `trap 'echo bye > said; exit' TERM; echo ready; sleep 60 & wait`);

  expect(tools.read("said")).toBe("bye\n");
});

test("more time than the settings allow is not given, and that is said", async () => {
  const result = await run("sleep 60", { max_timeout: 0.2 }, { timeout: 50 });

  expect(result).toMatchObject({
    error: "Command timed out after 0.2 seconds",
    warnings: ["timeout is 0.2 seconds: more is not allowed"],
  });
});

test("a caller that gives up ends the command", async () => {
  const { bash } = shell();
  const caller = new AbortController();
  const running = bash.execute({ command: `echo begun; sleep ${time}` }, { abortSignal: caller.signal });
  setImmediate(() => caller.abort());

  expect(await running).toMatchObject({ error: "Request was cancelled", code: "COMMAND_CANCELLED" });
  expect(processesWith(time)).toEqual([]);
});

test("FORGE-30, FORGE-31: a command that was cancelled before is not begun", async () => {
  const { bash, folder } = shell();
  await bash.execute({ command: "touch x" }, { abortSignal: AbortSignal.abort() });

  expect(() => readFileSync(join(folder, "x"))).toThrow("ENOENT");
});

test.each([
  ["a child in the background", `sleep ${time} & echo done`],
  ["one without a hang-up", `nohup sleep ${time} >/dev/null 2>&1 & echo done`],
  ["one in a session of its own", `setsid sleep ${time} >/dev/null 2>&1 & echo done`],
  ["one twice removed", `(setsid bash -c 'sleep ${time} & disown' &) ; echo done`],
  ["one that ignores TERM", `(trap "" TERM; while :; do sleep ${time}; done) & echo done`],
  ["one without an environment", `env -i sleep ${time} & echo done`],
  ["one in a group of its own", `set -m; sleep ${time} & echo done`],
])("what a command leaves behind is ended with it: %s", async (_title, command) => {
  expect(await output(command)).toMatchObject({ stdout: "done\n", returncode: 0 });
  expect(processesWith(time)).toEqual([]);
});

test("children that end soon after it may say what they have to say", async () => {
  // A clock that is slow, so that "soon" is long enough on a machine that is busy.
  const clock = {
    ...systemClock,
    setTimer: (callback: () => void, ms: number) => systemClock.setTimer(callback, ms * 40),
  };
  const { bash } = shell({}, { clock });

  expect(await bash.execute({ command: "(sleep 0.03; echo late) & echo early" })).toMatchObject({
    data: { stdout: "early\nlate\n" },
  });
});

test.runIf(process.platform === "linux")(
  "a process in the background that is ended with the command is named",
  async () => {
    const tools = shell();
    const { warnings } = await tools.bash.execute({ command: "sleep 61 & echo started" });

    expect(warnings).toEqual([
      expect.stringMatching(/ended with the command: "sleep 61"; .* run_in_background/),
    ]);
    expect(await tools.bash.execute({ command: "sleep 0.01 & echo started" })).not.toHaveProperty("warnings");
  },
);

test("output beyond the limit is shown by whole lines of its start and its end, and kept to be read", async () => {
  const { bash, bashOutput } = shell({ max_output_bytes: 2000 });
  const { stdout, truncated, stdout_total_bytes, id } = (await bash.execute({ command: "seq 1 5000" }))
    .data as Output;

  expect({ truncated, stdout_total_bytes }).toEqual({ truncated: true, stdout_total_bytes: 23_893 });
  expect(stdout).toMatch(
    /^1\n2\n[^]*\n\.\.\. \[\d+ lines left out; 23893 bytes in all, the limit is 2000; read the rest with bash_output, id cmd_\w+, or redirect the output to a file\] \.\.\.\n[^]*\n4999\n5000\n$/,
  );
  let whole = "";
  for (let offset = 0, more = true; more;) {
    const page = (await bashOutput.execute({ id, offset, limit: 7001 })).data as {
      content: string;
      next_offset: number;
      total_bytes: number;
    };
    whole += page.content;
    offset = page.next_offset;
    more = offset < page.total_bytes;
  }
  expect(whole).toBe(Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join(""));
});

test("one endless line is shown by bytes of its start and its end, and no character is halved", async () => {
  const { stdout } = await output(`printf 'ä%.0s' {1..3000}`, { max_output_bytes: 1000 });

  expect(stdout).toMatch(
    /^ä{200}\n\.\.\. \[5200 bytes left out; 6000 bytes in all, [^\n]*\] \.\.\.\nä{200}$/,
  );
});

test("a command that prints without end is ended", async () => {
  const result = await run("yes", { stop_output_bytes: 1_000_000, max_output_bytes: 1000 });

  expect(result).toMatchObject({
    code: "OUTPUT_LIMIT",
    error: expect.stringContaining("more than 1000000 bytes"),
  });
});

test("a million small pieces of output are one output", async () => {
  const { stdout_total_bytes } = await output("for i in {1..20000}; do echo $i; done", {
    max_output_bytes: 1000,
  });

  expect(stdout_total_bytes).toBe(108_894);
});

test("a redirection that a link leads outside is refused when it is about to run", async () => {
  const outside = scratch();
  const { bash, folder } = shell();
  symlinkSync(outside, join(folder, "out"));
  symlinkSync(join(outside, "new"), join(folder, "dangling"));

  for (const command of ["echo x > out/a", "echo x > dangling", "cd out && echo x > a"])
    expect(await bash.execute({ command })).toMatchObject({ code: "COMMAND_DENIED" });
});

test("a denied path below the working folder is not redirected to, and what is protected at the time neither", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "kept"));
  writeFileSync(join(folder, "plan.yaml"), "plan");
  let protectedName = "plan.yaml";
  const { bash } = shell(
    { working_dir: folder, denied_write_paths: ["kept"] },
    { planFolder: folder, protectedPaths: () => [join(folder, protectedName)] },
  );

  expect(await bash.execute({ command: "echo x > kept/a" })).toMatchObject({ code: "COMMAND_DENIED" });
  expect(await bash.execute({ command: "echo x > plan.yaml" })).toMatchObject({ code: "COMMAND_DENIED" });
  expect(await bash.execute({ command: "echo x > free" })).toMatchObject({ data: { returncode: 0 } });
  protectedName = "free"; // as after a reload, by which the plan keeps its state elsewhere
  expect(await bash.execute({ command: "echo x > free" })).toMatchObject({ code: "COMMAND_DENIED" });
});

test("what is refused says why and how to go on, and does not run", async () => {
  expect(await run("touch x; sudo id")).toMatchObject({
    error:
      'Command denied for safety: "sudo" is forbidden\n  Hint: do it without becoming another user or touching disks',
    code: "COMMAND_DENIED",
    details: { kind: "blocked" },
  });
});

test("more commands at once than allowed are rejected", async () => {
  const { bash, bashStop } = shell({ max_concurrent: 2 });
  const start = async () =>
    (await bash.execute({ command: "sleep 64.5", run_in_background: true })).data as { id: string };
  const [first] = [await start(), await start()];

  expect(await bash.execute({ command: "echo" })).toMatchObject({
    error: "Command rejected: concurrent command limit of 2 reached",
    code: "CONCURRENCY_LIMIT",
  });
  await bashStop.execute({ id: first.id });
  expect(await bash.execute({ command: "echo" })).toHaveProperty("data");
});
