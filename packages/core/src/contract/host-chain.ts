import { isRecord } from "../json/json.ts";

/** One running host, as other hosts know it. It names no path and no person. */
export interface HostLink {
  /** A random id of the running host. */
  readonly host: string;
  /** A digest of where its plan's file is, keyed with `host`; absent for a plan without a file. */
  readonly plan?: string;
}

/** The hosts before and behind one host. By them a plan finds that it would mount itself. */
export interface HostChain {
  /**
   * What a server of the plan learns when it is connected to: the hosts for which this one runs, and itself; `env` says
   * the same to programs. Rejects with `PLAN_SERVES_ITSELF` where this host runs for itself.
   */
  toServers(): Promise<{
    readonly links: readonly HostLink[];
    readonly env: Readonly<Record<string, string>>;
  }>;
  /** What a client learns: this host, and the hosts for which it runs that have its plan. */
  toClients(): Promise<readonly HostLink[]>;
  /** Throws `PLAN_SERVES_ITSELF` where a server leads to this host, or to one for which this host runs. */
  requireOther(behind: readonly HostLink[]): void;
}

/** Hosts of one list that count. No host writes a longer list. */
const maxLinks = 1_000;

/** Longest id, and longest digest, in characters. */
const maxLength = 100;

/** Reads a list of hosts that came from another program. Values that are not links are left out. */
export function readHostLinks(value: unknown): readonly HostLink[] {
  return Array.isArray(value) ? value.slice(0, maxLinks).flatMap(readLink) : [];
}

function readLink(value: unknown): HostLink[] {
  if (!isRecord(value)) return [];
  const { host, plan } = value;
  if (!isShort(host)) return [];
  return [isShort(plan) ? { host, plan } : { host }];
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}
