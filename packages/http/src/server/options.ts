import type { Clock, Logger } from "@toolmount/core";
import type { PageSignIn } from "../access/page-sign-in.ts";
import type { Authenticate } from "../access/tokens.ts";
import type { ListenAddress } from "../guard/authority.ts";
import type { SignInOptions } from "../guard/protected-resource.ts";
import type { ServedHost } from "../served-host.ts";
import type { WebhookOptions } from "../work/webhook.ts";

/** Limits of the server. Each has a default. */
export interface HttpLimits {
  /** Maximum number of bytes of a request's body. Default 1048576. */
  readonly bodyBytes?: number | undefined;
  /** Maximum number of bytes of a request's headers. Default 16384. */
  readonly headerBytes?: number | undefined;
  /**
   * Milliseconds in which a request must arrive completely. Default 30000. The server looks for late requests every 5 s; with a
   * smaller value, more often.
   */
  readonly requestMs?: number | undefined;
  /**
   * Maximum number of requests and streams that are open at the same time with tokens without the role `approve`. Default 2000.
   * Tokens with this role, and health checks, do not count.
   */
  readonly connections?: number | undefined;
  /** Maximum number of requests and streams with the same token name that are open at the same time. Default 500. */
  readonly openPerToken?: number | undefined;
  /** Maximum number of requests with the same token name in a period. Default `60000/min`. */
  readonly requests?: string | undefined;
  /** Maximum number of requests without a valid token from one address. Default `30/min`. */
  readonly failures?: string | undefined;
  /**
   * Milliseconds for which a server claims a turn, or a call with an idempotency key, before it must renew this lease. If the
   * server is killed, another one continues the work after this time. Default 15000.
   */
  readonly leaseMs?: number | undefined;
  /** Maximum number of decisions with the same token name in a period. Default `120/min`. */
  readonly decisions?: string | undefined;
}

/** A file that is sent without a token. */
export interface PageFile {
  /** Its media type. */
  readonly type: string;
  readonly body: Buffer;
  /** The body as gzip, for browsers that read it. */
  readonly gzipped: Buffer;
  /** Further headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The hosts to serve over HTTP, and how. */
export interface ServeHostsOptions {
  /** The hosts by name. `/mcp` serves the first of them. */
  readonly hosts: Readonly<Record<string, ServedHost>>;
  /** Returns whose token it is. All requests need a token, except those for the page and for health checks. */
  readonly authenticate: Authenticate;
  /** Where clients of MCP can sign in. They get this if they have no token. */
  readonly signIn?: SignInOptions | undefined;
  /** The files of the page for people: `readPage()` of `@toolmount/page`. Default: no page. */
  readonly page?: ReadonlyMap<string, PageFile> | undefined;
  /** Lets people sign in to the page at an OpenID provider: `createPageSignIn`. By default they enter a token. */
  readonly pageSignIn?: PageSignIn | undefined;
  /**
   * Where the server posts a signed report when a question is asked, when it is decided, and when its call has ended, for example
   * to a chat. Reports follow Standard Webhooks 1.0, and are delivered at least once.
   */
  readonly webhook?: WebhookOptions | undefined;
  /**
   * The address at which people and clients reach this server, such as `https://tools.example.com`. It is used for the sign-in,
   * and for links to questions in reports. Default: the Host header of each request, and no links.
   */
  readonly publicUrl?: string | undefined;
  /** Default `127.0.0.1:4680`. Port 0 means any free port. */
  readonly listen?: ListenAddress | undefined;
  /** Allows `listen` to be an address that other machines can reach, which is otherwise refused. */
  readonly beyondLoopback?: boolean | undefined;
  /** Further names that a Host header may have, without a port, such as the name of a proxy in front of the server. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of other sites whose pages may send requests, such as `https://ops.example.com`. */
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
   * Ends the server within `graceMs` (default 10000). If `/readyz` was requested in the last minute, only `/readyz` fails for the
   * first quarter of this time, so that a balancer stops sending requests. Then no new work starts. Running calls have the rest
   * of the time, and are then cancelled. Every request is answered. Hosts are not closed. A second call changes nothing.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}
