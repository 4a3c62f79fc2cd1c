/** Normalises host names in the way of URLs, without `*.` at the start and a dot at the end. */
export function parseDomains(names: readonly string[]): readonly string[] {
  return names.map((name) => bareHost(URL.parse(`http://${name.replace(/^\*?\./, "")}`)?.hostname ?? name));
}

/** Whether a host is one of the names or below one. Only whole labels count: `badexample.com` is not below `example.com`. */
export function isAmong(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** Returns a host without the dot at its end and, for IPv6, without brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1");
}
