import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost, data, type Host, type ToolOutcome } from "@toolmount/core";
import { createSchemaCompiler } from "@toolmount/interop";
import { hostileCases, schemas, type Outcome } from "./support/hostile-arguments.ts";

const canary = "canary-91c7";

/** What the tools received, by call id. */
const received = new Map<string, unknown>();
let host: Host;
let ends = 0;

beforeAll(() => {
  process.env["SECRET_TOKEN"] = canary;
  host = createHost();
  host.coordinator.mount("schema-compiler", createSchemaCompiler());
  host.coordinator.hooks.observe("*", (event) => {
    if (event === "tool:post" || event === "tool:error") ends++;
  });
  for (const [name, schema] of Object.entries(schemas)) mountRecorder(name, schema);
});

afterAll(async () => {
  delete process.env["SECRET_TOKEN"];
  await host.close();
});

/** A tool that keeps what it received, under the id of the call. */
function mountRecorder(name: string, schema: unknown): void {
  host.coordinator.mount("tools", {
    name,
    description: "Records its arguments. Use it in tests.",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: schema as Record<string, unknown>,
    execute: (params: unknown, context: { callId: string }) => {
      received.set(context.callId, params);
      return data(null);
    },
  });
}

const accepts: Readonly<Record<Outcome, (outcome: ToolOutcome, ran: boolean) => boolean>> = {
  valid: ({ status }, ran) => status === "ok" && ran,
  invalid: ({ status, result }, ran) => status === "invalid" && result.code === "INVALID_ARGUMENTS" && !ran,
  malformed: ({ status, result }, ran) =>
    status === "invalid" && !ran && /not (valid JSON|an object)/.test(result.error ?? ""),
  limit: ({ status, result }, ran) =>
    status === "invalid" && !ran && /larger than|deeper than/.test(result.error ?? ""),
  consistent: ({ status }, ran) => (status === "ok") === ran,
  "no-pollution": () => true,
};

let calls = 0;

async function tryArguments(schema: string, raw: string, expected: string): Promise<void> {
  const id = `h${++calls}`;
  const before = ends;
  const outcome = await host.call({ id, name: schema, arguments: raw });

  const allowed = expected.split("-or-").map((name) => accepts[name as Outcome]);
  expect
    .soft(
      allowed.some((fits) => fits(outcome, received.has(id))),
      `${outcome.status}: ${outcome.result.error ?? "data"}`,
    )
    .toBe(true);
  if (expected === "valid") expect(received.get(id)).toEqual(raw.trim() === "" ? {} : JSON.parse(raw));
  expect(ends - before).toBe(1);
  expect(Buffer.byteLength(outcome.result.error ?? "")).toBeLessThan(8_192);
  expect(JSON.stringify(outcome)).not.toMatch(/\n\s+at |node_modules|\/src\//);
  expect(JSON.stringify(outcome)).not.toContain(canary);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect((globalThis as { polluted?: unknown }).polluted).toBeUndefined();
}

describe("hostile arguments: never a throw, never pollution, bounded text", () => {
  test.each(hostileCases)("$name → $outcome", async ({ schema, raw, outcome }) => {
    await tryArguments(schema, typeof raw === "string" ? raw : raw(), outcome);
  });

  test("the table is at least ten times as long as the sample", () => {
    expect(hostileCases.length).toBeGreaterThanOrEqual(140);
  });
});

const sample = new URL("../../shared/fixtures/security/tool-args.json", import.meta.url);

interface SampleItem {
  readonly id: string;
  readonly schema: string;
  readonly raw?: string;
  readonly parts?: readonly (
    | string
    | { readonly repeat?: string; readonly counter?: string; readonly times: number }
  )[];
  readonly outcome: string;
  readonly why: string;
}

/** The sample is beside the project, not in it; the table above has cases like each of its own. */
describe.skipIf(!existsSync(sample))("the sample of hostile arguments (needs ../shared)", () => {
  const { header, items } = existsSync(sample)
    ? (JSON.parse(readFileSync(sample, "utf8")) as {
        header: { schemas: Record<string, unknown> };
        items: SampleItem[];
      })
    : { header: { schemas: {} }, items: [] };

  test("has items", () => expect(items.length).toBeGreaterThan(0));

  test.each(items)("$id $why", async ({ id, schema, raw, parts, outcome }) => {
    const name = `sample_${id.replace("-", "_")}`;
    mountRecorder(name, header.schemas[schema]);
    await tryArguments(name, raw ?? join(parts ?? []), outcome);
  });
});

function join(parts: NonNullable<SampleItem["parts"]>): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.repeat !== undefined) return part.repeat.repeat(part.times);
      return Array.from({ length: part.times }, (_, i) => part.counter!.replaceAll("{i}", String(i))).join(
        "",
      );
    })
    .join("");
}
