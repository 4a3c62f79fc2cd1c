import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as interop from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import { silentLogger } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";

/** Modules that were written from the contracts' documents alone; beside the project, and not part of it. */
const cases = process.env["WRITTEN_CASES"] ?? join(import.meta.dirname, "../../../shared/cases/mission/seed");

interface Case {
  readonly plan: string;
  readonly tools: readonly string[];
  readonly calls: readonly (readonly [name: string, given: object, found: unknown])[];
}

const plans: readonly Case[] = [
  {
    plan: "1-amplifier",
    tools: ["greet", "kv_get", "kv_keys", "kv_put", "read_text"],
    calls: [
      ["kv_get", { key: "a" }, "1"],
      ["greet", { who: "Ada" }, "Hi Ada"],
    ],
  },
  {
    plan: "2-aptix",
    tools: [
      "agent_hello_world",
      "agent_list_modes",
      "testing_calculator",
      "testing_delay",
      "testing_failure_injection",
      "testing_ping_pong",
    ],
    calls: [
      ["agent_hello_world", { Name: "Ada" }, expect.objectContaining({ Message: "Hello, Ada!" })],
      ["testing_calculator", { a: 6, b: 7, operation: "multiply" }, expect.objectContaining({ result: 42 })],
      ["agent_list_modes", {}, { modes: [expect.objectContaining({ key: "general" })] }],
    ],
  },
  {
    plan: "3-forge",
    tools: ["check_wash_sale", "delete_report", "get_holdings", "place_trade", "send_report"],
    calls: [["check_wash_sale", { symbol: "ACME" }, expect.objectContaining({ days: 30 })]],
  },
  {
    plan: "4-own",
    tools: ["agent_list_modes"],
    calls: [["agent_list_modes", {}, { modes: [expect.objectContaining({ key: "k" })] }]],
  },
  {
    plan: "4b",
    tools: ["agent_list_modes"],
    calls: [["agent_list_modes", {}, { modes: [expect.objectContaining({ key: "k" })] }]],
  },
];

describe.skipIf(!existsSync(cases))(
  "modules as the documents have them (skipped where the written cases are absent)",
  () => {
    test.each(plans)(
      "APTIX-N70, APTIX-N71: the plan $plan mounts, and its tools answer",
      async ({ plan, tools, calls }) => {
        const folder = unedited();
        const host = await openHost(join(folder, "plans", `${plan}.yaml`), {
          logger: silentLogger,
          env: {},
          extensions: { "@toolmount/interop": interop },
        });

        expect(
          host
            .tools()
            .map(({ name }) => name)
            .toSorted(),
        ).toEqual(tools);
        for (const [name, given, found] of calls)
          expect([name, (await host.call({ name, arguments: given as never })).result.data]).toEqual([
            name,
            found,
          ]);
        await host.close();
      },
    );
  },
);

/** A copy of the cases, with each class as it was first written: without an `inject`, and with parameter properties. */
function unedited(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-written-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(cases, folder, { recursive: true });
  symlinkSync(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
  for (const path of globSync("**/*.as-written.ts", { cwd: folder }))
    renameSync(join(folder, path), join(folder, path.replace(".as-written", "")));
  for (const path of globSync("{aptix/*.ts,plans/*.yaml}", { cwd: folder })) {
    const text = readFileSync(join(folder, path), "utf8");
    const plain = text
      .replaceAll(/static readonly inject = .*? as const;/g, "")
      .replaceAll("@BASE@/seed", folder);
    writeFileSync(join(folder, path), plain);
  }
  return folder;
}
