import { readFile, stat } from "node:fs/promises";
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
