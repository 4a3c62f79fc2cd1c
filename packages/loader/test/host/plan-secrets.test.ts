import { readFile, writeFile } from "node:fs/promises";
import { createMemoryStore, type Logger } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const leaky = `
import { data, defineTool, failure } from "@toolmount/core";
import { z } from "zod";
export const config = z.strictObject({ key: z.string(), dsn: z.string(), pem: z.string() });
export function mount(coordinator, { key, dsn, pem }) {
  const common = { description: "Leaks. Use in tests.", category: "write", consequenceLevel: "low" };
  const schema = z.looseObject({});
  const texts = [key, dsn, Buffer.from("user:" + key).toString("base64"), pem.split("\\n")[1]];
  coordinator.logger.warn({ key }, "key " + key);
  coordinator.mount("tools", defineTool({ ...common, name: "fail", schema, requiresConfirmation: false,
    execute: () => failure("cannot reach " + texts.join(" "), { details: { tried: texts, nested: { headers: [key] } } }) }));
  coordinator.mount("tools", defineTool({ ...common, name: "throw_it", schema, requiresConfirmation: false,
    execute: () => { throw new Error("with " + texts.join(" ")); } }));
  coordinator.mount("tools", defineTool({ ...common, name: "ask", schema, requiresConfirmation: true,
    execute: () => data(1) }));
}
`;
const planOf = (key: string) => `version: 1
tools:
  - module: ./leaky.ts
    config: { key: "\${${key}}", dsn: "\${DATABASE}", pem: "\${file:key.pem}" }
`;
const env = {
  SERVICE: "sk-abc123def456",
  OTHER: "zz-987xyz654",
  DATABASE: "postgres://app:hunter22@db/x",
  HOME_OF: "/srv/data",
};
const pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nAQEFAASCBKcwggSjAgEAAo\n";
const leaks =
  /sk-abc123def456|zz-987xyz654|hunter22|MIIEvQIBADANBgkqhkiG9w0|AQEFAASCBKcwggSjAgEAAo|c2stYWJjMTIzZGVmNDU2|OnNrLWFiYzEyM2RlZjQ1/;

function recording(lines: string[]): Logger {
  const line = (fields: object, message = "") =>
    void lines.push(
      JSON.stringify(fields, (_, value: unknown) =>
        value instanceof Error ? [value.message, value.stack] : value,
      ) + message,
    );
  const logger: Logger = {
    trace: line,
    debug: line,
    info: line,
    warn: line,
    error: line,
    child: () => logger,
  };
  return logger;
}

test("values of a plan's variables and files are masked in logs, failures, approvals, the audit and tapes, also after a reload", async () => {
  const { path } = await workspace({ "plan.yaml": planOf("SERVICE"), "leaky.ts": leaky, "key.pem": pem });
  const lines: string[] = [];
  const store = createMemoryStore({ audit: "durable" });
  const record = path("calls.tape");
  const host = await openHost(path("plan.yaml"), { env, logger: recording(lines), store, record });
  const seen: unknown[] = [];
  const use = async (key: string) => {
    const given = { text: `with ${key} in ${pem}`, url: env.DATABASE };
    for (const name of ["fail", "throw_it"]) {
      const { result } = await host.call({ name, arguments: given }, { sessionId: "s" });
      expect(result.error).toBeDefined();
      seen.push(result.error, result.details);
    }
    await host.call({ name: "ask", arguments: given }, { sessionId: "s" });
    seen.push(await host.approvals.list());
  };
  await use(env.SERVICE);
  await writeFile(path("plan.yaml"), planOf("OTHER"));
  await host.reload();
  await use(env.OTHER);
  seen.push(await store.audit!.read());
  await host.close();

  expect(JSON.stringify(seen)).not.toMatch(leaks);
  expect(lines.join("\n")).not.toMatch(leaks);
  expect(await readFile(record, "utf8")).not.toMatch(leaks);
  expect(JSON.stringify(seen)).toContain("[masked]");
});

test("a module that fails to mount with its secrets in the message, plain or in base64, shows none", async () => {
  const broken = `export const config = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } };
export function mount(_, { key }) { throw new Error("bad " + key + " " + Buffer.from("user:" + key).toString("base64")); }`;
  const plan = 'version: 1\ntools:\n  - module: ./broken.js\n    config: { key: "${SERVICE}" }\n';
  const { path } = await workspace({ "plan.yaml": plan, "broken.js": broken });
  const lines: string[] = [];
  const error: unknown = await openHost(path("plan.yaml"), { env, logger: recording(lines) }).catch(
    (thrown: unknown) => thrown,
  );

  expect(String(error)).toContain("bad");
  expect(JSON.stringify([String(error), (error as { details?: unknown }).details])).not.toMatch(leaks);
  expect(lines.join("\n")).not.toMatch(leaks);
});

test("a folder, a word or an address without a password is no secret, and stays readable", async () => {
  const plan =
    'version: 1\ntools:\n  - module: ./plain.ts\n    config: { root: "${HOME_OF}", level: "${LEVEL}", url: "${URL}" }\n';
  const plain = leaky
    .replace(
      "key: z.string(), dsn: z.string(), pem: z.string()",
      "root: z.string(), level: z.string(), url: z.string()",
    )
    .replace("{ key, dsn, pem }", "{ root: key, level: dsn, url: pem }");
  const { path } = await workspace({ "plan.yaml": plan, "plain.ts": plain });
  const host = await openHost(path("plan.yaml"), {
    env: { HOME_OF: "/srv/data", LEVEL: "production", URL: "https://api.example.com/v1" },
    logger: recording([]),
  });
  const { result } = await host.call({ name: "fail" });
  await host.close();

  expect(result.error).toContain("/srv/data production");
});
