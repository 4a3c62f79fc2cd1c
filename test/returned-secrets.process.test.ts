import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { data, defineTool, failure, type Coordinator, type Logger } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import * as reasonerModule from "@toolmount/reasoner";
import type { Reasoner } from "@toolmount/reasoner";
import * as store from "@toolmount/store";
import { anthropicApi, geminiApi, responsesApi, startProvider } from "@toolmount/testing/providers";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const secret = "correct/horse battery-staple";
const bytes = Buffer.from(secret);
const forms = [
  secret,
  bytes.toString("base64"),
  bytes.toString("hex"),
  bytes.toString("hex").toUpperCase(),
  encodeURIComponent(secret),
];
/** Texts of which none may appear anywhere. */
const leaks = (text: string) => [...forms, secret.slice(8)].filter((form) => text.includes(form));

/** A tool that describes, reports and returns what it was configured with, in every form. */
const teller = {
  config: z.strictObject({ password: z.string(), owner: z.string() }),
  mount(coordinator: Coordinator, { password, owner }: { password: string; owner: string }) {
    const all = forms.join(" ");
    const common = {
      description: `Says ${all}. Use in tests.`,
      usage: `Says ${password}.`,
      schema: z.strictObject({ text: z.string().describe(`Such as ${password}`).optional() }),
      category: "side_effect",
      consequenceLevel: "low",
      requiresConfirmation: false,
    } as const;
    coordinator.mount(
      "tools",
      defineTool({
        ...common,
        name: "tell",
        execute: (_, { progress, logger }) => {
          progress({ progress: 1, message: all });
          logger.info({ all }, all);
          const content = [{ type: "text", text: all }] as const;
          return data({ all: forms, [password]: { nested: [all] }, owner }, { content, warnings: [all] });
        },
      }),
    );
    coordinator.mount(
      "tools",
      defineTool({
        ...common,
        name: "fail",
        execute: () => failure(`failed with ${all}`, { details: { all: forms } }),
      }),
    );
    coordinator.mount(
      "tools",
      // The cut falls into the middle of the secret.
      defineTool({
        ...common,
        name: "tell_long",
        execute: () => data("x".repeat(65_530 - 8) + secret + "y".repeat(200_000)),
      }),
    );
  },
};

function recordLog(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const line = (fields: object, message = "") => void lines.push(JSON.stringify(fields) + message);
  const logger: Logger = {
    trace: line,
    debug: line,
    info: line,
    warn: line,
    error: line,
    child: () => logger,
  };
  return { logger, lines };
}

const call = (id: string, name: string) => ({ id, name, arguments: "{}" });
const said = [
  { calls: [call("c1", "tell"), call("c2", "fail"), call("c3", "tell_long")] },
  { text: "Done." },
];

test.each([responsesApi, anthropicApi, geminiApi])(
  "a secret that a tool returns, reports or describes reaches no model, page, log, tape, listener or state: $name",
  async (api) => {
    const cwd = await mkdtemp(join(tmpdir(), "toolmount-returned-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    await symlink(join(import.meta.dirname, "node_modules"), join(cwd, "node_modules"));
    const provider = await startProvider(api, said);
    onTestFinished(() => provider.close());
    const { logger, lines } = recordLog();
    const config = { password: "${DOOR}", owner: "${OWNER}" };
    const plan = {
      version: 1,
      state: "sqlite:./state.db",
      agent: { model: api.model, baseUrl: provider.baseUrl, apiKey: "k", stream: false },
      tools: [{ module: "teller", config }],
    };
    const host = await openHost(plan, {
      cwd,
      env: { DOOR: secret, OWNER: "acme-42" },
      logger,
      record: join(cwd, "calls.tape"),
      extensions: { "@toolmount/reasoner": reasonerModule, "@toolmount/store": store, teller },
    });
    const token = createToken();
    const service = await serveHosts({
      hosts: { default: { host } },
      authenticate: createTokenCheck([
        { name: "ana", sha256: hashToken(token), roles: ["call", "approve", "admin"] },
      ]),
      listen: { host: "127.0.0.1", port: 0 },
    });
    onTestFinished(() => service.close({ graceMs: 0 }));
    const heard: unknown[] = [];
    host.coordinator.hooks.observe("*", (event, reported) => void heard.push([event, reported]));

    const turn = await (host.coordinator.get("orchestrator") as Reasoner).run(host, {
      sessionId: "s",
      prompt: "Tell.",
    });
    expect(turn.status).toBe("done");
    const headers = { authorization: `Bearer ${token}` };
    const ask = async (path: string) =>
      (await fetch(`${service.url}/api/v1/hosts/default${path}`, { headers })).text();
    const pages = [await ask("/tools"), await ask("/calls")];
    const tools = JSON.stringify(host.tools());
    await host.close();

    const seen: Readonly<Record<string, string>> = {
      requests: provider.texts.join("\n"),
      tools,
      events: JSON.stringify(heard),
      log: lines.join("\n"),
      tape: await readFile(join(cwd, "calls.tape"), "utf8"),
      state: await readFile(join(cwd, "state.db"), "latin1"),
      pages: pages.join("\n"),
    };
    expect(provider.broken).toEqual([]);
    for (const [place, text] of Object.entries(seen)) expect(leaks(text), place).toEqual([]);
    for (const place of ["requests", "tools", "events", "log", "tape", "pages"])
      expect(seen[place], place).toContain("[masked]");
    // An ordinary value of a variable stays: an agent has to work with it.
    expect(seen["requests"]).toContain("acme-42");
  },
);
