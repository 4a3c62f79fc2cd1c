import { randomUUID } from "node:crypto";
import type { Logger, ToolContext } from "@toolmount/core";
import { messageOf, ToolError } from "@toolmount/core/errors";
import type { CredentialStore } from "../auth/credentials.ts";
import { currentFront, type Front } from "../wire/front.ts";
import { raceSignal } from "../wire/race-signal.ts";
import type { ServerSettings } from "./config.ts";
import { signIn } from "./sign-in.ts";

/** Longest wait for a person who signs in, in milliseconds. */
const personMs = 300_000;

/** How often a call that waits reports that it does, in milliseconds. */
const reportMs = 5_000;

interface ClientSignInOptions {
  readonly settings: ServerSettings;
  readonly folder: string | undefined;
  readonly store: CredentialStore;
  readonly logger: Logger;
}

/** Lets the user of an MCP client sign in to one server while a call waits: by an address that the client opens. */
export class ClientSignIn {
  readonly #options: ClientSignInOptions;
  /** Sign-ins under way, by the user: calls at the same time share one. */
  readonly #running = new Map<string | undefined, Promise<boolean>>();

  constructor(options: ClientSignInOptions) {
    this.#options = options;
  }

  /**
   * Makes a call, and once more where it needed a sign-in and the user has signed in meanwhile. `user` is the one whose
   * credentials are used; undefined for those of the host.
   */
  async call<Result>(
    user: string | undefined,
    context: ToolContext,
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await attempt();
    } catch (error) {
      const front = currentFront.getStore();
      if (!isNeedsAuth(error) || !canShow(front)) throw error;
      const running = this.#running.get(user) ?? this.#begin(front, user);
      let reports = 0;
      const everyMs = Math.min(reportMs, this.#options.settings.timeoutMs / 2);
      const timer = setInterval(
        () => context.progress({ progress: ++reports, message: "waiting for the user to sign in" }),
        everyMs,
      );
      try {
        if (!(await raceSignal(running, context.abortSignal))) throw error;
      } finally {
        clearInterval(timer);
      }
      return attempt();
    }
  }

  #begin(front: Front, user: string | undefined): Promise<boolean> {
    const { settings, folder = ".", store, logger } = this.#options;
    const signal = AbortSignal.timeout(personMs);
    const open = ({ href }: URL) => raceSignal(show(front, href, settings.name), signal);
    const signed = signIn({ settings, folder, store, user, signal, open }).then(
      () => true,
      (error: unknown) => {
        logger.info({ server: settings.name, err: error }, `no sign-in by the client: ${messageOf(error)}`);
        return false;
      },
    );
    this.#running.set(user, signed);
    void signed.then(() => this.#running.delete(user));
    return signed;
  }
}

function isNeedsAuth(error: unknown): boolean {
  return error instanceof ToolError && error.code === "MCP_NEEDS_AUTH";
}

/** Whether the client can show an address to its user, whose browser is on this machine. */
function canShow(front: Front | undefined): front is Front {
  return front?.isHere === true && front.capabilities.elicitation?.url !== undefined;
}

/** Asks the client to open an address. Rejects where its user does not want to. */
async function show(front: Front, url: string, server: string): Promise<void> {
  const params = {
    mode: "url",
    message: `The MCP server "${server}" needs you to sign in`,
    url,
    elicitationId: randomUUID(),
  };
  const answers = await front.ask({ signIn: { method: "elicitation/create", params } });
  const { action } = Object(answers["signIn"]) as { readonly action?: unknown };
  if (action !== "accept") throw new Error("the user of the client did not open the address");
}
