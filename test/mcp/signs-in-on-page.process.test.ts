import { join } from "node:path";
import { silentLogger, type Json, type ServerSignIn } from "@toolmount/core";
import { stringify } from "yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { windows } from "../../packages/cli/test/support/browser.ts";
import { startBrowser } from "../../packages/page/test/support/browser.ts";
import { openPage } from "../../packages/page/test/support/page.ts";
import { startProtectedServer } from "./support/authorization-server.ts";
import { linkPackages, serveCommand } from "./support/command.ts";
import {
  agree,
  askApi,
  comeBack,
  connectWith,
  signInOnPage,
  tokensOfPeople,
  type Cookies,
} from "./support/gateway.ts";
import { signInByFetch } from "./support/sign-in.ts";
import { folderOf, open, planOf, serverOf } from "./support/world.ts";

let browser: Awaited<ReturnType<typeof startBrowser>>;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const name = "fixture";
const users = ["ana", "ben"] as const;
const publicUrl = "https://tools.example.com";
const whoAmI = { name: "who_am_i", arguments: {} };

/** A gateway over HTTP before a protected server, to which the host itself has signed in; each user has to. */
async function gateway(words: readonly string[] = [], credentials: object = {}) {
  const server = await startProtectedServer();
  const settings = { url: server.url, name, instance: "user" };
  const folder = await folderOf({
    "plan.yaml": stringify(planOf({ url: server.url, instance: "user", users: credentials })),
  });
  await linkPackages(folder);
  await signInByFetch(settings, { folder });
  const { tokens, file } = await tokensOfPeople();
  const start = () => serveCommand(["plan.yaml", "--tokens", file, ...words], { cwd: folder });
  return { server, tokens, start, ...(await start()) };
}

const stateOf = async (url: string, token: string) => {
  const { body } = await askApi(url, token, ["GET", "/servers"]);
  return (body["servers"] as { readonly state: string }[])[0]?.state;
};

test.each(["legacy", "auto"] as const)(
  "users of a client over HTTP (%s) open the page of the gateway, and each call continues as its user, also after a restart",
  async (mode) => {
    const { url, kill, start, tokens, server } = await gateway();
    const asked: string[] = [];
    const connect = async (at: string, user: "ana" | "ben") => {
      const options = { versionNegotiation: { mode }, capabilities: { elicitation: { url: {} } } };
      const client = await connectWith(at, tokens[user], options);
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        asked.push((params as { readonly url?: string }).url ?? "");
        await signInOnPage(at, tokens[user], { login: user });
        return { action: "accept" };
      });
      return client;
    };
    const call = async (at: string, user: "ana" | "ben") =>
      (await (await connect(at, user)).callTool(whoAmI)).content;

    const first = await Promise.all(users.map((user) => call(url, user)));
    await kill();
    const { url: next } = await start();
    const later = await Promise.all(users.map((user) => call(next, user)));

    for (const answers of [first, later])
      expect(answers).toMatchObject([[{ text: "ana" }], [{ text: "ben" }]]);
    expect(asked).toEqual([`${url}/#/servers/fixture`, `${url}/#/servers/fixture`]);
    for (const token of Object.values(tokens)) expect(server.tokens).not.toContain(token);
  },
);

test("a client over HTTP whose user does not open the address, or that cannot open one, gets the failure", async () => {
  const { url, tokens } = await gateway();
  const declines = await connectWith(url, tokens.ana, { capabilities: { elicitation: { url: {} } } });
  declines.setRequestHandler("elicitation/create", async () => ({ action: "decline" }));
  const cannot = await connectWith(url, tokens.ben, {});

  for (const [client, user] of [
    [declines, "ana"],
    [cannot, "ben"],
  ] as const) {
    const { isError, content } = await client.callTool(whoAmI);
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(`toolmount auth fixture --user ${user}`);
    expect(JSON.stringify(content).includes(`or open ${url}/#/servers/fixture`)).toBe(client === cannot);
  }
});

test("a person signs in on the page, in a real browser, and the page shows it", async () => {
  const { url, tokens } = await gateway();
  const { page, context, problems } = await openPage(browser, url, tokens.ana);
  let login = "refuses";
  await context.route("**/authorize?*", (route) =>
    route.continue({ url: `${route.request().url()}&login=${login}` }),
  );
  await page.getByRole("link", { name: "Servers" }).click();
  const row = page.getByRole("region", { name: "Sign in" }).getByRole("row", { name });
  await row.getByText("not signed in").waitFor();

  await row.getByRole("button", { name: "Sign in to fixture" }).press("Enter");
  await page.getByRole("alert").getByText("SIGN_IN_FAILED").waitFor();
  login = "ana";
  await row.getByRole("button", { name: "Sign in to fixture" }).press("Enter");
  await page.getByText("You are signed in to fixture").waitFor();
  await row.getByText("signed in", { exact: true }).waitFor();

  const client = await connectWith(url, tokens.ana, {});
  expect((await client.callTool(whoAmI)).content).toMatchObject([{ text: "ana" }]);
  expect(await stateOf(url, tokens.ben)).toBe("unknown");
  expect(problems).toEqual([]);
});

test("a sign-in of one tab ends although the tab that gave it the token was closed, and so does one begun again", async () => {
  const { url, tokens } = await gateway();
  const { page: first, context, problems } = await openPage(browser, url, tokens.ana);
  await first.getByRole("link", { name: "Servers" }).waitFor();
  const second = await context.newPage();
  await second.goto(url);
  await second.getByRole("link", { name: "Servers" }).click();
  const button = second.getByRole("button", { name: "Sign in to fixture" });
  let isLeft = false;
  await context.route("**/authorize?*", async (route) => {
    if (!isLeft) return route.fulfill({ body: "the provider asks" });
    await first.close();
    return route.continue({ url: `${route.request().url()}&login=ana` });
  });

  // The person goes to the provider, and leaves it by the way back.
  await button.press("Enter");
  await second.getByText("the provider asks").waitFor();
  await second.goto(`${url}/#/servers`);
  isLeft = true;
  await button.press("Enter");
  await second.getByText("You are signed in to fixture").waitFor();

  expect(first.isClosed()).toBe(true);
  expect(await stateOf(url, tokens.ana)).toBe("signed_in");
  expect(problems).toEqual([]);
});

test("a person who runs the server sees how each server stands, and others do not", async () => {
  const protectedServer = await startProtectedServer();
  const folder = await folderOf({
    "plan.yaml": stringify({
      version: 1,
      tools: [
        { module: name, source: { mcp: { ...serverOf(), wake: "start" } }, required: false },
        { module: "away", source: { mcp: { url: "http://127.0.0.1:9/mcp" } }, required: false },
        {
          module: "notes",
          source: { mcp: { url: protectedServer.url, instance: "user" } },
          required: false,
        },
      ],
    }),
  });
  await linkPackages(folder);
  const { tokens, file } = await tokensOfPeople();
  const { url } = await serveCommand(["plan.yaml", "--tokens", file], { cwd: folder });
  const { page } = await openPage(browser, url, tokens.olga);

  await page.getByRole("link", { name: "Servers" }).click();
  const mounted = page.getByRole("region", { name: "Mounted servers" });
  await mounted.getByRole("row", { name }).getByText("connected", { exact: true }).waitFor();
  await mounted.getByRole("row", { name: "away" }).getByText("down", { exact: true }).waitFor();
  await mounted.getByRole("row", { name: "away" }).getByText("fetch failed").waitFor();
  await page.getByRole("region", { name: "Sign in" }).getByRole("row", { name: "notes" }).waitFor();
  if (process.env["TOOLMOUNT_WRITE"] === "1")
    for (const window of windows) await photograph(url, tokens.olga, window);

  const { body } = await askApi(url, tokens.ana, ["GET", "/servers"]);
  expect(body["mounted"]).toEqual([]);
});

/** Takes a picture of the view, as `pnpm pictures` does of all others. */
async function photograph(url: string, token: string, window: (typeof windows)[number]): Promise<void> {
  const { page, context } = await openPage(browser, url, token, window);
  await page.getByRole("link", { name: "Servers" }).click();
  await page.getByRole("row", { name: "away" }).getByText("fetch failed").waitFor();
  await page.getByRole("row", { name: "notes" }).first().waitFor();
  const folder = join(import.meta.dirname, "../../docs/pictures/page");
  await page.screenshot({ path: join(folder, `servers-${window.name}.png`) });
  await context.close();
}

test("a sign-in ends in another process than the one that began it, at the public address", async () => {
  const { url, kill, start, tokens, server } = await gateway(["--public-url", publicUrl]);
  const cookies: Cookies = new Map();
  const { body } = await askApi(url, tokens.ana, ["POST", "/servers/fixture/sign-in?whose=user"], cookies);
  const address = new URL(String(body["address"]));
  await kill();
  const { url: next } = await start();

  const shown = await comeBack(next, await agree(address, "ana"), cookies);

  expect(shown).toBe("/#/servers/fixture?host=default&signed=in");
  expect(address.searchParams.get("redirect_uri")).toBe(`${publicUrl}/signin/server`);
  expect(address.searchParams.get("code_challenge_method")).toBe("S256");
  expect(await stateOf(next, tokens.ana)).toBe("signed_in");
  expect(server.registered()).toBe(2);
});

test("a browser that did not begin the sign-in is refused, and so are a forged user and a second return", async () => {
  const { url, tokens, server } = await gateway();
  const begin = async (token: string) => {
    const cookies: Cookies = new Map();
    const { body } = await askApi(url, token, ["POST", "/servers/fixture/sign-in?whose=user"], cookies);
    return { cookies, address: body["address"] };
  };
  const [ana, ben] = [await begin(tokens.ana), await begin(tokens.ben)];
  const parameters = await agree(ana.address, "eve");
  const [[cookie, kept]] = [...ana.cookies] as [[string, string]];
  const started = JSON.parse(Buffer.from(kept, "base64url").toString("utf8")) as object;
  const forged = Buffer.from(JSON.stringify({ ...started, user: "ben" })).toString("base64url");

  const refused = /^\/#\/servers.*refused=SIGN_IN_REFUSED$/;
  for (const cookies of [new Map(), ben.cookies, new Map([[cookie, forged]]), new Map([[cookie, "x"]])])
    expect(await comeBack(url, parameters, cookies)).toMatch(refused);
  expect(await stateOf(url, tokens.ben)).toBe("unknown");
  expect(await comeBack(url, parameters, ana.cookies)).toContain("signed=in");
  expect(await comeBack(url, parameters, ana.cookies)).toMatch(refused);

  // A second beginning replaces the first one of the same user.
  const second = await begin(tokens.ben);
  expect(await comeBack(url, await agree(ben.address, "ben"), ben.cookies)).toMatch(refused);
  expect(await comeBack(url, await agree(second.address, "ben"), second.cookies)).toContain("signed=in");
  // A client for the host, one for each user, and no other one for a person who begins again.
  expect(server.registered()).toBe(3);
});

test("a browser that comes back after more than ten minutes is refused", async () => {
  const { url } = await startProtectedServer();
  const folder = await folderOf();
  const host = await open(planOf({ url }, { required: false }), { cwd: folder, logger: silentLogger });
  const [signIn] = (await host.coordinator.collectContributions("mcp.servers.sign_in")) as [ServerSignIn];
  const begin = async () => (await signIn.begin(undefined, "http://127.0.0.1/back"))!.address;
  const onTime = await agree(await begin(), "ana");
  await signIn.finish(undefined, onTime);
  const late = await agree(await begin(), "eve");

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 601_000 });
  const finished = await signIn.finish(undefined, late).catch((error: unknown) => error);
  vi.useRealTimers();

  expect(finished).toMatchObject({ code: "SIGN_IN_REFUSED" });
  expect(await signIn.state(undefined)).toBe("signed_in");
});

test("the credentials of the host are for a person with the role admin, and those of a user for that user", async () => {
  const { url, tokens } = await gateway();
  const begin = async (token: string, server: string, whose: string) =>
    askApi(url, token, ["POST", `/servers/${server}/sign-in?whose=${whose}`]);

  for (const [token, whose] of [
    [tokens.olga, "user"],
    [tokens.ana, "host"],
  ] as const)
    expect(await begin(token, name, whose)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(await begin(tokens.olga, name, "host")).toMatchObject({ status: 200 });
  expect(await begin(tokens.ana, "other", "user")).toMatchObject({ status: 404 });
  const listed = async (token: string) => (await askApi(url, token, ["GET", "/servers"])).body["servers"];
  expect(await listed(tokens.olga)).toEqual([{ name, whose: "host", state: "signed_in", maySignIn: true }]);
  expect(await listed(tokens.ana)).toEqual([{ name, whose: "user", state: "unknown", maySignIn: true }]);
});

test("a person whose credentials the plan has is offered no sign-in", async () => {
  const { url, tokens } = await gateway([], { ana: { headers: { Authorization: "Bearer from-the-plan" } } });
  const listed = async (token: string) => (await askApi(url, token, ["GET", "/servers"])).body["servers"];

  expect(await listed(tokens.ana)).toEqual([]);
  expect(await listed(tokens.ben)).toMatchObject([{ name, whose: "user" }]);
  expect(await askApi(url, tokens.ana, ["POST", `/servers/${name}/sign-in?whose=user`])).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("the plan gives this user credentials of fixture") },
  });
});

test("a sign-in ends although a call of the same user writes to the credentials at that moment", async () => {
  const { url } = await startProtectedServer();
  const host = await open(planOf({ url }, { required: false }), { logger: silentLogger });
  const kept = { version: 0, body: null as Json };
  let others = 0;
  host.coordinator.registerCapability("credentials.store", {
    get: async () => (kept.version === 0 ? null : { ...kept }),
    replace: async (_: string, before: number, body: Json) => {
      if (others > 0) [kept.version, others] = [kept.version + 1, others - 1];
      if (kept.version !== before) return false;
      Object.assign(kept, { version: before + 1, body });
      return true;
    },
  });
  const [signIn] = (await host.coordinator.collectContributions("mcp.servers.sign_in")) as [ServerSignIn];
  const begun = (await signIn.begin(undefined, "http://127.0.0.1/back"))!.address;
  const parameters = await agree(begun, "ana");

  others = 1;

  expect(await signIn.finish(undefined, parameters)).toMatchObject({ state: "signed in" });
});
