import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPageSignIn, findOidcKeys } from "@toolmount/http";
import { expect, onTestFinished, test } from "vitest";

/** A provider on loopback that says this of itself. Its addresses are those of a real one, changed. */
async function provider(change: (facts: Record<string, unknown>) => object, status = 200): Promise<string> {
  const server = createServer((request, response) => {
    const facts = {
      issuer,
      jwks_uri: `${issuer}/keys`,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    };
    const isFound = request.url === "/.well-known/openid-configuration";
    response.writeHead(isFound ? status : 404).end(JSON.stringify(change(facts)));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;
}

const pageOf = (issuer: string) =>
  createPageSignIn({
    issuer,
    audience: "toolmount",
    clientId: "page",
    clientSecret: undefined,
    authenticate: async () => null,
  });

test("a provider is found by its discovery document", async () => {
  const issuer = await provider((facts) => facts);

  expect(String(await findOidcKeys(issuer))).toBe(`${issuer}/keys`);
  expect((await pageOf(issuer)).provider).toBe(new URL(issuer).host);
});

test.each(["login", "http://login.example.com", "ftp://127.0.0.1"])(
  "the issuer %s is refused before it is asked",
  async (issuer) => {
    await expect(findOidcKeys(issuer)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { option: "issuer", problem: `${issuer}: it is not an https address` },
    });
  },
);

test.each([
  ["is of another issuer", { issuer: "https://a.example" }, /names the issuer https:\/\/a\.example$/],
  [
    "sends codes in the clear",
    { token_endpoint: "http://a.example/token" },
    /its token_endpoint is not an https address: http:\/\/a\.example\/token$/,
  ],
  ["says where no keys are", { jwks_uri: undefined }, /openid-configuration cannot be read: [^]*jwks_uri/],
])("a provider that %s is refused", async (_what, change, problem) => {
  const issuer = await provider((facts) => ({ ...facts, ...change }));

  await expect(findOidcKeys(issuer)).rejects.toMatchObject({
    code: "OPTION_INVALID",
    details: { problem: expect.stringMatching(problem) },
  });
});

test("a provider that answers with an error is refused with its status", async () => {
  const issuer = await provider((facts) => facts, 503);

  await expect(findOidcKeys(issuer)).rejects.toThrow(
    expect.objectContaining({
      message: `option issuer: ${issuer}: ${issuer}/.well-known/openid-configuration cannot be read: it answered with status 503`,
    }),
  );
});

test.each(["authorization_endpoint", "token_endpoint"])(
  "people cannot sign in at a provider that names no %s",
  async (name) => {
    const issuer = await provider((facts) => ({ ...facts, [name]: undefined }));

    await expect(findOidcKeys(issuer)).resolves.toBeInstanceOf(URL);
    await expect(pageOf(issuer)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { problem: `${issuer}: it names no address at which people sign in` },
    });
  },
);
