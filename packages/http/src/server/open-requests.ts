import type { ServerResponse } from "node:http";
import type { Clock, Logger } from "@toolmount/core";
import type { Principal } from "../access/principal.ts";
import type { Authenticate } from "../access/tokens.ts";
import type { Admitted } from "../api/service.ts";
import { HttpError } from "../fault/http-error.ts";

/** Maximum number of requests that may be open at the same time: with one token name, and with all tokens that cannot approve. */
interface OpenLimits {
  readonly perName: number;
  readonly all: number;
}

/** Milliseconds between two checks of the tokens of open requests. */
const lookMs = 1_000;

interface OpenRequest {
  readonly withdrawn: AbortController;
  readonly all: AbortController;
}

/** The open requests with one token. */
interface Holder {
  readonly principal: Principal;
  readonly open: Map<ServerResponse, OpenRequest>;
}

/** What the requests of a server share. */
interface OpenParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the time for running work is over. */
  readonly cut: AbortSignal;
}

/**
 * The open requests, by token. If a token is revoked, expires or gets other rights, its open requests end within seconds. One
 * token cannot use up all connections, because the number for each is limited, and tokens that can approve have separate room.
 */
export class OpenRequests {
  readonly #holders = new Map<string, Holder>();
  readonly #limits: OpenLimits;
  readonly #authenticate: Authenticate;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #cut: AbortSignal;
  /** The number of open requests by the name of the token, because a provider may issue many tokens to one person. */
  readonly #counts = new Map<string, number>();
  /** The number of open requests with tokens that cannot approve. */
  #callers = 0;
  #isLooking = false;

  constructor(limits: OpenLimits, authenticate: Authenticate, parts: OpenParts) {
    this.#limits = limits;
    this.#authenticate = authenticate;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#cut = parts.cut;
    // All requests share this listener, because an `AbortSignal.any` for each would take 4 % of a call's time.
    this.#cut.addEventListener("abort", () => this.#withdrawAll());
  }

  /** Adds a request until its response is closed, and returns its signals. Throws `TOO_MANY_OPEN` if there are too many. */
  add(token: string, principal: Principal, response: ServerResponse): Omit<Admitted, "principal"> {
    const holder = this.#holders.get(token) ?? { principal, open: new Map<ServerResponse, OpenRequest>() };
    const request = { withdrawn: new AbortController(), all: new AbortController() };
    this.#count(principal, response);
    this.#holders.set(token, holder);
    holder.open.set(response, request);
    response.on("close", () => {
      holder.open.delete(response);
      if (holder.open.size === 0 && this.#holders.get(token) === holder) this.#holders.delete(token);
      if (!response.writableFinished) request.all.abort(new Error("the client has gone"));
    });
    if (this.#cut.aborted) withdraw(request, this.#cut.reason);
    this.#lookLater();
    return { withdrawn: request.withdrawn.signal, signal: request.all.signal };
  }

  #withdrawAll(): void {
    for (const { open } of this.#holders.values())
      for (const request of open.values()) withdraw(request, this.#cut.reason);
  }

  #count({ name, roles }: Principal, response: ServerResponse): void {
    const own = this.#counts.get(name) ?? 0;
    const isCaller = !roles.has("approve");
    if (own >= this.#limits.perName || (isCaller && this.#callers >= this.#limits.all))
      throw new HttpError("TOO_MANY_OPEN", { open: own });
    this.#counts.set(name, own + 1);
    if (isCaller) this.#callers += 1;
    response.on("close", () => {
      const left = this.#counts.get(name)! - 1;
      if (left === 0) this.#counts.delete(name);
      else this.#counts.set(name, left);
      if (isCaller) this.#callers -= 1;
    });
  }

  /** Checks the tokens again after some time, as long as requests are open. The timer does not keep the process running. */
  #lookLater(): void {
    if (this.#isLooking || this.#holders.size === 0) return;
    this.#isLooking = true;
    const look = () => {
      this.#isLooking = false;
      void this.#look().then(() => this.#lookLater());
    };
    this.#clock.setTimer(look, lookMs).keepAlive(false);
  }

  async #look(): Promise<void> {
    for (const [token, holder] of this.#holders) {
      try {
        if (!isSame(await this.#authenticate(token), holder.principal)) this.#end(token, holder);
      } catch (err) {
        // If the provider's keys cannot be read, the token may still be valid, so its requests stay open.
        this.#logger.warn(
          { err, token_of: holder.principal.name },
          "an open request's token was not checked",
        );
      }
    }
  }

  #end(token: string, { open, principal }: Holder): void {
    this.#holders.delete(token);
    this.#logger.info({ token_of: principal.name, requests: open.size }, "a token lost its open requests");
    for (const [response, request] of open) {
      withdraw(request, new HttpError("UNAUTHENTICATED", {}));
      // A stream has this time to end by itself, before its connection is closed.
      this.#clock.setTimer(() => response.destroy(), lookMs).keepAlive(false);
    }
  }
}

function withdraw({ withdrawn, all }: OpenRequest, reason: unknown): void {
  withdrawn.abort(reason);
  all.abort(reason);
}

function isSame(now: Principal | null, then: Principal): boolean {
  return now !== null && textOf(now) === textOf(then);
}

function textOf({ name, user, roles, hosts }: Principal): string {
  return JSON.stringify([name, user, [...roles].toSorted(), hosts === null ? null : [...hosts].toSorted()]);
}
