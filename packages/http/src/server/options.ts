import type { Clock, Logger } from "@toolmount/core";
import type { PageSignIn } from "../access/page-sign-in.ts";
import type { Authenticate } from "../access/tokens.ts";
import type { ListenAddress } from "../guard/authority.ts";
import type { SignInOptions } from "../guard/protected-resource.ts";
import type { ServedHost } from "../served-host.ts";
import type { WebhookOptions } from "../work/webhook.ts";

/** Limits of the server. */
export interface HttpLimits {
  /** Default 1048576. */
  readonly bodyBytes?: number | undefined;
  /** Bytes of a request's headers. Default 16384. */
  readonly headerBytes?: number | undefined;
  /** Milliseconds in which a request must have arrived whole. Default 30000. The server looks every 5 s, or more often for less. */
  readonly requestMs?: number | undefined;
  /** Requests and streams of tokens without the role approve that are open together. Default 2000. */
  readonly connections?: number | undefined;
  /**
   * Requests and streams of one person or program that are open together. Default 500. Tokens with the role approve, and
   * health, have room of their own beside `connections`.
   */
  readonly openPerToken?: number | undefined;
  /** Requests of one token. Default 60000 in a minute. */
  readonly requests?: string | undefined;
  /** Requests without a valid token, by the client's address. Default 30 in a minute. */
  readonly failures?: string | undefined;
  /**
   * Milliseconds for which a server says that it works on a turn or a call with an idempotency key. When a server was killed,
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

/** How hosts are served over HTTP. */
export interface ServeHostsOptions {
  /** By name. The first is the one that `/mcp` serves. */
  readonly hosts: Readonly<Record<string, ServedHost>>;
  /** Finds out who a token belongs to. Every request but those for the page and for health has one. */
  readonly authenticate: Authenticate;
  /** Lets clients of MCP find out where to sign in. */
  readonly signIn?: SignInOptions | undefined;
  /** The page for people: `readPage()` of `@toolmount/page`. Default: none. */
  readonly page?: ReadonlyMap<string, PageFile> | undefined;
  /** Lets people sign in to the page at an OpenID provider: `createPageSignIn`. Default: they enter a token. */
  readonly pageSignIn?: PageSignIn | undefined;
  /**
   * Gets a signed report when a question is asked, when it is decided, and when its call has ended: for a chat. Standard
   * Webhooks 1.0, at least once.
   */
  readonly webhook?: WebhookOptions | undefined;
  /**
   * Where people and clients reach this server, such as `https://tools.example.com`: the sign-in names it, and a report has a
   * link to its question. Default: the Host of each request, and no links.
   */
  readonly publicUrl?: string | undefined;
  /** Default `127.0.0.1:4680`. Port 0: any free one. */
  readonly listen?: ListenAddress | undefined;
  /** Allows an address that other machines can reach. Without it such an address is refused. */
  readonly beyondLoopback?: boolean | undefined;
  /** Further names that a Host header may have, without a port: those of a proxy in front. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Other origins whose pages may ask, such as `https://ops.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: HttpLimits | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Shown by the API. Default: the version of this package. */
  readonly version?: string | undefined;
}

/** A server that listens. */
export interface HttpServer {
  /** Where it listens. */
  readonly url: string;
  readonly port: number;
  /** Describes the API. */
  readonly document: object;
  /**
   * Ends the server within `graceMs` (default 10000). Where `/readyz` was asked in the last minute, the server works as before
   * for the first quarter, and only `/readyz` fails, so that a balancer sends its requests elsewhere. Then no new work
   * starts, running calls have the rest and are cancelled then, and every request is answered. Hosts are not closed. Idempotent.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}
