/** Variables without which programs do not find other programs, their user's folder or a folder for temporary files. */
const posix = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/** The variables for Windows. Without SYSTEMROOT, a program cannot open a socket; PATHEXT says which files are programs. */
const windows =
  "PATH PATHEXT SYSTEMROOT SYSTEMDRIVE COMSPEC TEMP TMP HOME USERPROFILE APPDATA LOCALAPPDATA LANG TZ".split(
    " ",
  );

/** Returns the names of the harmless variables that each process needs. On Windows, the case of names does not matter. */
export function basicVariables(platform: NodeJS.Platform = process.platform): readonly string[] {
  return platform === "win32" ? windows : posix;
}

/** Marks processes that wait in a layer for calls, and that do not keep its view from being mounted again. */
export const residentEnvironment = { TOOLMOUNT_LAYER_RESIDENT: "1" } as const;

const proxies = /^(?:https?|all|no)_proxy$/i;
const trusted =
  /^(?:node_extra_ca_certs|ssl_cert_(?:file|dir)|(?:requests|curl)_ca_bundle|npm_config_registry|pip_index_url|uv_(?:default_)?index(?:_url)?)$/i;

/**
 * Returns the variables by which a machine reaches the network: those for certificates and registries and, with `isProxied`,
 * proxies. An address with credentials is left out.
 */
export function networkVariables(
  host: Readonly<Record<string, string | undefined>>,
  { isProxied }: { readonly isProxied: boolean },
): Readonly<Record<string, string>> {
  const found = Object.entries(host).filter(
    ([name, value = ""]) =>
      (trusted.test(name) || (isProxied && proxies.test(name))) && !/\/\/[^/]*@/.test(value),
  );
  return Object.fromEntries(found) as Record<string, string>;
}
