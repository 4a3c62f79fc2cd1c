import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnauthorizedError, type Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWayStore, KnownWay } from "../src/mount/known-way.ts";
import { connectionWorld, network, status, sum } from "./connection-world.ts";
import { notingLogger } from "./support.ts";

const hourMs = 3_600_000;
const unknown = { prior: undefined };
const discover = { supportedVersions: ["2026-07-28"] };
const modern = { getDiscoverResult: () => discover } as unknown as Client;
const old = { getDiscoverResult: () => undefined } as unknown as Client;

function clock(now: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now });
  onTestFinished(() => void vi.useRealTimers());
}

/** The folder of a plan, and stores of ways in it, each as a process opens it. */
function planFolder() {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-way-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { logger, lines } = notingLogger();
  const open = (url = "http://127.0.0.1/mcp") =>
    new KnownWay(createWayStore(folder, { url, command: undefined, args: [], cwd: undefined }, logger));
  return { folder, open, lines };
}

test("which revision a server speaks is known for an hour", async () => {
  clock(5_000);
  const { open } = planFolder();
  const known = open();
  expect([await known.recall(), known.at]).toEqual([unknown, undefined]);
  await known.note(modern);
  expect([await known.recall(), known.at]).toEqual([{ prior: { kind: "modern", discover } }, 5_000]);
  vi.setSystemTime(5_000 + hourMs - 1);
  expect(await known.recall()).not.toEqual(unknown);
  vi.setSystemTime(5_000 + hourMs);
  expect([await known.recall(), known.at, known.says]).toEqual([unknown, 5_000, undefined]);
  await known.note(old);
  expect(await known.recall()).toEqual({ prior: { kind: "legacy" } });
  expect(await open().recall()).toEqual(unknown);
  await known.forget(new Error("no such method"));
  expect([await known.recall(), known.at]).toEqual([unknown, undefined]);
});

test.each([
  [undefined, "it does not answer server/discover; this is tried again after 1970-01-08"],
  ["sse" as const, "it speaks SSE; this is tried again after 1970-01-08"],
])("a way that was slow to find (%s) is known to later processes for a week", async (found, says) => {
  clock(5_000);
  const { open } = planFolder();
  await open().note(old, { found, isSlow: true });
  vi.setSystemTime(5_000 + 7 * 24 * hourMs - 1);
  const later = open();
  expect([await later.recall(), later.at, later.says]).toEqual([
    { prior: { kind: "legacy" }, ...(found !== undefined && { found }) },
    5_000,
    says,
  ]);
  expect(await open("http://127.0.0.1/other").recall()).toEqual(unknown);

  await later.forget(new UnauthorizedError());
  expect(await open().recall()).toMatchObject({ prior: { kind: "legacy" } });
  await later.recall();
  await later.forget(new Error("it did not answer"), true);
  expect(await open().recall()).toMatchObject({ prior: { kind: "legacy" } });
  await later.recall();
  await later.forget(new Error("no such method"));
  expect(await open().recall()).toEqual(unknown);

  await open().note(old, { found, isSlow: true });
  vi.setSystemTime(5_000 + 15 * 24 * hourMs);
  expect(await open().recall()).toEqual(unknown);
});

test("a file of ways that is no database costs a warning, and the server is asked", async () => {
  const { folder, open, lines } = planFolder();
  await open().note(old, { isSlow: true });
  writeFileSync(join(folder, ".toolmount/servers.db"), "x".repeat(5_000));
  const known = open();
  expect(await known.recall()).toEqual(unknown);
  await known.note(old, { isSlow: true });
  expect(await known.recall()).toEqual({ prior: { kind: "legacy" } });
  expect(lines.map(([level, , words]) => [level, words])).toContainEqual([
    "warn",
    "how to connect to an MCP server is not remembered",
  ]);
});

test("a server that does not answer the question for its revision is asked once, by one process", async () => {
  const { open } = planFolder();
  const settings = { era: "auto", startTimeoutMs: 3_000 };
  const first = connectionWorld(settings, { known: open() });
  first.failing["server/discover"] = [() => new Promise<Response>(() => {})];
  expect(await first.call()).toMatchObject(sum);
  expect(first.connection.status.way).toContain("it does not answer server/discover");

  const second = connectionWorld(settings, { known: open() });
  second.failing["initialize"] = [network("ECONNREFUSED")];
  await expect(second.call()).rejects.toMatchObject({ code: "MCP_SERVER_UNAVAILABLE" });
  expect(await second.call()).toMatchObject(sum);
  expect([second.count("server/discover"), second.connection.status.protocol]).toEqual([0, "2025-11-25"]);

  // A server that fails by itself is neither asked again at once nor forgotten.
  const failing = connectionWorld(settings, { known: open() });
  failing.failing["initialize"] = [status(503), status(429)];
  await expect(failing.call()).rejects.toMatchObject({ code: "MCP_SERVER_UNAVAILABLE" });
  await expect(failing.call()).rejects.toMatchObject({ code: "MCP_SERVER_UNAVAILABLE" });
  expect(await failing.call()).toMatchObject(sum);
  expect(failing.count("server/discover")).toBe(0);

  // A server that does not take the known way any more is asked again, in the same attempt.
  const upgraded = connectionWorld(settings, { known: open() });
  upgraded.failing["initialize"] = [status(400)];
  expect(await upgraded.call()).toMatchObject(sum);
  expect([upgraded.connection.status.protocol, upgraded.connection.status.way]).toEqual([
    "2026-07-28",
    undefined,
  ]);
  expect(await open().recall()).toEqual(unknown);
});
