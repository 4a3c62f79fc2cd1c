import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { systemClock } from "@toolmount/core";
import { createTokenExchange } from "@toolmount/http";
import { describe, expect, onTestFinished, test } from "vitest";

const now = Date.UTC(2026, 0, 1);

/** A token that ends so many seconds from now. */
const token = (name: string, seconds: number) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ name, exp: now / 1_000 + seconds })}.x`;
};

/** A provider that answers exchanges as the test says; what it is asked is noted. */
async function world(answer: object = {}, status = 200, facts: object = {}) {
  let time = now;
  const asked: Record<string, string>[] = [];
  const reads: string[] = [];
  const headers: (string | undefined)[] = [];
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (code: number, body: object) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.method === "GET") {
      reads.push(request.url!);
      const addresses = { jwks_uri: `${issuer}/keys`, token_endpoint: `${issuer}/token`, ...facts };
      return send(200, { issuer, ...addresses });
    }
    headers.push(request.headers.authorization);
    asked.push(Object.fromEntries(new URLSearchParams(await text(request))));
    const usual = { access_token: "exchanged", token_type: "Bearer", issued_token_type: "t", expires_in: 5 };
    return send(status, status === 200 ? { ...usual, ...answer } : answer);
  };
  const server = createServer((request, response) => void answerTo(request, response)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const check = async (given: string) => {
    if (given === "unknown") return null;
    const user = given.startsWith("of ") ? given : "ana";
    return {
      name: user,
      user: given === token("program", 9) ? null : user,
      roles: new Set(),
      hosts: null,
    } as never;
  };
  const clock = { ...systemClock, now: () => time };
  const { authenticate, exchange } = createTokenExchange(issuer, check, clock);
  const request = { user: "ana", issuer, clientId: "gateway", clientSecret: "s", resource: undefined };
  const ask = (more: object = {}) => exchange({ ...request, ...more });
  const wait = (ms: number) => void (time += ms);
  const subjects = () => asked.map(({ subject_token: subject }) => subject);
  return { issuer, authenticate, ask, asked, subjects, reads, headers, wait };
}
const refused = (issuer: string, answer: string) =>
  expect.objectContaining({
    code: "TOKEN_EXCHANGE_REFUSED",
    message: `the provider ${issuer} gave no token for this server; it answered: ${answer}`,
  });

describe("a token of a user", () => {
  test("is exchanged with all that the plan asks for", async () => {
    const { authenticate, ask, asked, reads, headers } = await world();
    await authenticate(token("a", 9));
    const more = { audience: "files", resource: "https://files.test", scope: "read" };
    expect(await ask(more)).toEqual({ accessToken: "exchanged", endsAt: now + 5_000 });
    await ask();
    const type = "urn:ietf:params:oauth:token-type:access_token";
    const common = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: token("a", 9),
      subject_token_type: type,
      requested_token_type: type,
    };
    expect(asked).toEqual([{ ...common, ...more }, common]);
    expect(reads).toEqual(["/.well-known/openid-configuration"]);
    expect(headers[0]).toBe(`Basic ${Buffer.from("gateway:s").toString("base64")}`);
  });

  test("is the one that ends last, as long as it is valid", async () => {
    const { authenticate, ask, subjects, wait } = await world();
    const [short, long, longer] = [token("short", 5), token("long", 9), token("longer", 12)];
    for (const given of [short, long, short, longer, long]) {
      await authenticate(given);
      await ask();
    }
    expect(subjects()).toEqual([short, long, long, longer, longer]);
    wait(11_999);
    await ask();
    wait(1);
    await expect(ask()).rejects.toThrow(expect.objectContaining({ code: "TOKEN_MISSING" }));
    await authenticate(token("next", 20));
    expect(await ask()).toMatchObject({ accessToken: "exchanged" });
  });

  test("is of that user only, and no other token is kept", async () => {
    const { authenticate, ask, issuer, asked } = await world();
    expect(await authenticate("unknown")).toBeNull();
    expect(await authenticate(token("program", 9))).toMatchObject({ user: null });
    await expect(ask()).rejects.toThrow(
      expect.objectContaining({
        code: "TOKEN_MISSING",
        message: `there is no valid token of the user "ana" from ${issuer}; a call of this server has to come to toolmount serve --http with one`,
      }),
    );
    await authenticate(token("a", 9));
    const other = "https://login.example.com";
    await expect(ask({ issuer: other })).rejects.toThrow(
      expect.objectContaining({
        code: "TOKEN_EXCHANGE_REFUSED",
        message: `the plan names the provider ${other}, and users come with tokens of ${issuer}; a token is sent to its own issuer only`,
      }),
    );
    expect(asked).toEqual([]);
  });
});

describe("an exchange", () => {
  test.each<[object, number, string]>([
    [{ error: "invalid_target" }, 400, "invalid_target"],
    [{ error: "invalid_target", error_description: "no such place" }, 400, "invalid_target: no such place"],
    [{ token_type: "DPoP" }, 200, "a token of type dpop"],
    [{ access_token: token("a", 9) }, 200, "the token of the user itself, which no other server may get"],
  ])("that is answered with %j and %i is refused", async (answer, status, problem) => {
    const { authenticate, ask, issuer } = await world(answer, status);
    await authenticate(token("a", 9));
    await expect(ask()).rejects.toThrow(refused(issuer, problem));
  });

  test("may give a token without an end", async () => {
    const { authenticate, ask } = await world({ expires_in: undefined });
    await authenticate(token("a", 9));
    expect(await ask()).toEqual({ accessToken: "exchanged", endsAt: undefined });
  });

  test("at a provider without an address for tokens fails, and the provider is read again", async () => {
    const { authenticate, ask, issuer, reads } = await world({}, 200, { token_endpoint: undefined });
    await authenticate(token("a", 9));
    const problem = expect.objectContaining({
      code: "TOKEN_EXCHANGE_FAILED",
      message: `the provider ${issuer} could not be asked for a token of this server: it names no address for tokens`,
    });
    await expect(ask()).rejects.toThrow(problem);
    await expect(ask()).rejects.toThrow(problem);
    expect(reads).toHaveLength(1);
    const broken = await world({}, 200, { jwks_uri: undefined });
    await broken.authenticate(token("a", 9));
    for (let count = 0; count < 2; count++) await expect(broken.ask()).rejects.toThrow("could not be asked");
    expect(broken.reads).toHaveLength(2);
  });
});
