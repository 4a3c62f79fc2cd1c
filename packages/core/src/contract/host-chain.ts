import { isRecord } from "../json/json.ts";

/** A running host as other hosts know it. It contains no path and no person. */
export interface HostLink {
  /** A random id of the running host. */
  readonly host: string;
  /** A digest of the path of its plan's file, keyed with `host`; absent for a plan without a file. */
  readonly plan?: string;
}

/** The hosts that call this host and that it calls. From them, a host can see that its plan would mount itself. */
export interface HostChain {
  /**
   * Returns what this host sends to a server of the plan when it connects: the hosts for which it runs, and itself. `env` has
   * the same as environment variables, for programs. Rejects with `PLAN_SERVES_ITSELF` if this host runs for itself.
   */
  toServers(): Promise<{
    readonly links: readonly HostLink[];
    readonly env: Readonly<Record<string, string>>;
  }>;
  /** Returns what this host sends to a client: itself, and those hosts for which it runs that have the same plan. */
  toClients(): Promise<readonly HostLink[]>;
  /** Throws `PLAN_SERVES_ITSELF` if a server's list of hosts has this host, or a host for which this host runs. */
  requireOther(behind: readonly HostLink[]): void;
}

/** Maximum number of hosts that are read from a list. No host writes a longer list. */
const maxLinks = 1_000;

/** Maximum number of characters of an id, and of a digest. */
const maxLength = 100;

/** Reads a list of hosts that another program sent. Values that are not links are left out. */
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
