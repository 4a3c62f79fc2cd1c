import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@hey-api/openapi-ts";
import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "../..");

/** A server of one tool that asks first, and a token that may do everything. */
async function serve() {
  const host = createHost({ store: createMemoryStore() });
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "wipe",
      description: "Asks first. Use in tests.",
      schema: z.strictObject({ path: z.string() }),
      category: "delete",
      consequenceLevel: "high",
      requiresConfirmation: true,
      execute: async ({ path }) => data(`wiped ${path}`),
    }),
  );
  const token = createToken();
  const server = await serveHosts({
    hosts: { default: { host } },
    authenticate: createTokenCheck([
      { name: "ops", sha256: hashToken(token), roles: ["call", "approve", "admin"] },
    ]),
    listen: { host: "127.0.0.1", port: 0 },
  });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return { server, token };
}

test("a client generated from the OpenAPI document has the types of the API, and speaks to the server", async () => {
  const { server, token } = await serve();
  const folder = await mkdtemp(join(tmpdir(), "toolmount-client-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const input = join(folder, "openapi.json");
  await writeFile(input, JSON.stringify(server.document));

  await createClient({
    input,
    output: { path: join(folder, "api"), module: { extension: ".ts" } },
    logs: { level: "silent" },
  });
  await cp(join(import.meta.dirname, "program.ts"), join(folder, "program.ts"));
  await writeFile(join(folder, "every.ts"), everyOperation(server.document));
  await checkTypes(folder);

  const program = pathToFileURL(join(folder, "program.ts")).href;
  const { run } = (await import(program)) as { run(url: string, token: string): Promise<object> };
  expect(await run(server.url, token)).toEqual({
    tools: ["wipe"],
    pending: "pending",
    secondDecision: "APPROVAL_DECIDED",
    resumed: "wiped build",
    firstEvent: { version: expect.stringMatching(/^\d+\.\d+\.\d+/), complete: true },
  });
});

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;
}

/** A program that reads the answer and the error of every operation: its answer is an object or a text, and its error has a code. */
function everyOperation(document: object): string {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations.length).toBeGreaterThan(25);
  const lines = operations.flatMap(({ operationId, responses }) => {
    const name = operationId[0]!.toUpperCase() + operationId.slice(1);
    const { content } = responses["200"]!;
    const isStream = "text/event-stream" in content;
    const type = "application/json" in content ? "object" : "string";
    const error = `export const error_${name} = (error: all.${name}Error): string => error.code + error.detail;`;
    if (isStream) return [error];
    return [error, `export const answer_${name} = (answer: all.${name}Response): ${type} => answer;`];
  });
  return ['import type * as all from "./api/types.gen.ts";', ...lines].join("\n");
}

/** Rejects with what the compiler prints: `program.ts` also has a line that must not compile. */
async function checkTypes(folder: string): Promise<void> {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    allowImportingTsExtensions: true,
  };
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const tsc = join(root, "node_modules/.bin/tsc");
  await promisify(execFile)(tsc, ["-p", folder]).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
}
