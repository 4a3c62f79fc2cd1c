import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { planOf, runCommand, runHere, workspace } from "../support/workspace.ts";

// Each test is several processes, one after the other.
const env = { ANTHROPIC_API_KEY: "sk-secret" };

test("models lists the providers, the install command of a missing package and the variable of a key, never the key", async () => {
  const people = await runCommand(["models"], { env });
  const programs = await runHere(["models", "--json"], { env });
  const rows = people.stdout.split("\n");
  const rowOf = (name: string) => rows.find((row) => row.startsWith(`${name} `));

  expect(people.code).toBe(0);
  expect(rowOf("anthropic")).toMatch(/missing +ANTHROPIC_API_KEY set +npm install @ai-sdk\/anthropic$/);
  expect(rowOf("google")).toMatch(/npm install @ai-sdk\/google, and set GOOGLE_GENERATIVE_AI_API_KEY$/);
  expect(rowOf("ollama")).toMatch(
    /installed +none needed +start its server, with a model: http:\S+ does not answer$/,
  );
  expect(rowOf("openai-compatible")).toMatch(/name its server in the plan: baseUrl$/);
  expect(rowOf("responses")).toMatch(
    /model: <model> +installed +OPENAI_API_KEY missing +set OPENAI_API_KEY$/,
  );
  expect(programs.json()["providers"]).toContainEqual(
    expect.objectContaining({ name: "anthropic", isInstalled: false, hasKey: true }),
  );
  expect(people.stdout + programs.stdout).not.toContain("sk-secret");
});

test("a package that is installed beside the plan is found from the plan's folder", async () => {
  const { folder, run } = await workspace({
    "other/plan.yaml": planOf("hello-world"),
    "other/node_modules/@ai-sdk/mistral/package.json":
      '{"name":"@ai-sdk/mistral","type":"module","exports":"./i.js"}',
    "other/node_modules/@ai-sdk/mistral/i.js": "export const createMistral = () => {};",
  });
  const isInstalled = async (words: readonly string[], cwd: string) => {
    const { json } = await run(["models", "--json", ...words], { cwd });
    const rows = json()["providers"] as readonly { name: string; isInstalled: boolean }[];
    return rows.find(({ name }) => name === "mistral")?.isInstalled;
  };

  expect(await isInstalled([], folder)).toBe(false);
  expect(await isInstalled(["--plan", "other/plan.yaml"], folder)).toBe(true);
});

test("models lists the models of a server, with the key of the variable that is named and no other", async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer(({ headers }, answer) => {
    keys.push(headers.authorization);
    answer.end(JSON.stringify({ data: [{ id: "qwen" }, { id: "llama3.2:3b" }] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const keyed = { env: { MY_KEY: "k", OPENAI_API_KEY: "other" } };
  const people = await runHere(["models", url], keyed);
  const programs = await runHere(["models", url, "MY_KEY", "--json"], keyed);

  expect(people).toMatchObject({ code: 0, stdout: "llama3.2:3b\nqwen\n" });
  expect(programs.json()).toEqual({ baseUrl: url, models: ["llama3.2:3b", "qwen"] });
  expect(keys).toEqual([undefined, "Bearer k"]);
});

test("a server that does not answer, and a provider without a list, are errors with what to do next", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const gone = await runHere(["models", `http://127.0.0.1:${port}/v1`]);
  const unlisted = await runHere(["models", "anthropic"]);

  expect(gone.code).toBe(1);
  expect(gone.stderr).toMatch(/PROVIDER_FAILED.*ECONNREFUSED.*start the server/);
  expect(unlisted.code).toBe(2);
  expect(unlisted.stderr).toMatch(
    /name one of responses, ollama, llamacpp, lmstudio, vllm, openrouter, or a URL/,
  );
});
