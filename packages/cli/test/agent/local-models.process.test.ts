import { chatApi, startProvider, type ProviderScript } from "@toolmount/testing/providers";
import { expect, onTestFinished, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

/** A server as Ollama is one, with two models of which the second calls tools. */
async function ollama(script: ProviderScript) {
  const facts = {
    "/v1/models": { data: [{ id: "gemma" }, { id: "qwen3" }] },
    "/api/show": { capabilities: ["completion", "tools"] },
  };
  const server = await startProvider(chatApi, script, { facts });
  onTestFinished(() => server.close());
  const { host } = new URL(server.baseUrl);
  return { server, env: { OLLAMA_HOST: host, LLAMA_ARG_HOST: "192.0.2.1" } };
}

const folder = () =>
  workspace({
    "mount-plan.yaml": planOf("./echo.ts"),
    "echo.ts": oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" }),
  });

test("models lists a server that runs on this machine, and run uses it without a flag, and says so", async () => {
  const call = { id: "c1", name: "echo", arguments: '{"text":"hi"}' };
  const { server, env } = await ollama([{ calls: [call] }, { text: "It said hi." }]);
  const { run } = await folder();
  const listed = await run(["models"], { env });
  expect(listed.stdout).toMatch(/running on this machine:\n {2}ollama:gemma .*\n {2}ollama:qwen3 /);
  const { json } = await run(["models", "--json"], { env });
  expect(json()["local"]).toContainEqual({
    provider: "ollama",
    baseUrl: server.baseUrl,
    models: ["gemma", "qwen3"],
  });

  const turn = await run(["run", "Echo hi"], { env });
  expect(turn).toMatchObject({ code: 0, stdout: "It said hi.\n" });
  expect(turn.stderr).toContain(
    "no model is named: using ollama:gemma, one of 2, which runs on this machine",
  );
  expect(server.requests[0]).toMatchObject({ model: "gemma" });
  expect(server.broken).toEqual([]);
});

test("a server of another machine is not looked for, and a port with another answer is not used", async () => {
  const { server } = await ollama([]);
  const { run } = await folder();
  const other = await startProvider(chatApi, [], { facts: { "/v1/models": { hello: "world" } } });
  onTestFinished(() => other.close());
  for (const host of [new URL(other.baseUrl).host, "192.0.2.1:11434", "not an address"]) {
    const turn = await run(["run", "Echo hi"], { env: { OLLAMA_HOST: host } });
    expect(turn.code, host).toBe(2);
    expect(turn.stderr).toMatch(/no model is named, and no server of models runs on this machine/);
  }
  expect(server.requests).toEqual([]);
});
