import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, onTestFinished, test, vi } from "vitest";
import { operatorWorld } from "../support/operator-world.ts";
import { readEvents, startServer, writeTokens } from "../support/served.ts";
import { atTerminal } from "../support/terminal.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const isFull = process.env["TOOLMOUNT_LOAD"] === "full";
if (isFull) vi.setConfig({ testTimeout: 3_600_000 });

const echo = oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" });
/** Leaves a mark of each call that ran. */
const mark = oneTool({
  name: "mark",
  schema: "text: z.string()",
  body: `const { appendFileSync } = await import("node:fs"); appendFileSync("marks.txt", params.text + "\\n"); return data(params.text);`,
});
/** Ends when its call is cancelled, never by itself. */
const wait = oneTool({
  name: "wait",
  body: `
    context.progress({ progress: 1 });
    await new Promise((_, reject) => context.abortSignal.addEventListener("abort", () => reject(new Error("stopped"))));
    return data(1);`,
});
/** Ends when the file that its call names is there. */
const until = oneTool({
  name: "until",
  schema: "file: z.string()",
  body: `
    const { existsSync, watch } = await import("node:fs");
    const { basename, dirname } = await import("node:path");
    context.progress({ progress: 1 });
    await new Promise((resolve) => {
      const watcher = watch(dirname(params.file), () => existsSync(params.file) && (watcher.close(), resolve(null)));
      if (existsSync(params.file)) (watcher.close(), resolve(null));
    });
    return data(basename(params.file));`,
});

const files = {
  "plan.yaml": planOf("./echo.ts", "./wait.ts", "./until.ts", "./mark.ts"),
  "echo.ts": echo,
  "wait.ts": wait,
  "until.ts": until,
  "mark.ts": mark,
};

/** Asks for a stream of events. */
function stream(url: string, path: string, token: string, body: object): Promise<Response> {
  return fetch(`${url}/api/v1/hosts/default${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify(body),
  });
}

test("SIGTERM: a call that runs ends by itself within the grace, another is cancelled then, and a new one is refused", async () => {
  const place = await workspace(files);
  const tokens = await writeTokens();
  const { child, ended, url, ask } = await startServer(place, tokens, ["plan.yaml", "--grace", "3000"]);
  const go = `${place.folder}/go`;
  const short = readEvents(
    await stream(url, "/calls", tokens.call, { tool: "until", arguments: { file: go } }),
  );
  const long = readEvents(await stream(url, "/calls", tokens.call, { tool: "wait" }));
  expect((await short.next()).value).toMatchObject({ event: "progress" });
  expect((await long.next()).value).toMatchObject({ event: "progress" });
  const watched = await fetch(`${url}/api/v1/hosts/default/events`, {
    headers: { authorization: `Bearer ${tokens.ops}` },
  });
  const seen = readEvents(watched);
  expect((await seen.next()).value).toMatchObject({ event: "hello" });

  child.kill("SIGTERM");
  let last = "";
  for await (const { event } of seen) last = event;
  expect(last).toBe("bye");
  await expect(ask("POST", "/calls", { tool: "echo", arguments: { text: "late" } })).rejects.toThrow(
    "fetch failed",
  );
  await place.write("go", "");

  expect((await short.next()).value).toMatchObject({ event: "outcome", data: { status: "ok" } });
  expect((await long.next()).value).toMatchObject({ event: "outcome", data: { status: "cancelled" } });
  expect(await ended).toMatchObject({ code: 0 });
});

test("a second SIGTERM ends the server immediately", async () => {
  const place = await workspace(files);
  const tokens = await writeTokens();
  const { child, ended, url } = await startServer(place, tokens, ["plan.yaml", "--grace", "600000"]);
  const long = readEvents(await stream(url, "/calls", tokens.call, { tool: "wait" }));
  await long.next();
  const events = readEvents(
    await fetch(`${url}/api/v1/hosts/default/events`, { headers: { authorization: `Bearer ${tokens.ops}` } }),
  );
  await events.next();

  child.kill("SIGTERM");
  for await (const { event } of events) if (event === "bye") break;
  child.kill("SIGTERM");

  expect((await ended).code).toBe(143);
});

test("SIGHUP reads the plans and the tokens again; a plan with problems changes nothing", async () => {
  const place = await workspace({ ...files, "plan.yaml": planOf("./echo.ts") });
  const tokens = await writeTokens();
  const { child, ask, log } = await startServer(place, tokens, ["plan.yaml"]);
  const names = async () =>
    ((await ask("GET", "/tools")).body["tools"] as { name: string }[]).map(({ name }) => name);
  const logged = (text: string) => expect.poll(log, { timeout: 60_000 }).toContain(text);
  expect(await names()).toEqual(["echo"]);

  await place.write("plan.yaml", planOf("./echo.ts", "./wait.ts"));
  const stored = JSON.parse(await readFile(tokens.file, "utf8")) as { tokens: { name: string }[] };
  const fewer = { ...stored, tokens: stored.tokens.filter(({ name }) => name !== "ana") };
  await writeFile(tokens.file, JSON.stringify(fewer));
  child.kill("SIGHUP");
  await logged("reloaded default: generation 2");
  expect(await names()).toEqual(["echo", "wait"]);
  expect((await ask("GET", "/tools", undefined, { as: tokens.ana })).status).toBe(401);

  await place.write("plan.yaml", planOf("./nowhere.ts"));
  child.kill("SIGHUP");
  await logged("default is as it was");
  expect(await names()).toEqual(["echo", "wait"]);
});

test("several plans are served by name, and a token for one of them does not see the others", async () => {
  const place = await workspace({
    ...files,
    "one.yaml": planOf("./echo.ts"),
    "two.yaml": planOf("./wait.ts"),
  });
  const tokens = await writeTokens();
  const stored = JSON.parse(await readFile(tokens.file, "utf8")) as { tokens: { name: string }[] };
  const bound = stored.tokens.map((one) => (one.name === "call" ? { ...one, hosts: ["second"] } : one));
  await writeFile(tokens.file, JSON.stringify({ version: 1, tokens: bound }));
  const { ask, url } = await startServer(place, tokens, ["one.yaml", "--also", "second=two.yaml"]);
  const toolsOf = async (host: string, as: string) => {
    const { status, body } = await ask("GET", "/tools", undefined, { host, as });
    return status === 200 ? (body["tools"] as { name: string }[]).map(({ name }) => name) : status;
  };

  expect(await toolsOf("default", tokens.ops)).toEqual(["echo"]);
  expect(await toolsOf("second", tokens.ops)).toEqual(["wait"]);
  expect(await toolsOf("default", tokens.call)).toBe(404);
  expect(await toolsOf("second", tokens.call)).toEqual(["wait"]);
  const hosts = await fetch(`${url}/api/v1/hosts`, { headers: { authorization: `Bearer ${tokens.call}` } });
  expect(((await hosts.json()) as { hosts: { name: string }[] }).hosts.map(({ name }) => name)).toEqual([
    "second",
  ]);
});

test("a turn streams its events, waits for a person, and its session forks and is cancelled", async () => {
  const { server, tokens } = await operatorWorld();
  const { url, ask } = server;
  const prompt = "Set the version to 2.0.0 and deploy it.";
  const started = await ask("POST", "/turns", { prompt, sessionId: "s1" }, { as: tokens.ana });
  const path = `/turns/${String(started.body["id"])}`;
  const names: string[] = [];
  let turn: Record<string, unknown> = {};
  const headers = { authorization: `Bearer ${tokens.ana}` };
  for await (const { event, data } of readEvents(
    await fetch(`${url}/api/v1/hosts/default${path}/events`, { headers }),
  )) {
    names.push(event === "step" ? String(data["type"]) : event);
    if (event === "turn") turn = data;
    if (turn["status"] === "waiting") break;
  }
  expect(names.filter((name) => name !== "text_delta")).toEqual([
    "turn",
    "begin",
    "text",
    "tool_call",
    "tool_result",
    "tool_call",
    "hitl",
    "done",
    "turn",
  ]);
  expect(names).toContain("text_delta");
  expect(turn).toMatchObject({ waiting: [{ tool: "edit_file", waitsFor: "approval", sessionId: "ana:s1" }] });
  const seen = await ask("GET", "/sessions/ana:s1", undefined, { as: tokens.call });
  expect(seen.status).toBe(200); // a token without a user sees every user's sessions

  const early = await ask("POST", "/sessions/s1/resume", {}, { as: tokens.ana });
  expect([early.status, early.body["id"]]).toEqual([202, turn["id"]]);
  const fork = await ask("POST", "/sessions/s1/fork", undefined, { as: tokens.ana });
  expect(fork.body).toMatchObject({ forkedFrom: "ana:s1", status: "done" });
  expect((await ask("POST", "/sessions/s1/cancel", undefined, { as: tokens.ana })).status).toBe(200);
  expect((await ask("GET", "/sessions/ana:s1")).body).toMatchObject({ status: "cancelled", waits: 0 });
  expect((await ask("GET", path)).body).toMatchObject({ status: "cancelled", waiting: [] });
  expect((await ask("GET", "/approvals")).body).toMatchObject({ waiting: [] });
});

/** An OpenID provider on loopback, and its signed tokens. */
async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256", kid: "one" }] };
  const server = createServer(({ url }, response) => {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pages: Record<string, object> = {
      "/.well-known/openid-configuration": {
        issuer,
        jwks_uri: `${issuer}/keys`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
      },
      "/keys": keys,
    };
    const page = pages[url ?? ""];
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(page ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign = (sub: string, roles: readonly string[], audience = "release-desk") =>
    new SignJWT({ groups: roles })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(sub)
      .setExpirationTime("5m")
      .sign(privateKey);
  return { issuer, sign };
}

test("tokens of an OpenID provider are accepted beside stored ones, with the roles of their claim", async () => {
  const place = await workspace(files);
  const tokens = await writeTokens();
  const { issuer, sign } = await startIssuer();
  const oidc = ["--oidc", `issuer=${issuer}`, "audience=release-desk", "roles=groups"];
  const { ask } = await startServer(place, tokens, ["plan.yaml", ...oidc]);
  const call = { tool: "echo", arguments: { text: "hello" } };

  const own = await ask("POST", "/calls", call, { as: await sign("eva", ["call"]) });
  expect(own.body).toMatchObject({ status: "ok", userId: "eva" });
  expect((await ask("GET", "/approvals", undefined, { as: await sign("eva", ["call"]) })).status).toBe(403);
  expect((await ask("GET", "/approvals", undefined, { as: await sign("max", ["approve"]) })).status).toBe(
    200,
  );
  expect((await ask("POST", "/calls", call, { as: await sign("eva", ["call"], "other") })).status).toBe(401);
  expect((await ask("POST", "/calls", call, { as: tokens.call })).status).toBe(200);

  const wrong = await place.run([
    "serve",
    "plan.yaml",
    "--http",
    "127.0.0.1:0",
    "--oidc",
    `issuer=${issuer}/x`,
    "audience=a",
  ]);
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain("/x/.well-known/openid-configuration cannot be read");
});

test("people sign in to the page as the client that the options name, whose secret is in a file of its owner", async () => {
  const place = await workspace(files);
  const { issuer } = await startIssuer();
  const tokens = await writeTokens();
  const oidc = ["--oidc", `issuer=${issuer}`, "audience=https://tools.example.com/mcp"];
  const client = ["--oidc", "client=page", "scope=openid offline_access"];
  const secret = join(dirname(tokens.file), "secret");
  await writeFile(secret, "a secret of two sides\n", { mode: 0o600 });
  const words = ["plan.yaml", ...oidc, ...client, "--public-url", "https://tools.example.com"];
  const { url } = await startServer(place, tokens, [...words, "--oidc", `secret=${secret}`]);
  const sent = await fetch(`${url}/signin?view=/inbox`, { redirect: "manual" });
  expect(sent.status).toBe(302);
  const to = new URL(sent.headers.get("location")!);
  expect(`${to.origin}${to.pathname}`).toBe(`${issuer}/authorize`);
  expect(Object.fromEntries(to.searchParams)).toMatchObject({
    client_id: "page",
    redirect_uri: "https://tools.example.com/signin/callback",
    scope: "openid offline_access",
    resource: "https://tools.example.com/mcp",
    code_challenge_method: "S256",
  });
  expect(sent.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/);

  await chmod(secret, 0o644);
  const run = (...given: string[]) => place.run(["serve", "plan.yaml", "--http", "127.0.0.1:0", ...given]);
  const open = await run(...oidc, ...client, "--oidc", `secret=${secret}`);
  expect(open.stderr).toContain("others can read it");
  const without = await run(...client);
  expect(without.stderr).toContain("--oidc needs issuer=<url>");
});

test("a client of MCP reads where to sign in, from the refusal on", async () => {
  const place = await workspace(files);
  const { issuer, sign } = await startIssuer();
  const words = ["plan.yaml", "--oidc", `issuer=${issuer}`, "roles=groups"];
  const { url } = await startServer(place, await writeTokens(), [
    ...words,
    "audience=https://tools.example.com/mcp",
  ]);

  const refused = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  const [, address = ""] = /^Bearer resource_metadata="(.+)"$/.exec(
    refused.headers.get("www-authenticate")!,
  )!;
  expect(await (await fetch(address)).json()).toMatchObject({
    resource: `${url}/mcp`,
    authorization_servers: [issuer],
    scopes_supported: ["openid"],
  });
  const headers = { authorization: `Bearer ${await sign("eva", ["call"], "https://tools.example.com/mcp")}` };
  expect((await fetch(`${url}/api/v1/hosts/default/tools`, { headers })).status).toBe(200);

  const far = ["--public-url", "https://tools.example.com/"];
  const proxied = await startServer(place, await writeTokens(), [...words, "audience=a", ...far]);
  const metadata = await fetch(`${proxied.url}/.well-known/oauth-protected-resource`);
  expect(await metadata.json()).toMatchObject({ resource: "https://tools.example.com/mcp" });
});

test("a file of tokens is made without a terminal: printed on request, or from a variable", async () => {
  const { run, read } = await workspace({});
  const printed = await run(["tokens", "add", "t.json", "ops", "--print"]);
  expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tm_\S+\n$/), stderr: "" });
  const given = "x".repeat(43);
  const env = { AGENT_TOKEN: given, SHORT: "x" };
  expect(await run(["tokens", "add", "t.json", "agent", "--from-env", "AGENT_TOKEN"], { env })).toMatchObject(
    { code: 0, stdout: "", stderr: "" },
  );
  for (const name of ["SHORT", "ABSENT"]) {
    const refused = await run(["tokens", "add", "t.json", "no", "--from-env", name], { env });
    expect([refused.code, refused.stderr.includes(`the variable ${name}`)]).toEqual([2, true]);
  }
  const { tokens } = JSON.parse(await read("t.json")) as { tokens: { name: string; sha256: string }[] };
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  expect(tokens.map(({ name, sha256 }) => [name, sha256])).toEqual([
    ["ops", hash(printed.stdout.trim())],
    ["agent", hash(given)],
  ]);
});

test("a file of tokens is made at a terminal: each token is shown once, and the file has its hash and roles only", async () => {
  const { folder, run, read } = await workspace({});
  const add = atTerminal(["tokens", "add", "t.json", "ops", "--role", "call", "--role", "approve"], {
    cwd: folder,
  });
  const screen = await add.until(/tm_\S+ +shown only now/);
  expect(await add.ended).toBe(0);
  const [, token = ""] = /(tm_\S+)/.exec(screen) ?? [];
  const text = await read("t.json");

  expect(text).not.toContain(token);
  expect((await run(["tokens", "list", "t.json", "--json"])).json()).toEqual({
    tokens: [{ name: "ops", roles: ["call", "approve"] }],
  });
  expect((await run(["tokens", "add", "t.json", "eva"])).code).toBe(2);
  expect((await run(["tokens", "remove", "t.json", "eva"])).stderr).toContain("no token named");
  expect((await run(["tokens", "remove", "t.json", "ops"])).code).toBe(0);
  expect(JSON.parse(await read("t.json"))).toEqual({ version: 1, tokens: [] });
});

test("a server that is started and stopped under load answers every call that it took", async () => {
  // The full count is 100.
  const rounds = isFull ? 100 : 2;
  const place = await workspace(files);
  const tokens = await writeTokens();
  const unanswered: string[] = [];
  const outcomes: string[] = [];
  await place.write("marks.txt", "");
  let answered = 0;
  for (let round = 0; round < rounds; round++) {
    const { child, ended, url, ask } = await startServer(place, tokens, ["plan.yaml", "--grace", "200"]);
    // These have begun when the signal comes, so each must get its outcome.
    const begun = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const events = readEvents(await stream(url, "/calls", tokens.call, { tool: "wait" }));
        await events.next();
        return events;
      }),
    );
    // These arrive while it ends: each gets its outcome, or did not run.
    const late = Array.from({ length: 24 }, async (_, at) => {
      const text = `${round} ${at}`;
      const answer = await ask("POST", "/calls", { tool: "mark", arguments: { text } }).catch(() => null);
      return answer?.status === 200 ? [text] : [];
    });
    child.kill("SIGTERM");
    for (const events of begun) {
      const { value } = (await events.next()) as { value?: { event: string; data: { status?: string } } };
      if (value?.event !== "outcome" || value.data.status !== "cancelled")
        unanswered.push(JSON.stringify(value));
      else answered += 1;
    }
    expect((await ended).code).toBe(0);
    outcomes.push(...(await Promise.all(late)).flat());
  }

  expect(unanswered).toEqual([]);
  expect(answered).toBe(8 * rounds);
  const ran = (await place.read("marks.txt")).split("\n").filter(Boolean);
  expect(outcomes.toSorted()).toEqual(ran.toSorted());
});
