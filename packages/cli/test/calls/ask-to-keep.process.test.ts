import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { command, workspace } from "../support/workspace.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const tools = join(import.meta.dirname, "../../../../tools");
const plan = (more: string) => `version: 1
layer: ./
tools:
  - { module: bash, source: "file:${tools}/bash" }
${more}`;

/** A client of a served plan with a layer, in which its agent has worked; it answers its questions in turn. */
async function worked(mode: "legacy" | "auto", answers: readonly object[], more = "", draws = true) {
  const { folder } = await workspace({ "plan.yaml": plan(more), "a.txt": "one\n", "b.txt": "two\n" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...command, "serve", "--stdio", "plan.yaml", "--approval", "elicitation"],
    cwd: folder,
  });
  const capabilities = draws ? { elicitation: { form: {} } } : {};
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities },
  );
  const asked: string[] = [];
  if (draws)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return answers[asked.length - 1] as never;
    });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, given: object) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...given } });
    return { data: structuredContent as never, text: JSON.stringify(content), isError };
  };
  await call("bash", { command: "echo more >> a.txt; rm b.txt; echo export X=1 > .envrc" });
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  return { call, asked, read, has: (path: string) => existsSync(join(folder, path)) };
}

const approve = { action: "accept", content: { decision: "approve" } };
const deny = { action: "accept", content: { decision: "deny", reason: "not that one" } };

describe.runIf(hasLayer)("an agent of an MCP client asks for a keep", () => {
  test.each(["legacy", "auto"] as const)(
    "in mode %s, its user sees the difference and answers; each grave section has a question of its own",
    async (mode) => {
      const { call, asked, read, has } = await worked(mode, [approve, deny, approve]);
      const { data } = await call("ask_to_keep", {});
      const { digest, total } = data as { digest: string; total: number };
      expect(total).toBe(3);
      const both = { digest, sections: ["files", "deletions"] };
      expect((await call("ask_to_keep", both)).text).toContain("each in a call of its own");
      expect(asked).toEqual([]);

      expect((await call("ask_to_keep", { digest, sections: ["files"] })).data).toMatchObject({ kept: 1 });
      expect(asked[0]).toContain("change a.txt\n   one\n  +more");
      expect([read("a.txt"), has("b.txt"), has(".envrc")]).toEqual(["one\nmore\n", true, false]);

      const stale = await call("ask_to_keep", { digest, sections: ["deletions"] });
      expect(stale.isError).toBe(true);
      const { digest: next } = (await call("ask_to_keep", {})).data as { digest: string };
      expect((await call("ask_to_keep", { digest: next, sections: ["obeyed"] })).data).toMatchObject({
        kept: 1,
      });
      expect(asked.at(-1)).toContain("create .envrc\n  +export X=1");
      expect([has(".envrc"), has("b.txt")]).toEqual([true, true]);
    },
  );

  test("about some thousand files, of which the first ones are named", async () => {
    const { call, asked, has } = await worked("auto", [approve]);
    await call("bash", { command: "mkdir gen; for i in $(seq 1500); do echo $i > gen/f$i; done" });
    const { digest, total } = (await call("ask_to_keep", {})).data as { digest: string; total: number };
    expect(total).toBe(1504);
    const { data } = await call("ask_to_keep", { digest, sections: ["files"] });
    expect(data).toMatchObject({ kept: 1502 });
    expect(asked[0]).toContain("create gen/f1000\n  +1000\n");
    expect(asked[0]).toContain("\nother 1,302 more changes of files\n");
    expect([has("gen/f9"), has("b.txt"), has(".envrc")]).toEqual([true, true, false]);
  });

  test("without forms it reads that the question waits, and nothing is kept", async () => {
    const { call, read } = await worked("auto", [], "", false);
    const { digest } = (await call("ask_to_keep", {})).data as { digest: string };
    const { text } = await call("ask_to_keep", { digest, sections: ["files"] });
    expect(text).toContain("approv");
    expect(read("a.txt")).toBe("one\n");
  });

  test("no rule of the plan answers in the place of a person", async () => {
    const { call, read, asked } = await worked("auto", [], "policy: { allow: [ask_to_keep] }\n");
    const { digest } = (await call("ask_to_keep", {})).data as { digest: string };
    const { text } = await call("ask_to_keep", { digest, sections: ["files"] });
    expect(text).toContain("a person has to answer");
    expect([read("a.txt"), asked]).toEqual(["one\n", []]);
  });
});
