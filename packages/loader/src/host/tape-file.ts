import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import { createRedactor, redactArguments, type Redactor } from "@toolmount/core/text";
import type { Host, Json, JsonObject } from "@toolmount/core";
import {
  createReplay,
  parseTape,
  printTapeAnswer,
  printTapeCall,
  recordCalls,
  tapeHeader,
  type Replay,
} from "@toolmount/tape";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { ResolvedOptions } from "./defaults.ts";

/** Reads the recording that the option `replay` names; null without this option. Rejects with `REPLAY_INVALID`. */
export async function readReplay({ replay, cwd, secrets }: ResolvedOptions): Promise<Replay | null> {
  if (replay === undefined) return null;
  const file = resolve(cwd, replay);
  try {
    return createReplay(parseTape(await readFile(file, "utf8")), createRedactor(secrets));
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file, problem: messageOf(cause) }, { cause });
  }
}

/**
 * Records calls and a model's answers in a new file that only its owner can read. Returns a function that ends this. Throws
 * `RECORD_FAILED` if the file exists.
 */
export function startRecording(host: Host, { record, cwd, secrets, logger }: ResolvedOptions): () => void {
  if (record === undefined) return () => {};
  const redact = createRedactor(secrets);
  if (typeof record === "function") return recordLines(host, redact, record);
  const file = resolve(cwd, record);
  const descriptor = createTape(file);
  let isCut = false;
  const write = (line: string) => {
    if (isCut) return;
    try {
      writeFileSync(descriptor, `${line}\n`);
    } catch (err) {
      // A line that follows an incomplete one could not be read. So the recording ends at the first line that cannot be written.
      isCut = true;
      logger.error({ err, file }, "the recording ends here: a call could not be written");
    }
  };
  const stop = recordLines(host, redact, write);
  let open = true;
  return () => {
    if (!open) return;
    open = false;
    stop();
    try {
      closeSync(descriptor);
    } catch (err) {
      logger.error({ err, file }, "the end of the recording may not have been written");
    }
  };
}

function recordLines(host: Host, redact: Redactor, write: (line: string) => void): () => void {
  const stopCalls = recordCalls(host, { redact, write: (call) => write(printTapeCall(call)) });
  const stopAnswers = host.coordinator.registerCapability("host.record_answer", (answer, request) =>
    write(printTapeAnswer({ request, answer: redactAnswer(answer, redact) })),
  );
  return () => {
    stopCalls();
    stopAnswers();
  };
}

function createTape(file: string): number {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "wx", 0o600);
    writeFileSync(descriptor, `${tapeHeader}\n`);
    return descriptor;
  } catch (cause) {
    if (descriptor !== undefined) removeBegun(file, descriptor);
    throw new ToolmountError("RECORD_FAILED", { file, problem: messageOf(cause) }, { cause });
  }
}

/** Removes a file with an incomplete header, because it cannot be replayed and would prevent the next recording. */
function removeBegun(file: string, descriptor: number): void {
  closeSync(descriptor);
  rmSync(file, { force: true });
}

function redactAnswer(answer: JsonObject, redact: Redactor): JsonObject {
  const output = answer["output"];
  const redacted = redact(answer) as JsonObject;
  return isList(output) ? { ...redacted, output: output.map((item) => redactItem(item, redact)) } : redacted;
}

function redactItem(item: Json, redact: Redactor): Json {
  const redacted = redact(item);
  if (!isRecord(item) || typeof item["arguments"] !== "string") return redacted;
  return { ...(redacted as JsonObject), arguments: redactArguments(item["arguments"], redact) };
}
