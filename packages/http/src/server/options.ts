import type { Clock, Logger } from "@toolmount/core";
import type { PageSignIn } from "../access/page-sign-in.ts";
import type { Authenticate } from "../access/tokens.ts";
import type { ListenAddress } from "../guard/authority.ts";
import type { SignInOptions } from "../guard/protected-resource.ts";
import type { ServedHost } from "../served-host.ts";
import type { WebhookOptions } from "../work/webhook.ts";

/** Limits of the server. */
export interface HttpLimits {
  /** Bytes of a request's body. Default 1048576. */
  readonly bodyBytes?: number | undefined;
  /** Bytes of a request's headers. Default 16384. */
  readonly headerBytes?: number | undefined;
  /** Milliseconds within which a request must arrive completely. Default 30000. The server checks every 5 s, or more often for less. */
  readonly requestMs?: number | undefined;
  /** Requests and streams of tokens without the role approve that are open together. Default 2000. */
  readonly connections?: number | undefined;
  /**
   * Requests and streams of one person or program that are open together. Default 500. Tokens with the role approve, and
   * health, have separate room besides `connections`.
   */
  readonly openPerToken?: number | undefined;
  /** Requests of one token. Default 60000 in a minute. */
  readonly requests?: string | undefined;
  /** Requests without a valid token, by the client's address. Default 30 in a minute. */
  readonly failures?: string | undefined;
  /**
   * Milliseconds of a lease, with which a server claims a turn or a call with an idempotency key. If the server is killed,
   * the next one continues after this time. Default 15000.
   */
  readonly leaseMs?: number | undefined;
  /** Decisions of one token. Default 120 in a minute. */
  readonly decisions?: string | undefined;
}

/** A file that is answered without a token. */
export interface PageFile {
  /** Its media type. */
  readonly type: string;
  readonly body: Buffer;
  /** The body as gzip, for browsers that read it. */
  readonly gzipped: Buffer;
  /** Further headers of its answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The hosts to serve over HTTP, and how. */
export interface ServeHostsOptions {
  /** The hosts by name. `/mcp` serves the first one. */
  readonly hosts: Readonly<Record<string, ServedHost>>;
  /** Finds the owner of a token. All requests need one, except those for the page and for health. */
  readonly authenticate: Authenticate;
  /** Lets clients of MCP discover where to sign in. */
  readonly signIn?: SignInOptions | undefined;
  /** The page for people: `readPage()` of `@toolmount/page`. Default: none. */
  readonly page?: ReadonlyMap<string, PageFile> | undefined;
  /** Lets people sign in to the page at an OpenID provider: `createPageSignIn`. Default: they enter a token. */
  readonly pageSignIn?: PageSignIn | undefined;
  /**
   * Receives a signed report when a question is asked, when it is decided, and when its call has ended, for example for a chat.
   * By Standard Webhooks 1.0, delivered at least once.
   */
  readonly webhook?: WebhookOptions | undefined;
  /**
   * The address at which people and clients reach this server, such as `https://tools.example.com`. The sign-in uses it, and
   * reports link to their question with it. Default: the Host of each request, and no links.
   */
  readonly publicUrl?: string | undefined;
  /** Default `127.0.0.1:4680`. Port 0 means any free port. */
  readonly listen?: ListenAddress | undefined;
  /** Allows an address that other machines can reach. Without it such an address is refused. */
  readonly beyondLoopback?: boolean | undefined;
  /** Further names that a Host header may have, without a port, such as those of a proxy in front. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Other origins whose pages may send requests, such as `https://ops.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: HttpLimits | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** The version that the API shows. Default: the version of this package. */
  readonly version?: string | undefined;
}

/** A server that listens. */
export interface HttpServer {
  /** The address at which it listens. */
  readonly url: string;
  readonly port: number;
  /** The OpenAPI document of the API. */
  readonly document: object;
  /**
   * Ends the server within `graceMs` (default 10000). If `/readyz` was requested in the last minute, the server works as before
   * for the first quarter, and only `/readyz` fails, so that a balancer sends its requests elsewhere. Then no new work starts.
   * Running calls have the rest and are then cancelled, and every request is answered. Hosts are not closed. Idempotent.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}
