import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAudit, type AuditRecord } from "@toolmount/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../src/index.ts";
import { sharedPostgres, type SharedPostgres } from "./postgres.ts";

/** The audit of a call that failed in its tool, written when the hop `execute` was called `run`. */
const written: readonly AuditRecord[] = [
  {
    writer: "U0gscN-ISwO3ZwqpgdxPjm_yFoXS-5_P",
    sequence: 1,
    previous: "",
    hash: "39ef4c70dd1b72e6d878decb204602c6c0a74b306e975bf400aea143d20c0bbe",
    entry: {
      kind: "start",
      at: 1795439412801,
      runId: "ec005b1fa62b-1",
      callId: "c-1",
      tool: "probe",
      depth: 0,
      sessionId: "s",
      arguments: {},
      argumentsDigest: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
      approvedBy: null,
    },
  },
  {
    writer: "U0gscN-ISwO3ZwqpgdxPjm_yFoXS-5_P",
    sequence: 2,
    previous: "39ef4c70dd1b72e6d878decb204602c6c0a74b306e975bf400aea143d20c0bbe",
    hash: "8ae4c4f4977f7054e70778f68efac2ef1e525de940a66e3a97fca761a8c726f1",
    entry: {
      kind: "end",
      at: 1795439412803,
      runId: "ec005b1fa62b-1",
      callId: "c-1",
      tool: "probe",
      depth: 0,
      sessionId: "s",
      status: "failed",
      durationMs: 5,
      code: "TOOL_FAILED",
      error: "probe failed",
      phase: "run",
    },
  },
];

let folder: string;
let server: SharedPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-old-records-"));
  server = await sharedPostgres();
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each(["sqlite", "postgres"])("an audit in %s", (engine) => {
  test("C42: is read as it was written, and its chain is whole, when it names a hop by its former name", async () => {
    const url = engine === "sqlite" ? `sqlite:${join(folder, "old.db")}` : await server.database("old");
    const store = await openStore(url, { audit: "durable" });
    await store.audit!.append(written);

    const read = await store.audit!.read();
    expect(read).toEqual(written);
    expect(checkAudit(read, await store.audit!.heads())).toEqual([]);
    await store.close();
  });
});
