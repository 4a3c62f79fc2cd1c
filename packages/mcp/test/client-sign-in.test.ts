import { setTimeout as delay } from "node:timers/promises";
import { silentLogger, type ToolContext } from "@toolmount/core";
import { ToolError } from "@toolmount/core/errors";
import { expect, test, vi } from "vitest";
import { config } from "../src/mount/config.ts";
import { ClientSignIn } from "../src/mount/sign-in/client-sign-in.ts";
import { currentFront, type Front } from "../src/wire/front.ts";

const settings = config.parse({ name: "files", url: "https://files.example.com/mcp", instance: "user" });

/** Calls of ana that wait until she has signed in on the page, by a client that opens each address that it is shown. */
function waiting() {
  const seen = { shown: 0, looks: 0 };
  const front = {
    from: {
      capabilities: { elicitation: { url: {} } },
      signInPage: () => "https://gateway.example.com/#/servers/files",
    },
    ask: async () => {
      seen.shown += 1;
      return { signIn: { action: "accept" } };
    },
  } as unknown as Front;
  const onPage = {
    name: "files",
    isOfUser: true,
    state: async () => {
      seen.looks += 1;
      return "needed" as const;
    },
    isUsedBy: () => true,
    begin: () => Promise.reject(new Error("not here")),
    finish: () => Promise.reject(new Error("not here")),
  };
  const store = { get: async () => null, replace: async () => true };
  const signIns = new ClientSignIn({ settings, folder: undefined, store, logger: silentLogger, onPage });
  const call = (abortSignal: AbortSignal, code = "MCP_NEEDS_AUTH") =>
    currentFront.run(front, () =>
      signIns.call("ana", { abortSignal, progress() {} } as unknown as ToolContext, async () => {
        throw new ToolError("sign in", { code });
      }),
    );
  return { seen, signIns, call };
}

test("calls at the same time show one page, and one that comes after they were cancelled shows it again", async () => {
  const { seen, call } = waiting();
  const cancel = new AbortController();
  const calls = [call(cancel.signal), call(cancel.signal)];
  await vi.waitFor(() => expect(seen.shown).toBe(1));

  cancel.abort();
  await Promise.allSettled(calls);
  const next = new AbortController();
  const again = call(next.signal);
  await vi.waitFor(() => expect(seen.shown).toBe(2));
  next.abort();
  await Promise.allSettled([again]);
});

test("nothing looks for a sign-in after the last call that waits for it was cancelled", async () => {
  const { seen, call } = waiting();
  const cancel = new AbortController();
  const waits = call(cancel.signal);
  await vi.waitFor(() => expect(seen.looks).toBeGreaterThan(0));
  cancel.abort();
  await Promise.allSettled([waits]);

  const before = seen.looks;
  await delay(1_200);
  expect(seen.looks).toBe(before);
});

test("a call that failed for another reason shows no page to sign in", async () => {
  const { seen, call } = waiting();

  await expect(call(new AbortController().signal, "MCP_SERVER_GONE")).rejects.toMatchObject({
    code: "MCP_SERVER_GONE",
  });
  expect(seen).toEqual({ shown: 0, looks: 0 });
});

test("a host that closes ends the sign-ins for which calls wait", async () => {
  const { seen, signIns, call } = waiting();
  const waits = Promise.allSettled([call(new AbortController().signal)]);
  await vi.waitFor(() => expect(seen.shown).toBe(1));

  await signIns.close();

  expect(await waits).toMatchObject([{ status: "rejected", reason: { code: "MCP_NEEDS_AUTH" } }]);
});
