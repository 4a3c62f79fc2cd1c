import { systemClock, type Clock } from "@toolmount/core";
import type { ReadLimits } from "./extract/job.ts";
import { createReader, type Reader } from "./extract/reader.ts";
import { config, type ParsedSettings, type Settings } from "./config.ts";
import { connectTo, type Connect } from "./fetch/connect.ts";
import type { FetchOptions } from "./fetch/fetch-page.ts";
import { createGuard, type Resolve } from "./guard/target.ts";
import { lookup } from "node:dns/promises";

/** Services that the web tools use; each has a default. */
export interface Services {
  /** Resolves a name to addresses. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Connects to a checked address. Default: TCP, and TLS for https. */
  readonly connect?: Connect | undefined;
  readonly clock?: Clock | undefined;
}

/** Settings and services that the web tools of one mount share. */
export interface Web {
  readonly settings: ParsedSettings;
  readonly clock: Clock;
  readonly connect: Connect;
  readonly resolve: Resolve;
  readonly fetchOptions: FetchOptions;
  readonly readLimits: ReadLimits;
  readonly reader: Reader;
}

export function openWeb(given: Settings, services: Services = {}): Web {
  const settings = config.parse(given);
  const { clock = systemClock, connect = connectTo, resolve = resolveBySystem } = services;
  const readLimits = { timeoutMs: settings.extract_timeout * 1000, memoryMb: settings.extract_memory_mb };
  return {
    settings,
    clock,
    connect,
    resolve,
    readLimits,
    reader: createReader(readLimits, clock),
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

/** Returns all addresses of a name, from the system's resolver. */
async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}
