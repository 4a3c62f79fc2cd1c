import { systemClock, type Clock } from "@toolmount/core";
import { config, type ParsedSettings, type Settings } from "./config.ts";
import { connectTo, type Connect } from "./fetch/connect.ts";
import type { FetchOptions } from "./fetch/fetch-page.ts";
import { resolveBySystem } from "./guard/resolve.ts";
import { createGuard, type Resolve } from "./guard/target.ts";

/** What the web tools need of the machine; each has a default. */
export interface Services {
  /** Finds the addresses of a name. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Opens a connection to an address that was judged. Default: TCP, and TLS for https. */
  readonly connect?: Connect | undefined;
  readonly clock?: Clock | undefined;
}

/** What the web tools of one mount share. */
export interface Web {
  readonly settings: ParsedSettings;
  readonly clock: Clock;
  readonly connect: Connect;
  readonly resolve: Resolve;
  readonly fetchOptions: FetchOptions;
}

export function openWeb(given: Settings, services: Services = {}): Web {
  const settings = config.parse(given);
  const { clock = systemClock, connect = connectTo, resolve = resolveBySystem } = services;
  return {
    settings,
    clock,
    connect,
    resolve,
    fetchOptions: {
      guard: createGuard(settings, resolve),
      connect,
      clock,
      limits: settings,
      maxRedirects: settings.max_redirects,
      timeoutMs: settings.timeout * 1000,
      headers: {
        "user-agent": settings.user_agent,
        accept:
          "text/markdown, text/html, application/xhtml+xml, application/json, text/*;q=0.9, application/pdf;q=0.8, */*;q=0.5",
        "accept-language": "en, *;q=0.5",
      },
    },
  };
}
