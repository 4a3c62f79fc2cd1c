import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startServer, writeTokens } from "../support/served.ts";
import { oneTool, workspace } from "../support/workspace.ts";

/** A port of this machine that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("a server over HTTP that has its own address in the plan leaves that entry out, and check names it", async () => {
  const tokens = await writeTokens();
  const port = await freePort();
  const mcp = {
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { Authorization: "Bearer ${TOKEN}" },
  };
  const place = await workspace({
    "echo.ts": oneTool({ name: "echo", body: "return data(1);" }),
    "plan.yaml": JSON.stringify({
      version: 1,
      tools: [{ module: "./echo.ts" }, { module: "again", prefix: "x_", required: false, source: { mcp } }],
    }),
  });
  const env = { TOKEN: tokens.call };
  const options = { ...place, start: (words: readonly string[]) => place.start(words, { env }) };
  const { ask, log } = await startServer(options, tokens, ["plan.yaml"], { address: `127.0.0.1:${port}` });
  const names = async () => {
    const { body } = await ask("GET", "/tools");
    return (body["tools"] as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  while (!log().includes("is served to itself")) await new Promise((resolve) => setTimeout(resolve, 50));

  expect(await names()).toEqual(["echo"]);
  const { stdout } = await place.run(["check", "plan.yaml"], { env });
  expect(stdout).toMatch(/PLAN_SERVES_ITSELF plan\.yaml:1:\d+/);
});
