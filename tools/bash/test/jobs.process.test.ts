import { expect, test } from "vitest";
import { ownSeconds, processesWith, shell } from "./world.ts";

const time = ownSeconds();

interface Started {
  readonly id: string;
  readonly pid: number;
}

async function started(tools: ReturnType<typeof shell>, command: string, context = {}, params = {}) {
  const result = await tools.bash.execute({ command, run_in_background: true, ...params }, context);
  expect(result.error).toBeUndefined();
  return result.data as Started;
}

test("a background command answers at once, with its process and how to go on", async () => {
  const tools = shell();
  const { id, pid } = await started(tools, "sleep 65.5");

  expect((await tools.bashList.execute({})).data).toEqual({
    jobs: [
      {
        id,
        pid,
        command: "sleep 65.5",
        status: "running",
        returncode: null,
        started_at: expect.any(String),
        stdout_bytes: 0,
        stderr_bytes: 0,
      },
    ],
  });
});

test("its output is followed from where the last answer ended", async () => {
  const tools = shell();
  const { id } = await started(
    tools,
    "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; echo three >&2; exit 4",
  );
  const first = (await tools.bashOutput.execute({ id, wait: 20 })).data as { next_offset: number };
  expect(first).toMatchObject({ status: "running", returncode: null, content: "one\n", next_offset: 4 });

  await tools.bash.execute({ command: "touch go" });
  const read = (stream: string, offset: number) => tools.bashOutput.execute({ id, stream, offset, wait: 20 });

  expect((await read("stdout", first.next_offset)).data).toMatchObject({ content: "two\n" });
  expect((await read("stdout", 8)).data).toMatchObject({ status: "exited", returncode: 4, content: "" });
  expect((await read("stderr", 0)).data).toMatchObject({ content: "three\n", total_bytes: 6 });
});

test("waiting ends when the caller gives up", async () => {
  const tools = shell();
  const { id } = await started(tools, "sleep 65.5");
  const caller = new AbortController();
  const waiting = tools.bashOutput.execute({ id, wait: 60 }, { abortSignal: caller.signal });
  setImmediate(() => caller.abort());

  expect((await waiting).data).toMatchObject({ status: "running", content: "" });
});

test("of an output that is larger than is kept, the start and the end are there, and what is missing is reported", async () => {
  const tools = shell({ keep_output_bytes: 200_000, max_output_bytes: 1000 });
  const { id } = await started(tools, "seq 1 200000");
  const { data } = await tools.bashOutput.execute({ id, offset: 10_000_000, wait: 20 });
  const { total_bytes: total } = data as { total_bytes: number };
  const page = async (offset: number) =>
    (await tools.bashOutput.execute({ id, offset, limit: 100 })).data as {
      content: string;
      missing_bytes?: number;
    };

  expect((await page(0)).content.startsWith("1\n2\n")).toBe(true);
  expect((await page(100_000)).missing_bytes).toBeGreaterThan(1_000_000);
  expect((await page(total - 14)).content).toBe("199999\n200000\n");
});

test("a background command is stopped with all that it started", async () => {
  const tools = shell();
  const { id } = await started(tools, `setsid sleep ${time} & nohup sleep ${time} & sleep ${time}`);

  expect((await tools.bashStop.execute({ id })).data).toEqual({ id, status: "stopped", returncode: null });
  expect(processesWith(time)).toEqual([]);
  expect((await tools.bashStop.execute({ id })).data).toEqual({ id, status: "stopped", returncode: null });
});

test("a background command with a timeout is ended by it", async () => {
  const tools = shell({ max_timeout: 0.2 });
  const { id } = await started(tools, "sleep 65.5", {}, { timeout: 1 });

  expect((await tools.bashOutput.execute({ id, wait: 20 })).data).toMatchObject({ status: "timed_out" });
});

test("one that ended by itself stays as it was when it is stopped", async () => {
  const tools = shell();
  const { id } = await started(tools, "exit 7");
  await tools.bashOutput.execute({ id, wait: 20 });

  expect((await tools.bashStop.execute({ id })).data).toEqual({ id, status: "exited", returncode: 7 });
});

test("another session can neither see, read nor stop it, and learns nothing of it", async () => {
  const tools = shell();
  const { id } = await started(tools, "sleep 65.5", { sessionId: "a" });
  const unknown = await tools.bashOutput.execute({ id: "cmd_none" }, { sessionId: "b" });

  for (const context of [{ sessionId: "b" }, {}]) {
    expect((await tools.bashList.execute({}, context)).data).toEqual({ jobs: [] });
    for (const tool of [tools.bashOutput, tools.bashStop]) {
      const { error, code } = await tool.execute({ id }, context);
      expect({ error, code }).toEqual({
        error: unknown.error!.replace("cmd_none", id),
        code: "JOB_NOT_FOUND",
      });
    }
  }
  expect((await tools.bashOutput.execute({ id }, { sessionId: "a" })).data).toMatchObject({
    status: "running",
  });
});

test("more in the background than allowed is rejected", async () => {
  const tools = shell({ max_background: 1 });
  await started(tools, "sleep 65.5");

  expect(await tools.bash.execute({ command: "ls", run_in_background: true })).toMatchObject({
    error: "Command rejected: background command limit of 1 reached",
    code: "CONCURRENCY_LIMIT",
  });
  expect(await tools.bash.execute({ command: "ls" })).toHaveProperty("data");
});

test("closing ends all of it", async () => {
  const tools = shell();
  await started(tools, `trap '' TERM; while :; do sleep ${time}; done`);
  await started(tools, `setsid sleep ${time}`);
  await tools.close();

  expect(processesWith(time)).toEqual([]);
});
