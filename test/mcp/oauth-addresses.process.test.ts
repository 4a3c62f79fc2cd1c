import { signIn } from "@toolmount/mcp";
import { expect, test } from "vitest";
import { listenTo } from "./support/http.ts";
import { run } from "./support/command.ts";
import { folderOf } from "./support/world.ts";

/** What the server writes into the metadata of its authorization server, by its own origin and that of another service. */
interface Lies {
  readonly metadata?: object;
  readonly protectedResource?: object;
  readonly resourceMetadata?: string;
  readonly redirect?: string;
}

/** A server that asks for a sign-in and names addresses of its own choice, and a service of this machine that counts. */
async function startLiar(lies: (origin: string, service: string) => Lies) {
  const asked: string[] = [];
  const service = await listenTo(async (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return Response.json(request.method === "POST" ? { client_id: "x" } : { issuer: service }, {
      status: 201,
    });
  });
  const origin: string = await listenTo(async (request) => {
    const { pathname } = new URL(request.url);
    const { metadata, protectedResource, resourceMetadata, redirect } = lies(origin, service);
    const own = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (pathname === "/mcp")
      return new Response("", {
        status: 401,
        headers: { "www-authenticate": `Bearer resource_metadata="${resourceMetadata ?? own}"` },
      });
    if (redirect !== undefined) return Response.redirect(redirect, 302);
    if (pathname.includes("oauth-protected-resource"))
      return Response.json({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
        ...protectedResource,
      });
    if (pathname.includes("oauth-authorization-server"))
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        ...metadata,
      });
    if (pathname === "/register")
      return Response.json({ ...((await request.json()) as object), client_id: "me" }, { status: 201 });
    return new Response("", { status: 404 });
  });
  return { url: `${origin}/mcp`, service, asked };
}

const refusals: readonly (readonly [string, (origin: string, service: string) => Lies, RegExp])[] = [
  [
    "authorization_endpoint: file",
    () => ({ metadata: { authorization_endpoint: "file:///tmp/evil.desktop" } }),
    /https|authorization_endpoint/,
  ],
  [
    "authorization_endpoint: javascript",
    () => ({ metadata: { authorization_endpoint: "javascript:alert(1)" } }),
    /authorization_endpoint/,
  ],
  [
    "authorization_endpoint: http elsewhere",
    () => ({ metadata: { authorization_endpoint: "http://example.com/authorize" } }),
    /http:\/\/example\.com\/authorize is not used/,
  ],
  [
    "authorization_endpoint: another service of this machine",
    (_, service) => ({ metadata: { authorization_endpoint: `${service}/authorize` } }),
    /is not used/,
  ],
  [
    "registration_endpoint: another service of this machine",
    (_, service) => ({ metadata: { registration_endpoint: `${service}/register` } }),
    /is not used/,
  ],
  [
    "registration_endpoint: a private address",
    () => ({ metadata: { registration_endpoint: "https://10.0.0.1/register" } }),
    /https:\/\/10\.0\.0\.1\/register is not used/,
  ],
  [
    "registration_endpoint: an address of a cloud's metadata",
    () => ({ metadata: { registration_endpoint: "https://169.254.169.254/latest" } }),
    /is not used/,
  ],
  [
    "registration_endpoint: mapped IPv6",
    () => ({ metadata: { registration_endpoint: "https://[::ffff:127.0.0.1]/register" } }),
    /is not used/,
  ],
  [
    "registration_endpoint: a name of this machine",
    () => ({ metadata: { registration_endpoint: "https://localhost/register" } }),
    /is not used/,
  ],
  [
    "resource metadata: another service of this machine",
    (_, service) => ({ resourceMetadata: `${service}/metadata` }),
    /is not used/,
  ],
  ["resource metadata: file", () => ({ resourceMetadata: "file:///etc/passwd" }), /file:\/etc|is not used/],
  ["a redirect to another service", (_, service) => ({ redirect: `${service}/metadata` }), /is not used/],
  ["another issuer", () => ({ metadata: { issuer: "https://example.com" } }), /issuer/i],
  ["no PKCE", () => ({ metadata: { code_challenge_methods_supported: ["plain"] } }), /S256/],
  ["another resource", () => ({ protectedResource: { resource: "https://example.com/mcp" } }), /resource/i],
  ["metadata of another shape", () => ({ metadata: { token_endpoint: 7 } }), /token_endpoint/],
];

test.each(refusals)(
  "a sign-in is refused in a sentence, and no other service is asked: %s",
  async (_, lies, why) => {
    const { url, asked } = await startLiar(lies);
    const folder = await folderOf();
    const opened: URL[] = [];

    const refused = signIn({ settings: { name: "liar", url }, folder, open: (to) => void opened.push(to) });

    await expect(refused).rejects.toMatchObject({ code: "SIGN_IN_FAILED" });
    const { message } = (await refused.catch((error: unknown) => error)) as Error;
    expect(message).toMatch(why);
    expect(message).not.toMatch(/\n|\[\s*\{/);
    expect(opened).toEqual([]);
    expect(asked).toEqual([]);
  },
);

test("another service of this machine is asked for metadata only, while it does not say that it signs people in", async () => {
  const { url, asked } = await startLiar((_, service) => ({
    protectedResource: { authorization_servers: [service] },
  }));

  await expect(
    signIn({ settings: { name: "liar", url }, folder: await folderOf(), open: () => {} }),
  ).rejects.toMatchObject({ code: "SIGN_IN_FAILED" });
  expect(asked.length).toBeGreaterThan(0);
  for (const line of asked) expect(line).toMatch(/^GET \/\.well-known\//);
});

test("an authorization server of this machine is used where the plan names it", async () => {
  const { url, service, asked } = await startLiar((_, other) => ({
    protectedResource: { authorization_servers: [other] },
  }));
  const folder = await folderOf();
  const settings = { name: "liar", url, auth: { issuer: service } };

  await expect(signIn({ settings, folder, open: () => {} })).rejects.toMatchObject({
    code: "SIGN_IN_FAILED",
  });
  expect(asked.length).toBeGreaterThan(0);
});

test("toolmount auth says why, with a code and without a stack", async () => {
  const { url } = await startLiar(() => ({ metadata: { token_endpoint: 7 } }));
  const plan = JSON.stringify({ version: 1, tools: [{ module: "liar", source: { mcp: { url } } }] });
  const folder = await folderOf({ "plan.json": plan });

  const failed = await run(["auth", "liar", "plan.json", "--no-browser"], { cwd: folder });
  const unreachable = await run(["auth", "away", "away.json", "--no-browser"], {
    cwd: await folderOf({ "away.json": plan.replace(url, "http://127.0.0.1:9/mcp").replace("liar", "away") }),
  });

  for (const { code, stderr } of [failed, unreachable]) {
    expect(code).not.toBe(0);
    expect(stderr).toContain("SIGN_IN_FAILED");
    expect(stderr).not.toMatch(/INTERNAL|ZodError|^ {4}at /m);
  }
});
