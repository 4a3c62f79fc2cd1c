import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { startDriver } from "./support/conformance-client.ts";
import { runSuite, type Check } from "./support/conformance.ts";
import { listen } from "./support/http.ts";
import { open } from "./support/world.ts";

const tools = join(import.meta.dirname, "fixtures/conformance-tools.ts");
/** The tools as a module of our own; resources and prompts of a mounted server, passed through. */
const planFor = (era: "legacy" | "modern") => ({
  version: 1,
  tools: [
    { module: tools },
    {
      module: "conformance",
      source: {
        mcp: {
          era,
          command: process.execPath,
          args: [join(import.meta.dirname, "fixtures/conformance-server.ts")],
          expose: ["resources", "prompts"],
          ask: ["elicitation", "sampling", "roots"],
        },
      },
    },
  ],
});
const suiteClient = join(import.meta.dirname, "fixtures/conformance-client.mjs");

/** Every scenario that a revision requires of a server, but `server-stateless`, which is judged by its checks; and three that are pending. */
const served = {
  "2025-11-25": [
    "server-initialize",
    "logging-set-level",
    "tools-call-with-logging",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "completion-complete",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "json-schema-2020-12",
  ],
  "2026-07-28": [
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "json-schema-2020-12",
    "completion-complete",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "sep-2164-resource-not-found",
    "caching",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "http-header-validation",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-unsupported-methods",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
  ],
} as const;

/** Milliseconds that a scenario may take; the suite's own limit is too short for a busy machine. */
const patience = ["--timeout", "250000"];

/** A scenario counts when something was decided, and nothing was decided against us. */
function verdict(checks: readonly Check[] = []): string {
  const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  if (failed.length > 0) return failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join("; ");
  return checks.some(({ status }) => status === "SUCCESS") ? "passed" : "nothing was decided";
}

const versions = ["2025-11-25", "2026-07-28"] as const;

/**
 * A server from before 2026 does not say for which call it asks, and the suite of 2026 calls it several times at once; so
 * that pair is in asks.process.test.ts.
 */
const pairs = [
  ["2025-11-25", "legacy"],
  ["2025-11-25", "modern"],
  ["2026-07-28", "modern"],
] as const;

test.each(pairs)(
  "a host that is served meets %s in every scenario of the official suite, in front of a %s server",
  async (version, era) => {
    const url = await listen(await open(planFor(era), { logger: silentLogger }));

    const { findings, printed } = await runSuite([
      "server",
      "--url",
      url,
      "--requirements",
      version,
      ...patience,
    ]);
    const verdicts = Object.fromEntries(served[version].map((name) => [name, verdict(findings.get(name))]));
    const stateless = findings.get("server-stateless") ?? [];
    const broken = stateless.filter(({ status }) => status === "FAILURE");

    expect(verdicts, printed.slice(-4_000)).toEqual(
      Object.fromEntries(served[version].map((name) => [name, "passed"])),
    );
    expect(broken).toEqual([]);
    if (version === "2026-07-28")
      expect(stateless.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThanOrEqual(28);
  },
);

/**
 * Scenarios of the extension for tasks, of a host that is served in front of a server that makes tasks. The suite skips
 * `tasks-status-notifications`. `tasks-required-task-error` is for a server that cannot work without tasks: the host waits
 * for a task itself, so a client without the extension gets the result.
 */
const ofTasks = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-mrtr-composition",
];

test("a host that is served meets the scenarios of tasks, which a server behind it makes", async () => {
  const source = {
    era: "modern",
    command: process.execPath,
    args: [join(import.meta.dirname, "fixtures/conformance-tasks-server.ts")],
    ask: ["elicitation"],
    classify: { "*": { category: "read", consequence: "low", confirm: false } },
  };
  const plan = { version: 1, tools: [{ module: "tasks", source: { mcp: source } }] };
  const url = await listen(await open(plan, { logger: silentLogger }));

  // One after the other: each has limits of seconds for its requests, and starts a process.
  const verdicts: [string, string][] = [];
  for (const scenario of ofTasks) {
    const { findings } = await runSuite(["server", "--url", url, "--scenario", scenario, ...patience]);
    verdicts.push([scenario, verdict(findings.get(scenario))]);
  }

  expect(verdicts).toEqual(ofTasks.map((scenario) => [scenario, "passed"]));
});

// The suite passes a simple text and an error on any text, even "no tool named …".
test.each(versions)("a client of %s gets the texts of the tools themselves", async (version) => {
  const host = await open({ version: 1, tools: [{ module: tools }] }, { logger: silentLogger });
  const mode = version === "2025-11-25" ? "legacy" : { pin: version };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));

  const text = await client.callTool({ name: "test_simple_text", arguments: {} });
  const error = await client.callTool({ name: "test_error_handling", arguments: {} });
  await client.close();

  expect(text.content).toEqual([{ type: "text", text: "This is a simple text response for testing." }]);
  expect(error).toMatchObject({
    isError: true,
    content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
  });
});

/** Scenarios of signing in that both revisions require. */
const authOfBoth = [
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
] as const;

/** What the suite requires of a client, of a host that mounts its server. */
const mounted = {
  "2025-11-25": [
    "initialize",
    "tools_call",
    "sse-retry",
    "elicitation-sep1034-client-defaults",
    ...authOfBoth,
    "json-schema-2020-12-preservation",
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "http-standard-headers",
    "sep-2322-client-request-state",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    ...authOfBoth,
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
    "json-schema-2020-12-preservation",
  ],
} as const;

/** Checks without which a scenario would be an empty pass: the suite skips what a client does not try. */
const decided = {
  "2025-11-25": {
    "elicitation-sep1034-client-defaults": ["string", "integer", "number", "enum", "boolean"].map(
      (type) => `client-elicitation-sep1034-${type}-default`,
    ),
  },
  "2026-07-28": {
    "http-standard-headers": [
      "ClientMcpMethodHeader_tools_list",
      "ClientMcpMethodHeader_tools_call",
      "ClientMcpMethodHeader_resources_list",
      "ClientMcpMethodHeader_resources_read",
      "ClientMcpMethodHeader_prompts_list",
      "ClientMcpMethodHeader_prompts_get",
      "ClientMcpNameHeader_tools_call",
      "ClientMcpNameHeader_resources_read",
      "ClientMcpNameHeader_prompts_get",
    ],
    "sep-2322-client-request-state": [
      "sep-2322-client-request-state-echoed",
      "sep-2322-client-jsonrpc-id-different",
      "sep-2322-client-no-state-omitted",
      "sep-2322-client-parallel-isolation",
      "sep-2322-default-result-type-complete",
    ],
  },
} as const;

test.each(versions)(
  "a mounted server is spoken to, and signed in to, as the client scenarios of %s ask",
  async (version) => {
    const [command, driver] = await Promise.all([commandWithoutSpaces(), startDriver()]);

    const { findings, printed } = await runSuite(
      ["client", "--command", command, "--requirements", version, ...patience],
      { TOOLMOUNT_CONFORMANCE_DRIVER: driver },
    );

    const verdicts = Object.fromEntries(mounted[version].map((name) => [name, verdict(findings.get(name))]));
    expect(verdicts, printed.slice(-4_000)).toEqual(
      Object.fromEntries(mounted[version].map((name) => [name, "passed"])),
    );
    for (const [scenario, checks] of Object.entries(decided[version])) {
      const passed = (findings.get(scenario) ?? []).filter(({ status }) => status === "SUCCESS");
      expect(
        passed.flatMap(({ id, name = id }) => [id, name]),
        scenario,
      ).toEqual(expect.arrayContaining([...checks]));
    }
  },
);

/** The suite splits its command at spaces, which the repository's path may hold; so the command names links to both files. */
async function commandWithoutSpaces(): Promise<string> {
  const links = await mkdtemp(join(tmpdir(), "conformance-"));
  onTestFinished(() => rm(links, { recursive: true, force: true }));
  await symlink(process.execPath, join(links, "node"));
  await symlink(suiteClient, join(links, "client.mjs"));
  return `${join(links, "node")} ${join(links, "client.mjs")}`;
}
