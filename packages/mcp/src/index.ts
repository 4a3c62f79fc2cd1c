// Serving a host
export { readHostsAbove, serveRefusal, type HostsAbove } from "./serve/hosts-above.ts";
export { serveStreams, type ServedStreams, type ServeStreams } from "./serve/stdio.ts";
export {
  serveHttp,
  type HttpAuth,
  type HttpCaller,
  type HttpRequestContext,
  type ServedHttp,
  type ServeHttp,
} from "./serve/http.ts";
export type { ServedApprovals, ServeOptions } from "./serve/options.ts";
// Mounting a server
export { config, type ServerSettings } from "./mount/config.ts";
/** Says to worker pools that the server keeps state between calls, so all calls must reach the same process. */
export const keepsState = true;
export {
  connect,
  mount,
  mountLimitMs,
  probeChannel,
  signInChannel,
  statusChannel,
  type ServerProbe,
} from "./mount/mount.ts";
export type { ServerStatus } from "./wire/server-status.ts";
// Signing in to a server
export { signIn, type SignInOptions } from "./mount/sign-in/sign-in.ts";
export { credentialsCapability, type CredentialStore } from "./auth/credentials.ts";
// The shapes of the protocol
export { fromMcpResult, outcomeMetaKey, toMcpResult } from "./wire/result.ts";
export { toAnnotations } from "./wire/annotations.ts";
export type { McpAnnotations, McpBlock, McpResource, McpResult } from "./wire/shapes.ts";
