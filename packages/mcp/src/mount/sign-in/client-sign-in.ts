import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, ServerSignIn, ToolContext } from "@toolmount/core";
import { messageOf, ToolError } from "@toolmount/core/errors";
import { currentFront, type Front } from "../../wire/front.ts";
import { raceSignal } from "../../wire/race-signal.ts";
import type { SignInPlace } from "./browser-sign-in.ts";
import { signIn } from "./sign-in.ts";

/** Longest wait for a person who signs in, in milliseconds. */
const personMs = 300_000;

/** Milliseconds between two reports to the client that a call waits for a sign-in. */
const reportMs = 5_000;

/** Milliseconds between two looks whether the user has signed in on the page, which another process may serve. */
const pollMs = 500;

interface ClientSignInOptions extends SignInPlace {
  readonly logger: Logger;
  readonly onPage: ServerSignIn | undefined;
}

interface Running {
  readonly signed: Promise<boolean>;
  readonly end: AbortController;
  readonly isHere: boolean;
  calls: number;
}

/**
 * Lets the user of an MCP client sign in to one server while a call waits, at an address that the client opens. If the client
 * is on this machine, it opens the authorization server, and the browser comes back to this process. Otherwise it opens a page
 * of the HTTP server to which it speaks. A person who opens that page signs in only for themselves, so it does no harm if
 * another person gets the address.
 */
export class ClientSignIn {
  readonly #options: ClientSignInOptions;
  /** Sign-ins that run now, by user; calls at the same time share one. */
  readonly #running = new Map<string | undefined, Running>();

  constructor(options: ClientSignInOptions) {
    this.#options = options;
  }

  /**
   * Makes a call. If it fails because the user has to sign in, waits for the sign-in and makes it again. `user` is the one
   * whose credentials are used; undefined for those of the host.
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
      if (!isNeedsAuth(error)) throw error;
      if (this.#options.onPage === undefined) throw error;
      if (!canShow(front, user)) throw this.#withPage(error, front, user);
      const running = this.#running.get(user) ?? this.#begin(front, user);
      running.calls += 1;
      let reports = 0;
      const everyMs = Math.min(reportMs, this.#options.settings.timeoutMs / 2);
      const timer = setInterval(
        () => context.progress({ progress: ++reports, message: "waiting for the user to sign in" }),
        everyMs,
      );
      try {
        if (!(await raceSignal(running.signed, context.abortSignal))) throw error;
      } finally {
        clearInterval(timer);
        running.calls -= 1;
        if (running.calls === 0) this.#leave(user, running);
      }
      return attempt();
    }
  }

  /** Ends all sign-ins, because the host closes. */
  async close(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { end } of running) end.abort(new Error("the host closes"));
    await Promise.all(running.map(({ signed }) => signed));
  }

  #begin(front: Front, user: string | undefined): Running {
    const { settings, logger } = this.#options;
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(personMs)]);
    const isHere = front.from.isHere === true;
    const work = isHere ? this.#signInHere(front, user, signal) : this.#onPage(front, user, signal);
    const signed = work.then(
      () => true,
      (error: unknown) => {
        logger.info({ server: settings.name, err: error }, `no sign-in by the client: ${messageOf(error)}`);
        return false;
      },
    );
    const running = { signed, end, isHere, calls: 0 };
    this.#running.set(user, running);
    void signed.then(() => this.#forget(user, running));
    return running;
  }

  /**
   * Ends a sign-in for which no call waits any more. The page of a sign-in stores the tokens without this process, and a later
   * call shows the page again. A sign-in on this machine stays, because the browser may still come back to it.
   */
  #leave(user: string | undefined, running: Running): void {
    if (running.isHere) return;
    this.#forget(user, running);
    running.end.abort(new Error("no call waits for it any more"));
  }

  #forget(user: string | undefined, running: Running): void {
    if (this.#running.get(user) === running) this.#running.delete(user);
  }

  /** Adds the page to the error for a client that cannot open an address itself, because its user can. */
  #withPage(error: ToolError, front: Front | undefined, user: string | undefined): ToolError {
    if (front?.from.signInPage === undefined || user === undefined) return error;
    const page = front.from.signInPage(this.#options.settings.name);
    return new ToolError(`${error.message}, or open ${page}`, { code: "MCP_NEEDS_AUTH", cause: error });
  }

  async #signInHere(front: Front, user: string | undefined, signal: AbortSignal): Promise<void> {
    const { settings, folder = ".", store } = this.#options;
    const shown = randomUUID();
    const open = ({ href }: URL) => raceSignal(show(front, shown, href, settings.name), signal);
    await signIn({ settings, folder, store, user, signal, open });
    front.completed?.(shown);
  }

  /** Shows the page of the server and waits until it has stored the tokens, perhaps in another process. */
  async #onPage(front: Front, user: string | undefined, signal: AbortSignal): Promise<void> {
    const { settings, onPage } = this.#options;
    const shown = randomUUID();
    await raceSignal(show(front, shown, front.from.signInPage!(settings.name), settings.name), signal);
    while ((await onPage?.state(user)) !== "signed_in") await delay(pollMs, undefined, { signal });
    front.completed?.(shown);
  }
}

function isNeedsAuth(error: unknown): error is ToolError {
  return error instanceof ToolError && error.code === "MCP_NEEDS_AUTH";
}

/**
 * Whether the client can show an address at which its user can sign in. A page that others can reach, too, is only for a known
 * user, who signs in for that user alone. The host's own credentials are for the people who run it.
 */
function canShow(front: Front | undefined, user: string | undefined): front is Front {
  if (front?.from.capabilities.elicitation?.url === undefined) return false;
  return front.from.isHere === true || (front.from.signInPage !== undefined && user !== undefined);
}

/** Asks the client to open an address. Rejects if its user refuses. */
async function show(front: Front, elicitationId: string, url: string, server: string): Promise<void> {
  const params = {
    mode: "url",
    message: `The MCP server "${server}" needs you to sign in`,
    url,
    elicitationId,
  };
  const answers = await front.ask({ signIn: { method: "elicitation/create", params } });
  const { action } = Object(answers["signIn"]) as { readonly action?: unknown };
  if (action !== "accept") throw new Error("the user of the client did not open the address");
}
