import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, silentLogger, type ToolOutcome, type JsonObject } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { parse, stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import * as policies from "@toolmount/policy";
import { mount } from "./office.ts";

interface Wish {
  readonly wish: string;
  readonly policy?: JsonObject;
  readonly mode?: string;
  readonly prompt?: string;
  readonly calls: readonly (readonly [
    user: string | null,
    tool: string,
    given: JsonObject,
    answer: string,
  ])[];
}

const wishes = parse(readFileSync(join(import.meta.dirname, "wishes.yaml"), "utf8")) as readonly Wish[];

test.each(wishes)("$wish", async ({ policy, mode, prompt, calls }) => {
  const plan = {
    version: 1,
    tools: [{ module: "office" }],
    ...(policy && { policy }),
  };
  const host = await open(stringify(plan));
  const answers: unknown[] = [];
  for (const [user, name, given] of calls) {
    const outcome = await host.call(
      { name, arguments: given },
      {
        sessionId: "s",
        turnId: "t",
        userId: user ?? undefined,
        mode,
        prompts: prompt === undefined ? [] : [prompt],
      },
    );
    answers.push([user, name, given, answerOf(outcome)]);
  }

  expect(answers).toEqual(calls);
});

test("there are forty wishes, and at most four lines are written for each", () => {
  expect(wishes).toHaveLength(40);
  for (const { policy = {} } of wishes) expect(Object.values(policy).flat().length).toBeLessThanOrEqual(4);
});

async function open(plan: string) {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-wishes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "plan.yaml"), plan);
  const host = await openHost(join(folder, "plan.yaml"), {
    logger: silentLogger,
    store: createMemoryStore(),
    extensions: { office: { mount }, "@toolmount/policy": policies },
  });
  onTestFinished(async () => void (await host.close()));
  return host;
}

function answerOf({ status, result }: ToolOutcome): string {
  if (status === "ok") return (result.data as JsonObject)["suppressed"] === true ? "again" : "allow";
  return status === "pending" ? "ask" : status === "denied" ? "deny" : status;
}
