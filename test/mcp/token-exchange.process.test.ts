import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { audience, gatewaySecret, startProvider } from "../../packages/http/test/support/provider.ts";
import { linkPackages, serveCommand } from "./support/command.ts";
import { startExchangeServer } from "./support/exchange-server.ts";
import { connectWith } from "./support/gateway.ts";
import { folderOf, open, planOf, until } from "./support/world.ts";

const whoAmI = { name: "who_am_i", arguments: {} };
const roles = { ana: ["call"], ben: ["call"] };

/** A gateway whose users come with tokens of a real provider, before a server that wants tokens of its own. */
async function gateway(
  settings: { readonly seconds?: number; readonly answer?: (subject: string) => object | undefined } = {},
  source: { readonly auth?: object } = {},
) {
  const server = await startExchangeServer();
  const provider = await startProvider({ roles, exchange: { resource: server.url, ...settings } });
  await server.accept(provider.issuer);
  const auth = {
    grant: "token_exchange",
    clientId: "gateway",
    clientSecret: "${GATEWAY_SECRET}",
    issuer: provider.issuer,
    ...source.auth,
  };
  const plan = planOf({ url: server.url, instance: "user", auth });
  const folder = await folderOf({ "plan.yaml": stringify(plan) });
  await linkPackages(folder);
  const words = ["plan.yaml", "--oidc", `issuer=${provider.issuer}`, `audience=${audience}`];
  const env = { GATEWAY_SECRET: gatewaySecret };
  const { url, kill, logged } = await serveCommand(words, { cwd: folder, env });
  /** A call of a person, with a token. */
  const call = async (token: string) => {
    const client = await connectWith(url, token, { versionNegotiation: { mode: "auto" } });
    const { content, isError } = await client.callTool(whoAmI);
    const [{ text } = { text: "" }] = content as { text: string }[];
    return isError === true ? { error: text } : text;
  };
  /** What the gateway leaves behind when it has ended: its log, and the files beside the plan. */
  const traces = async () => {
    await kill();
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes("node_modules"),
    );
    const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
    return [await logged, ...(await Promise.all(texts))].join("\n");
  };
  return { server, provider, folder, call, plan, traces };
}

test("each user's token is exchanged once for one of the server, and never sent to it, logged or stored", async () => {
  const { server, provider, call, traces } = await gateway();
  const [ana, ben] = [await provider.signedIn("ana"), await provider.signedIn("ben")];

  const answers = await Promise.all([call(ana), call(ben), call(ana), call(ben)]);
  const later = await call(await provider.signedIn("ana"));

  expect([...answers, later]).toEqual(["ana", "ben", "ana", "ben", "ana"]);
  expect(provider.exchanges.toSorted()).toEqual(["ana", "ben"]);
  for (const token of [ana, ben]) expect(server.tokens).not.toContain(token);
  const users = [...server.tokens].map((token) => decodeJwt(token)).filter(({ sub }) => sub !== "gateway");
  for (const { aud } of users) expect(aud).toBe(server.url);
  const left = await traces();
  for (const token of [ana, ben, gatewaySecret]) expect(left).not.toContain(token);
  // That of the client, with which the host lists tools, is kept like those of a sign-in.
  for (const token of server.tokens)
    if (decodeJwt(token).sub !== "gateway") expect(left).not.toContain(token);
});

test("a token from an exchange is replaced before it ends, and when the server refuses it", async () => {
  const { server, provider, call } = await gateway({ seconds: 2 });
  const ana = await provider.signedIn("ana");

  await until(async () => {
    expect(await call(ana)).toBe("ana");
    return provider.exchanges.length > 2;
  });
  const before = provider.exchanges.length;
  server.revoke();

  expect(await call(ana)).toBe("ana");
  expect(provider.exchanges.length).toBeGreaterThan(before);
});

test.each([
  ["for another target", { auth: { audience: "https://other.example" } }, undefined, "invalid_target"],
  [
    "by the user's own token",
    {},
    (subject: string) => ({ access_token: subject, token_type: "Bearer" }),
    "the token of the user itself",
  ],
])(
  "an exchange %s is refused, and the server gets no token of a user",
  async (_, source, answer, problem) => {
    const { server, provider, call, traces } = await gateway(answer === undefined ? {} : { answer }, source);
    const ana = await provider.signedIn("ana");

    expect(await call(ana)).toMatchObject({ error: expect.stringContaining(problem) });
    const subjects = [...server.tokens].map((token) => decodeJwt(token).sub);
    expect(subjects).not.toContain("ana");
    expect(await traces()).not.toContain(ana);
  },
);

test("a host whose users come without a token of the provider says so with a code", async () => {
  const { folder, plan } = await gateway();
  const host = await open(plan, { cwd: folder, env: { GATEWAY_SECRET: gatewaySecret } });

  const outcome = await host.call(whoAmI, { userId: "ana" });

  expect(outcome).toMatchObject({ status: "failed", result: { code: "TOKEN_MISSING" } });
  expect(outcome.result.error).toContain("toolmount serve --http --oidc");
});

test.each([
  [{ instance: "shared" }, "write instance: user"],
  [{ auth: { grant: "token_exchange", clientId: "a" } }, "needs clientId and issuer"],
  [{ auth: { audience: "a" } }, "audience is for the grant token_exchange"],
])("an entry with an exchange that cannot work is refused: %j", async (part, problem) => {
  const auth = { grant: "token_exchange", clientId: "a", issuer: "https://a.example" };
  const source = { url: "https://a.example/mcp", instance: "user", auth, ...part };

  await expect(open(planOf(source))).rejects.toThrow(problem);
});
