import type { FleetCall, Json, JsonObject, RunnerJob } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { meter } from "@toolmount/core/json";
import { z } from "zod";
import { maxMessageBytes } from "../far/messages.ts";
import { maxLevels } from "./answer.ts";
import { jobSubject, type Seal } from "./seal.ts";

const record = z.record(z.string(), z.unknown()) as z.ZodType<JsonObject>;
const text = z.string().optional();

/** The data that a worker needs to run a call. `state` has the session's values when the call was sent. */
export interface FleetJob extends Pick<RunnerJob, "info" | "arguments" | "timeoutMs"> {
  readonly state: JsonObject;
}

/** Checks the data that a host writes for a call, because others can write to the database, too. */
const fleetJob = z.strictObject({
  info: z.strictObject({
    callId: z.string(),
    runId: z.string(),
    tool: z.string(),
    depth: z.int().min(0),
    deadlineAt: z.number().optional(),
    parentRunId: text,
    sessionId: text,
    conversationId: text,
    turnId: text,
    userId: text,
    mode: text,
    parallelGroupId: text,
    traceparent: text,
  }),
  arguments: record,
  timeoutMs: z.number().min(0),
  state: record,
});

/** Reads the job of a call that a worker took. Throws an error that says why the worker does not run it. */
export function readJob(call: FleetCall, seal: Seal): FleetJob {
  if (call.unreadable !== undefined) throw new Error(call.unreadable);
  const problem = meter(call.job, maxMessageBytes, maxLevels);
  if (problem !== null) throw new Error(`it is ${problem}`);
  const read = fleetJob.safeParse(seal.open(jobSubject(call), call.job));
  if (!read.success) throw new Error(`it is not a job of this version: ${z.prettifyError(read.error)}`);
  if (read.data.info.tool !== call.tool) throw new Error("it is the job of another tool");
  return read.data as FleetJob;
}

/** Returns the job in the form in which it is stored in the ledger. */
export function writeJob(call: Omit<FleetCall, "attempt" | "host" | "job">, job: FleetJob, seal: Seal): Json {
  return seal.close(jobSubject(call), job as unknown as Json);
}

/** Returns what the host and the log say about a job that a worker refused. */
export function refusalOf(error: unknown): string {
  return `its job in the fleet's ledger was refused: ${messageOf(error)}`;
}
