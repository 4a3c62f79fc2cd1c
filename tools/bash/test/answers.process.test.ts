import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Capture } from "../src/run/capture.ts";
import { showStream, wholeCharacters, withoutControls } from "../src/run/show-stream.ts";
import { scratch, shell } from "./world.ts";

/** What an answer shows of a stream. */
function shown(text: string | Buffer, limit: number) {
  const capture = new Capture(1_000_000);
  capture.add(Buffer.from(text));
  return showStream(capture, limit, "cmd_1");
}

const rest = "read the rest with bash_output, id cmd_1, or redirect the output to a file] ...";
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`.padStart(9, "0") + "\n").join("");

test.each<[string, string, number, string, string | null]>([
  ["of exactly the limit is whole", "x".repeat(100), 100, "x".repeat(100), null],
  [
    "of one byte more is its start and its end, each 40 % of the limit",
    "x".repeat(101),
    100,
    `${"x".repeat(40)}\n... [21 bytes left out; 101 bytes in all, the limit is 100; ${rest}\n${"x".repeat(40)}`,
    "21 bytes",
  ],
  [
    "of lines is cut between lines",
    lines(1, 20),
    100,
    `${lines(1, 4)}... [12 lines left out; 200 bytes in all, the limit is 100; ${rest}\n${lines(17, 20)}`,
    "12 lines",
  ],
  [
    "with long lines is cut in them, where lines would leave less than 20 %",
    `${"a".repeat(10)}\n${"b".repeat(500)}\n${"c".repeat(7)}\n`,
    100,
    `${"a".repeat(10)}\n${"b".repeat(29)}\n... [440 bytes left out; 520 bytes in all, the limit is 100; ${rest}\n${"b".repeat(31)}\n${"c".repeat(7)}\n`,
    "440 bytes",
  ],
  [
    "with lines of just 20 % is cut between lines",
    `${"a".repeat(11)}\n${"b".repeat(500)}\n${"c".repeat(7)}\n`,
    100,
    `${"a".repeat(11)}\n... [1 lines left out; 521 bytes in all, the limit is 100; ${rest}\n${"c".repeat(7)}\n`,
    "1 lines",
  ],
  [
    "of wide characters is cut between characters",
    "é".repeat(60),
    101,
    `${"é".repeat(20)}\n... [40 bytes left out; 120 bytes in all, the limit is 101; ${rest}\n${"é".repeat(20)}`,
    "40 bytes",
  ],
])("a stream %s", (_, text, limit, expected, left) => {
  expect(shown(text, limit)).toEqual({ text: expected, left });
});

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b[1;31;4mx\u001b[K", "x"],
  ["\u001b]0;title\u0007x", "x"],
  ["\u001b]8;;https://a.test\u001b\\x", "x"],
  ["\u001b]0;title", "\\x1b]0;title"],
  ["a\u0000b\u007fc\u0085d", "a\\x00b\\x7fc\\x85d"],
  ["a\tb\r\nc", "a\tb\r\nc"],
  ["\u0001[31mx", "\\x01[31mx"],
  ["é 😀", "é 😀"],
])("of %j a model reads %j", (text, expected) => {
  expect(withoutControls(text)).toBe(expected);
});

test.each([
  ["61", "61"],
  ["61c3", "61"],
  ["61c3a9", "61c3a9"],
  ["61e282", "61"],
  ["61e282ac", "61e282ac"],
  ["61f09f98", "61"],
  ["61f09f", "61"],
  ["61f0", "61"],
  ["f09f9880", "f09f9880"],
  ["6180808080", "6180808080"],
  ["", ""],
])("of the bytes %s whole characters are %s", (hex, expected) => {
  expect(wholeCharacters(Buffer.from(hex, "hex")).toString("hex")).toBe(expected);
});

/** What every answer has. */
const always = (tool: string) => ({ tool, fetchedAt: expect.any(String) as string });

test.each<[string, object, object]>([
  ["true", {}, { data: { stdout: "", stderr: "", returncode: 0 } }],
  ["printf out; printf err >&2; exit 7", {}, { data: { stdout: "out", stderr: "err", returncode: 7 } }],
  [
    "printf x; sleep 100",
    { timeout: 1 },
    {
      error: "Command timed out after 1 seconds",
      code: "COMMAND_TIMED_OUT",
      details: { stdout: "x", stderr: "" },
    },
  ],
  [
    "sudo ls",
    {},
    {
      error:
        'Command denied for safety: "sudo" is forbidden\n  Hint: do it without becoming another user or touching disks',
      code: "COMMAND_DENIED",
      details: { kind: "blocked" },
    },
  ],
])("the answer to %s is whole", async (command, more, expected) => {
  expect(await shell().bash.execute({ command, ...more })).toEqual({ ...always("bash"), ...expected });
});

test("a timeout above the largest is that one, and the answer says so; one of exactly the largest is taken", async () => {
  const tools = shell({ max_timeout: 5 });

  expect(await tools.bash.execute({ command: "true", timeout: 6 })).toMatchObject({
    warnings: ["timeout is 5 seconds: more is not allowed"],
  });
  expect(await tools.bash.execute({ command: "true", timeout: 5 })).not.toHaveProperty("warnings");
});

test("both cut streams say how large they were, and their rest can be read", async () => {
  const tools = shell({ max_output_bytes: 1_000 });
  const command = "printf '%03000d' 1; printf '%02000d' 2 >&2";
  const { data } = (await tools.bash.execute({ command })) as { data: Record<string, unknown> };

  expect(data).toMatchObject({ truncated: true, stdout_total_bytes: 3_000, stderr_total_bytes: 2_000 });
  const id = data["id"] as string;
  expect(id).toMatch(/^cmd_[\da-f]{12}$/);
  expect((await tools.bashOutput.execute({ id, offset: 2_990 })).data).toEqual({
    id,
    status: "exited",
    returncode: 0,
    stream: "stdout",
    content: "0000000001",
    offset: 2_990,
    next_offset: 3_000,
    total_bytes: 3_000,
  });
  expect((await tools.bashOutput.execute({ id, stream: "stderr", limit: 4 })).data).toMatchObject({
    content: "0000",
    next_offset: 4,
    total_bytes: 2_000,
  });
  // A command that did not run in the background is not listed.
  expect((await tools.bashList.execute({})).data).toEqual({ jobs: [] });
});

test("an output above the limit at which a command is ended is a failure with what it printed", async () => {
  const tools = shell({ stop_output_bytes: 1_000, max_output_bytes: 1_000 });

  expect(await tools.bash.execute({ command: "yes" })).toMatchObject({
    error: "Command ended: it printed more than 1000 bytes; redirect its output to a file, or print less",
    code: "OUTPUT_LIMIT",
    details: { truncated: true },
  });
});

test("a shell that is not there is a failure that says so, also in the background", async () => {
  const tools = shell({ shell: "/no/such/bash" });
  const failed = {
    error: expect.stringMatching(/^The shell could not be started: .*ENOENT/) as string,
    code: "SHELL_UNAVAILABLE",
  };

  expect(await tools.bash.execute({ command: "true" })).toMatchObject(failed);
  expect(await tools.bash.execute({ command: "true", run_in_background: true })).toMatchObject(failed);
});

test("limits of commands at one time are failures that name the limit", async () => {
  const tools = shell({ max_concurrent: 2, max_background: 1 });
  const behind = { command: "sleep 100", run_in_background: true };
  await tools.bash.execute(behind);

  expect(await tools.bash.execute(behind)).toEqual({
    ...always("bash"),
    error: "Command rejected: background command limit of 1 reached",
    code: "CONCURRENCY_LIMIT",
    details: { limit: 1 },
  });
  const folder = scratch();
  const command = `touch ${folder}/started; until [ -e ${folder}/go ]; do sleep 0.1; done`;
  const running = tools.bash.execute({ command });
  await expect.poll(() => existsSync(join(folder, "started"))).toBe(true);
  expect(await tools.bash.execute({ command: "true" })).toEqual({
    ...always("bash"),
    error: "Command rejected: concurrent command limit of 2 reached",
    code: "CONCURRENCY_LIMIT",
    details: { limit: 2 },
  });
  writeFileSync(join(folder, "go"), "");
  await running;
  expect(await tools.bash.execute({ command: "true" })).toMatchObject({ data: { returncode: 0 } });
});

test("a background command is started, listed and stopped, and an unknown id is not found", async () => {
  const tools = shell();
  const command = `sleep 100; : ${"x".repeat(300)}`;
  const { data: started } = (await tools.bash.execute({ command, run_in_background: true })) as {
    data: { id: string; pid: number };
  };
  const { id, pid } = started;

  expect(started).toEqual({
    id,
    pid,
    message: `Command started in background with PID ${pid}`,
    note: `Read it with bash_output, id ${id}; end it with bash_stop. It is ended when the host closes.`,
  });
  const listed = {
    id,
    pid,
    command: `${command.slice(0, 200)}…`,
    status: "running",
    returncode: null,
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    stdout_bytes: 0,
    stderr_bytes: 0,
  };
  expect((await tools.bashList.execute({})).data).toEqual({ jobs: [listed] });
  expect((await tools.bashStop.execute({ id })).data).toEqual({ id, status: "stopped", returncode: null });
  expect((await tools.bashList.execute({})).data).toEqual({ jobs: [{ ...listed, status: "stopped" }] });
  const missing = {
    error: "No command has the id cmd_0; it may have been dropped to make room. bash_list lists them",
    code: "JOB_NOT_FOUND",
    details: { id: "cmd_0" },
  };
  for (const tool of [tools.bashOutput, tools.bashStop])
    expect(await tool.execute({ id: "cmd_0" })).toEqual({ ...always(tool.name), ...missing });
});
