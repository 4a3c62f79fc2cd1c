/** Normalises names as a URL does, without a dot at the end. */
export function parseDomains(names: readonly string[]): readonly string[] {
  return names.map((name) => bareHost(URL.parse(`http://${name.replace(/^\*?\./, "")}`)?.hostname ?? name));
}

/** Whether a host is one of the names or below one. Compares labels: `badexample.com` is not below `example.com`. */
export function isAmong(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** A host without the dot at its end and, for IPv6, without brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1");
}
