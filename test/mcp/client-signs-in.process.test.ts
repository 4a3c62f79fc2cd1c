import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { startProtectedServer, type ProtectedServer } from "./support/authorization-server.ts";
import { connectCommand, linkPackages } from "./support/command.ts";
import { browse, signInByFetch } from "./support/sign-in.ts";
import { folderOf, planOf } from "./support/world.ts";

const name = "fixture";

/** What the user of a client does with an address: opens it and agrees as `login`, or refuses. */
type User = { readonly login: string } | "refuses";

/** A client over stdio before a plan that mounts a protected server, to which the host itself has signed in. */
async function connect(
  mode: "legacy" | "auto",
  user: User,
  { instance, words = [] }: { readonly instance: string; readonly words?: readonly string[] },
) {
  const server = await startProtectedServer();
  const settings = { url: server.url, instance };
  const folder = await folderOf({ "plan.yaml": stringify(planOf(settings)) });
  await linkPackages(folder);
  await signInByFetch({ ...settings, name }, { folder });
  const asked: string[] = [];
  const shown: unknown[] = [];
  const completed: unknown[] = [];
  const client = await connectCommand(
    ["plan.yaml", ...words],
    { cwd: folder },
    { versionNegotiation: { mode }, capabilities: { elicitation: { url: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    shown.push((params as { readonly elicitationId?: string }).elicitationId);
    if (user === "refuses") return { action: "decline" };
    await browse(new URL(String((params as { readonly url?: string }).url)), user.login);
    return { action: "accept" };
  });
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    completed.push(params.elicitationId);
  });
  onTestFinished(() => client.close());
  return {
    client,
    server,
    asked,
    shown,
    completed,
    call: () => client.callTool({ name: "who_am_i", arguments: {} }),
  };
}

const grantsOf = ({ grants }: ProtectedServer) => grants.filter((grant) => grant === "authorization_code");

test.each(["legacy", "auto"] as const)(
  "the user of a client (%s) who has not signed in opens the address, and the call that needed it continues",
  async (mode) => {
    const { call, asked, shown, completed, server } = await connect(
      mode,
      { login: "ana" },
      { instance: "user", words: ["--user", "ana"] },
    );

    const answers = await Promise.all([call(), call(), call()]);
    const later = await call();

    for (const { content } of [...answers, later]) expect(content).toMatchObject([{ text: "ana" }]);
    expect(asked).toEqual(['The MCP server "fixture" needs you to sign in']);
    expect(grantsOf(server)).toHaveLength(2);
    // The revision of 2026 has no such notification.
    expect(completed).toEqual(mode === "legacy" ? shown : []);
  },
);

test("a sign-in of the host that was revoked is made again by the user of the client over stdio", async () => {
  const { call, asked, server } = await connect("auto", { login: "eve" }, { instance: "shared" });
  const before = await call();
  server.revoke();

  const after = await call();

  expect([before.content, after.content]).toMatchObject([[{ text: "person" }], [{ text: "eve" }]]);
  expect(asked).toHaveLength(1);
});

test.each(["legacy", "auto"] as const)(
  "a user of a client (%s) who does not want to sign in gets the failure, with the command",
  async (mode) => {
    const { call, asked } = await connect(mode, "refuses", { instance: "user", words: ["--user", "ana"] });

    const { isError, content } = await call();

    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("toolmount auth fixture --user ana");
    expect(asked).toHaveLength(1);
  },
);
