import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolmount/core";
import { printTapeCall, parseTape, tapeHeader, type TapeCall } from "@toolmount/tape";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readTasks, type WorldCase } from "../support/world-cases.ts";
import { dataOf, openWorld } from "../support/world-hosts.ts";
import { compareAnswers, stateDigest } from "../support/world-player.ts";
import { callByMcp } from "../support/world-ways.ts";

const absent = dataOf("retail") === undefined;
const tasks = absent ? [] : readTasks(dataOf("retail")!).slice(0, 50);

/** A change of what is replayed, which the replay must show. */
interface Change {
  readonly change: string;
  /** Changes the tape. */
  readonly tape?: (calls: TapeCall[]) => void;
  /** Changes the calls that are made. */
  readonly calls?: (task: WorldCase) => WorldCase["calls"];
  readonly decision?: "approve" | "deny";
  readonly overlays?: readonly string[];
  /** Texts that are secret now. */
  readonly secrets?: readonly string[];
  readonly difference: RegExp;
}

const changes: readonly Change[] = [
  {
    change: "an argument",
    calls: ({ calls: [first, ...rest] }) => [
      { ...first!, arguments: { ...first!.arguments, zip: "00000" } },
      ...rest,
    ],
    difference: /^call 1: find_user_id_by_name_zip: zip is "00000", was "19122"$/,
  },
  {
    change: "an argument more",
    calls: ({ calls: [first, ...rest] }) => [
      { ...first!, arguments: { ...first!.arguments, more: true } },
      ...rest,
    ],
    difference: /more is true, was absent/,
  },
  {
    change: "the order of two calls",
    calls: ({ calls: [first, second, ...rest] }) => [second!, first!, ...rest],
    difference: /came out of order/,
  },
  {
    change: "another tool",
    calls: ({ calls }) => [{ name: "list_all_product_types", arguments: {} }, ...calls],
    difference: /^call 1: list_all_product_types {} is not on the tape: it has find_user/,
  },
  { change: "a call less", calls: ({ calls }) => calls.slice(0, -1), difference: /was not made/ },
  {
    change: "a call more",
    calls: ({ calls }) => [...calls, calls[0]!],
    difference: /which has ended$/,
  },
  {
    change: "a definition",
    tape: (calls) => void (calls[0] = { ...calls[0]!, definition: "0".repeat(64) }),
    difference: /definition of find_user_id_by_name_zip is not the one that was recorded/,
  },
  {
    change: "a tool that is gone",
    tape: (calls) => void (calls[0] = { ...calls[0]!, definition: null }),
    difference: /definition of find_user_id_by_name_zip/,
  },
  {
    change: "a decision of the approver",
    decision: "deny",
    difference: /exchange_delivered_order_items: it ended as DENIED, was ok/,
  },
  {
    change: "a call that was denied then",
    tape: (calls) => {
      const last = calls.at(-1)!;
      calls[calls.length - 1] = {
        ...last,
        decision: "deny",
        ran: false,
        result: { error: "not allowed", code: "DENIED" },
      };
    },
    difference: /it would run now; it ended before that: not allowed/,
  },
  {
    change: "a secret among the arguments",
    calls: ({ calls: [first, ...rest] }) => [
      { ...first!, arguments: { ...first!.arguments, password: "hunter-2" } },
      ...rest,
    ],
    difference: /password is "\[masked\]", was absent/,
  },
  {
    change: "a secret by value among the arguments",
    secrets: ["sk-live-123456"],
    calls: ({ calls: [first, ...rest] }) => [
      { ...first!, arguments: { ...first!.arguments, zip: "sk-live-123456" } },
      ...rest,
    ],
    difference: /^call 1: find_user_id_by_name_zip: zip is "\[masked\]", was "19122"$/,
  },
  {
    change: "an argument in place of a secret by value",
    tape: (calls) => {
      const { arguments: given } = calls[0]!;
      calls[0] = { ...calls[0]!, arguments: { ...(given as JsonObject), zip: "[masked]" } };
    },
    difference: /^call 1: find_user_id_by_name_zip: zip is "19122", was "\[masked\]"$/,
  },
  {
    change: "a rule of the policy",
    overlays: ["private"],
    difference: /get_order_details: it ended as DENIED, was ok/,
  },
  {
    change: "a call that the tape lost",
    tape: (calls) => void calls.splice(1, 1),
    difference: /is not on the tape/,
  },
];

describe.skipIf(absent)("tapes of retail (skipped where the shared tasks are absent)", () => {
  let tapes: string[];
  beforeAll(async () => {
    tapes = [];
    for (const task of tasks) tapes.push(await record(task));
  });

  test("50 tasks replay without a tool, a difference or a changed state", async () => {
    for (const [index, task] of tasks.entries())
      expect(await replay(task, tapes[index]!)).toEqual({ differences: [], changed: false });
  });

  test("MCP clients get the recorded answers of 50 tasks, without a tool or a difference", async () => {
    for (const [index, task] of tasks.entries()) {
      const file = join(await folder(), "calls.tape");
      await writeFile(file, tapes[index]!);
      const host = await openWorld("retail", task, "approve", { replay: file });
      const way = await callByMcp(host, task, index % 2 === 0 ? "modern" : "legacy");
      expect(await compareAnswers(task, way.call)).toEqual([]);
      expect(host.replayDifferences()).toEqual([]);
      expect(await stateDigest(host)).toBe(task.expected.initial);
      await way.close();
      await host.close();
    }
  });

  test("a secret by value is in no tape, and its replay has no difference", async () => {
    const task = tasks[0]!;
    const secrets = [findOrder(task)];
    const tape = await record(task, secrets);
    expect(tape).not.toContain(secrets[0]);
    expect(tape).toContain("[masked]");
    expect((await replay(task, tape, { secrets })).differences).toEqual([]);
    expect((await replay(task, tape)).differences.join("\n")).toContain(
      `order_id is "${secrets[0]}", was "[masked]"`,
    );
  });

  test.each(changes)("$change is caught", async ({ tape: edit, calls, difference, ...how }) => {
    const { calls: recorded } = parseTape(tapes[0]!);
    const edited = [...recorded];
    edit?.(edited);
    const text = [tapeHeader, ...edited.map(printTapeCall), ""].join("\n");
    const task = calls === undefined ? tasks[0]! : { ...tasks[0]!, calls: calls(tasks[0]!) };
    const { differences } = await replay(task, text, how);
    expect(differences.join("\n")).toMatch(new RegExp(difference.source, "m"));
    for (const secret of how.secrets ?? []) expect(differences.join("\n")).not.toContain(secret);
  });
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "toolmount-tape-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** The order of a task. */
function findOrder({ calls }: WorldCase): string {
  return calls.map((call) => call.arguments?.["order_id"]).find((id) => typeof id === "string")!;
}

async function record(task: WorldCase, secrets: readonly string[] = []): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "toolmount-tape-"));
  const file = join(path, "calls.tape");
  const host = await openWorld("retail", task, "approve", { record: file, secrets });
  for (const { name, arguments: given } of task.calls) await host.call({ name, arguments: given! });
  await host.close();
  const text = await readFile(file, "utf8");
  await rm(path, { recursive: true });
  return text;
}

async function replay(
  task: WorldCase,
  tape: string,
  { decision = "approve", ...options }: Pick<Change, "decision" | "overlays" | "secrets"> = {},
) {
  const file = join(await folder(), "calls.tape");
  await writeFile(file, tape);
  const host = await openWorld("retail", task, decision, { replay: file, ...options });
  for (const { name, arguments: given } of task.calls) await host.call({ name, arguments: given! });
  const changed = (await stateDigest(host)) !== task.expected.initial;
  const differences = host.replayDifferences();
  await host.close();
  return { differences, changed };
}
