import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createMemoryStore, isToolmountError, type ApprovalAnswer } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { parseTape, type TapeCall } from "@toolmount/tape";
import type { OpenHostOptions, OpenedPlan, PlanInput } from "@toolmount/loader";
import type { PlanReplay } from "./read.ts";

/** The result of a replay. */
export interface ReplayReport {
  readonly test: PlanReplay;
  /** Number of calls that were made again. */
  readonly calls: number;
  /** Differences from the tape; empty if the test passes. */
  readonly problems: readonly string[];
}

/**
 * Makes the calls of a tape again, in order, on a separate host, and compares them with the tape. No tool runs. A call
 * that a person approved or denied then is approved or denied now, if the plan still asks.
 */
export async function runReplay(
  test: PlanReplay,
  input: PlanInput,
  { folder }: OpenedPlan,
  options: OpenHostOptions,
): Promise<ReplayReport> {
  const file = resolve(folder, test.file);
  try {
    const { calls } = parseTape(await readFile(file, "utf8"));
    const made = calls.filter(({ nested }) => nested !== true);
    return { test, calls: made.length, problems: await makeAgain(made, file, input, options) };
  } catch (error) {
    // A plan that cannot be opened has nothing to compare. A missing tape is a problem of this test.
    if (isToolmountError(error) && error.code === "PLAN_INVALID") throw error;
    return { test, calls: 0, problems: [`${test.file}: ${messageOf(error)}`] };
  }
}

async function makeAgain(
  calls: readonly TapeCall[],
  file: string,
  input: PlanInput,
  options: OpenHostOptions,
): Promise<readonly string[]> {
  const { openHost } = await import("@toolmount/loader");
  let answer: ApprovalAnswer = { decision: "deny" };
  const host = await openHost(input, {
    ...options,
    replay: file,
    store: createMemoryStore(),
    approver: () => answer,
  });
  try {
    for (const call of calls) {
      answer = answerOf(call);
      await host.call({ name: call.tool, arguments: call.arguments as never }, { sessionId: "replay" });
    }
    return host.replayDifferences();
  } finally {
    await host.close();
  }
}

function answerOf({ result }: TapeCall): ApprovalAnswer {
  const wasDenied = "error" in result && result.code === "DENIED";
  return { decision: wasDenied ? "deny" : "approve", by: "the tape" };
}
