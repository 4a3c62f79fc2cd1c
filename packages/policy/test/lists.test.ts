import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { z } from "zod";
import { config, lint } from "../src/index.ts";
import { tool, world } from "./world.ts";

const bash = tool("bash", {
  category: "side_effect",
  consequenceLevel: "high",
  tags: ["shell"],
  requiresConfirmation: true,
  schema: z.looseObject({ command: z.string(), timeout: z.number().optional() }),
});
const grep = tool("grep", { schema: z.looseObject({ pattern: z.string(), path: z.string().optional() }) });
const fetchPage = tool("web_fetch", { schema: z.looseObject({ url: z.string() }) });
const tools = [bash, grep, fetchPage, tool("read_a"), tool("read_b")];

async function answerOf(policy: unknown, name: string, args: Record<string, unknown> = {}) {
  const { host } = await world(policy, tools);
  return (await host.call({ name, arguments: args }, { sessionId: "s" })).status;
}

describe("the lists allow, ask and deny", () => {
  test.each([
    ["deny wins over ask and allow", { deny: ["read_*"], ask: ["read_a"], allow: ["read_a"] }, "denied"],
    ["ask wins over allow", { ask: ["read_a"], allow: ["read_*"] }, "pending"],
    [
      "ask wins over a rule that allows",
      { ask: ["read_a"], rules: [{ match: {}, answer: "allow" }] },
      "pending",
    ],
    ["allow removes the question of the level", { level: "paranoid", allow: ["read_*"] }, "ok"],
    ["a line about another tool changes nothing", { level: "paranoid", allow: ["write_*"] }, "pending"],
  ])("%s", async (_title, policy, status) => {
    expect(await answerOf(policy, "read_a")).toBe(status);
  });

  test("allow removes the question of the tool", async () => {
    expect(await answerOf({}, "bash", { command: "git status" })).toBe("pending");
    expect(await answerOf({ allow: ["bash(git *)"] }, "bash", { command: "git status" })).toBe("ok");
  });

  test("a pattern is about the first required argument, or about the one that it names", async () => {
    expect(await answerOf({ deny: ["grep(secret*)"] }, "grep", { pattern: "secret", path: "." })).toBe(
      "denied",
    );
    expect(await answerOf({ deny: ["grep(path: secret*)"] }, "grep", { pattern: "secret", path: "." })).toBe(
      "ok",
    );
    expect(await answerOf({ deny: ["grep(path: secret*)"] }, "grep", { pattern: "a", path: "secrets" })).toBe(
      "denied",
    );
    expect(await answerOf({ deny: ["web_fetch(http://*)"] }, "web_fetch", { url: "http://a.example" })).toBe(
      "denied",
    );
  });

  test.each([
    ["a number", 25, "set(2*)", "denied"],
    ["another number", 30, "set(2*)", "ok"],
    ["a boolean", true, "set(true)", "denied"],
    ["an object, which has no text", { a: "true" }, "set(*)", "ok"],
    ["nothing", null, "set(*)", "ok"],
  ])("a pattern and an argument that is %s", async (_title, value, line, status) => {
    const set = tool("set", { schema: z.looseObject({ value: z.json() }) });
    const { host } = await world({ deny: [line] }, [set]);
    expect((await host.call({ name: "set", arguments: { value } }, { sessionId: "s" })).status).toBe(status);
  });

  test("of an argument that is a list, one item is enough to deny, and all must fit to allow", async () => {
    const schema = z.looseObject({ paths: z.array(z.string()) });
    const remove = tool("remove", { schema, requiresConfirmation: true });
    const statusOf = async (policy: object, ...paths: string[]) => {
      const { host } = await world(policy, [remove]);
      return (await host.call({ name: "remove", arguments: { paths } }, { sessionId: "s" })).status;
    };

    expect(await statusOf({ deny: ["remove(secret*)"] }, "a", "secrets")).toBe("denied");
    expect(await statusOf({ deny: ["remove(secret*)"] }, "a", "b")).toBe("pending");
    expect(await statusOf({ allow: ["remove(tmp*)"] }, "tmp1", "tmp2")).toBe("ok");
    expect(await statusOf({ allow: ["remove(tmp*)"] }, "tmp1", "b")).toBe("pending");
    expect(await statusOf({ allow: ["remove(tmp*)"] })).toBe("pending");
  });

  test("C38: the reason names the line, and a model reads it", async () => {
    const { host } = await world({ deny: ["bash(rm *)"] }, tools);
    const { result } = await host.call(
      { name: "bash", arguments: { command: "rm -rf x" } },
      { sessionId: "s" },
    );
    expect(result.error).toContain("the plan denies bash(rm *)");
  });
});

describe("a tool that is denied without a pattern is not offered to a model", () => {
  test("a bare deny hides it, a pattern does not, and its calls are denied all the same", async () => {
    const { host } = await world({ deny: ["web_*", "bash(rm *)"] }, tools);
    const { tools: offered } = await host.offer({});

    expect(offered.map(({ name }) => name)).toEqual(["bash", "grep", "read_a", "read_b"]);
    expect(host.tools().map(({ name }) => name)).toContain("web_fetch");
    expect((await host.call({ name: "web_fetch", arguments: { url: "x" } }, {})).status).toBe("denied");
  });
});

describe("a pattern of a shell's command", () => {
  const denies = ["rm *"];
  test.each([
    ["rm -rf x", true],
    ["rm", true],
    ["cd x && rm -rf y", true],
    ["cd x;rm -rf y", true],
    ["cat x | rm y", true],
    ["echo $(rm x)", true],
    ["echo `rm x`", true],
    ["sudo  rm   x", true],
    ["A=1 rm x", true],
    ["/bin/rm x", true],
    ["\\rm x", true],
    ['"rm" x', true],
    ["if true; then rm x; fi", true],
    ["rmdir x", false],
    ["git rm-like", false],
    ["ls", false],
  ])("to deny, one of its commands is enough: %j", async (command, isDenied) => {
    const status = await answerOf({ deny: denies.map((glob) => `bash(${glob})`) }, "bash", { command });
    expect(status).toBe(isDenied ? "denied" : "pending");
  });

  test.each([
    ["git status", "ok"],
    ["git", "ok"],
    ["git status; rm -rf x", "pending"],
    ["git status && rm -rf x", "pending"],
    ["git log | sh", "pending"],
    ["git log > /etc/passwd", "pending"],
    ["git $(rm x)", "pending"],
    ["git `rm x`", "pending"],
    ["git status\nrm x", "pending"],
    ["gitx", "pending"],
  ])("to allow, it must be one plain command: %j", async (command, status) => {
    expect(await answerOf({ allow: ["bash(git *)"] }, "bash", { command })).toBe(status);
  });

  test("no text that joins another command to an allowed one is allowed", async () => {
    const { host } = await world({ allow: ["bash(git *)"] }, tools);
    const join = fc.constantFrom(";", "&&", "||", "|", "&", "\n", "`", "$(", "<(", ">", "(", "{");
    await fc.assert(
      fc.asyncProperty(fc.string(), join, fc.string(), async (before, sign, after) => {
        const command = `git ${before}${sign}${after}x`;
        const { status } = await host.call({ name: "bash", arguments: { command } }, { sessionId: "s" });
        expect(status).toBe("pending");
      }),
    );
  });
});

test("a list refuses what is no tool with a pattern", () => {
  for (const line of ["", "bash(", "bash()", "b ash", "Bash(git", 1, { tool: "bash" }])
    expect(config.safeParse({ deny: [line] }).success).toBe(false);
});

test("a line that fits no tool of the plan is reported with its place", async () => {
  const { host } = await world({}, tools);
  const settings = config.parse({ deny: ["gone", "bash(rm *)"], allow: ["grep(no_such: x)"] });

  expect(lint(settings, { tools: host.tools() }).map(({ path }) => path)).toEqual([
    ["deny", 0],
    ["allow", 0],
  ]);
});
