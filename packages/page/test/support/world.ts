import type { Host } from "@toolmount/core";
import type { ServedHost, ServeHostsOptions } from "@toolmount/http";
import { readPage } from "@toolmount/page";
import { serve as serveHosts, type Tokens } from "../../../http/test/support/world.ts";

export { createWorld, type Ask } from "../../../http/test/support/world.ts";

/** Serves hosts as the tests of the server do, with the page. */
export async function serve(
  hosts: Readonly<Record<string, ServedHost>> | Host,
  options: Partial<ServeHostsOptions> = {},
  tokens?: Tokens,
) {
  return serveHosts(hosts, { page: await readPage(options.pageSignIn), ...options }, tokens);
}
