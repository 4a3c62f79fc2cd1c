import { join } from "node:path";
import { silentLogger, type ApprovalQuestion } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import { expect, test } from "vitest";
import { nodeFlags } from "./support/command.ts";
import { open } from "./support/world.ts";

const extensions = {
  "@toolmount/interop": interop,
  "@toolmount/mcp": mcp,
  "@toolmount/policy": policy,
};

const server = {
  command: process.execPath,
  args: [...nodeFlags, join(import.meta.dirname, "fixtures/odd-results-server.ts")],
};

/** Reads with a tool of the server, and writes to the value that it gave. Returns whether a person is asked. */
async function asks(read: string, value: string, results: readonly object[]) {
  const questions: ApprovalQuestion[] = [];
  const into = [{ match: { tool: "failed_plain" }, control: ["to"], from: ["structured", "trusted"] }];
  const plan = {
    version: 1,
    tools: [{ module: "odd", source: { mcp: server } }],
    policy: { flows: { results, into } },
  };
  const approver = (question: ApprovalQuestion) => (questions.push(question), { decision: "deny" as const });
  const host = await open(plan, { logger: silentLogger, approver, extensions });
  const context = { sessionId: "s", prompts: ["Do it."] };
  expect(await host.call({ name: read }, context)).toMatchObject({ status: "ok" });
  await host.call({ name: "failed_plain", arguments: { to: value } }, context);
  await host.close();
  return questions.length > 0;
}

const labels = { match: { server: "odd" }, trust: "_meta.ifc" };
const trust = (value: string) => ({ match: { server: "odd" }, trust: value });

test.each([
  ["of a result that has data only", "labelled_data", "A-17-B"],
  ["of a text", "labelled_text", "B-17-C"],
  ["of a block", "labelled_block", "C-17-D"],
])("a label %s lowers its trust, where the plan reads labels", async (_, tool, value) => {
  expect(await asks(tool, value, [trust("structured"), labels])).toBe(true);
  expect(await asks(tool, value, [trust("structured")])).toBe(false);
});

test("no label raises the trust", async () => {
  expect(await asks("trusted_text", "D-17-E", [trust("structured"), labels])).toBe(false);
  expect(await asks("trusted_text", "D-17-E", [trust("untrusted"), labels])).toBe(true);
  expect(await asks("trusted_text", "D-17-E", [labels])).toBe(true);
});
