import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { parseTape } from "@toolmount/tape";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const tool = (description: string) => `
import { data, defineTool } from "@toolmount/core";
import { appendFileSync } from "node:fs";
import { z } from "zod";
export const note = defineTool({
  name: "note", description: "${description} Use in tests.",
  schema: z.strictObject({ text: z.string(), token: z.string().optional() }),
  category: "write", consequenceLevel: "low", requiresConfirmation: false,
  execute: ({ text }) => { appendFileSync(process.env.RAN, "ran\\n"); return data("noted " + text); },
});
`;
const plan = "version: 1\ntools:\n  - module: ./note.ts\n";

test("a host records its calls in a file of its owner, and another host answers from it without a tool", async () => {
  const { path } = await workspace({ "plan.yaml": plan, "note.ts": tool("Notes."), ran: "" });
  process.env["RAN"] = path("ran");
  const file = path("calls.tape");
  const secrets = ["sk-live-123456"];
  const first = await openHost(path("plan.yaml"), { record: file, secrets });
  await first.call({ name: "note", arguments: { text: "with sk-live-123456", token: "t-1" } });
  const outcome = await first.call({ name: "note", arguments: { text: "b" } });
  await first.close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, "utf8");
  expect(text).not.toMatch(/sk-live|t-1/);
  expect(text.split("\n")).toHaveLength(4);

  const second = await openHost(path("plan.yaml"), { replay: file, secrets });
  await second.call({ name: "note", arguments: { text: "with sk-live-123456", token: "t-1" } });
  expect(second.replayDifferences()).toEqual(['call 2 of the tape was not made: note {"text":"b"}']);
  const again = await second.call({ name: "note", arguments: { text: "b" } });
  expect(again.result.data).toBe(outcome.result.data);
  expect(second.replayDifferences()).toEqual([]);
  await second.reload();
  await second.call({ name: "note", arguments: { text: "c" } });
  expect(second.replayDifferences()).toEqual([
    'call 3: note {"text":"c"} is not on the tape, which has ended',
  ]);
  await second.close();
  expect(await readFile(path("ran"), "utf8")).toBe("ran\nran\n");
});

test("a recording is never overwritten, and a file that is no tape is refused with its line", async () => {
  const { path } = await workspace({ "plan.yaml": plan, "note.ts": tool("Notes."), "calls.tape": "{}\n" });
  await expect(openHost(path("plan.yaml"), { record: path("calls.tape") })).rejects.toMatchObject({
    code: "RECORD_FAILED",
  });
  await expect(openHost(path("plan.yaml"), { replay: path("calls.tape") })).rejects.toMatchObject({
    code: "REPLAY_INVALID",
    details: { problem: "line 1: the first line is not the header of a tape" },
  });
  await expect(openHost(path("plan.yaml"), { replay: path("none.tape") })).rejects.toMatchObject({
    code: "REPLAY_INVALID",
  });
});

/** A host that makes forty calls of about 150 bytes each, beside the recorded one. */
const recording = `
import { openHost } from "@toolmount/loader";
import { z } from "zod";
const errors = [];
const logger = { debug() {}, info() {}, warn() {}, error: (_, text) => void errors.push(text), child: () => logger };
const echo = {
  name: "echo", description: "Echoes. Use in tests.", schema: z.object({ text: z.string() }),
  category: "read", consequenceLevel: "low", requiresConfirmation: false,
  execute: async ({ text }) => ({ data: text }),
};
const host = await openHost({ tools: [{ module: "m" }] }, { logger, extensions: { m: { tool: echo } }, record: process.argv[1] });
const statuses = new Set();
for (let at = 0; at < 40; at++)
  statuses.add((await host.call({ name: "echo", arguments: { text: at + "x".repeat(100) } })).status);
await host.close();
console.log(JSON.stringify({ statuses: [...statuses], errors }));
`;

test("a disk that is full in the middle of a line ends the recording there: the calls go on, and the tape is whole", async () => {
  const { path } = await workspace({});
  const file = path("calls.tape");
  // The largest file of the process: 4 blocks. The write that reaches it is done in part, as on a full disk.
  const limited = 'ulimit -f 4; exec "$0" --conditions=@toolmount/source --input-type=module -e "$1" "$2"';
  const { stdout } = await promisify(execFile)("bash", ["-c", limited, process.execPath, recording, file], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_COMPILE_CACHE: "", NODE_DISABLE_COMPILE_CACHE: "1" },
  });

  const { statuses, errors } = JSON.parse(stdout) as { statuses: string[]; errors: string[] };
  expect(statuses).toEqual(["ok"]);
  expect(errors).toEqual(["the recording ends here: a call could not be written"]);
  const text = await readFile(file, "utf8");
  expect(text.length % 512).toBe(0);
  expect(text.endsWith("\n")).toBe(false);
  const { calls } = parseTape(text);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.map(({ order }) => order)).toEqual(calls.map((_, at) => at + 1));
});
