// Serve hosts
export { serveHosts } from "./server/serve-hosts.ts";
export type { SignInOptions } from "./guard/protected-resource.ts";
export type { HttpLimits, HttpServer, PageFile, ServeHostsOptions } from "./server/options.ts";
export type {
  ServedHost,
  ServedPlan,
  ServedProtocol,
  ServedServer,
  ServedLayers,
  ServedStories,
  ServedTurns,
  TurnRequest,
  TurnResumption,
} from "./served-host.ts";
export { askReload, listReplicas, type Replica } from "./work/replica-rows.ts";
export { isLoopback, parseListenAddress, type ListenAddress } from "./guard/authority.ts";

// Who may do what
export { roles, type Principal, type Role } from "./access/principal.ts";
export {
  createToken,
  createTokenCheck,
  hashToken,
  tokenFile,
  type Authenticate,
  type TokenRecord,
} from "./access/tokens.ts";
export { findOidcKeys } from "./access/issuer.ts";
export type { WebhookOptions } from "./work/webhook.ts";
export { createOidcCheck, type OidcOptions } from "./access/oidc.ts";
export { createPageSignIn, type PageSignIn, type PageSignInOptions } from "./access/page-sign-in.ts";
export { createTokenExchange, type TokenExchange } from "./access/token-exchange.ts";

// Errors
export { httpErrorCodes, type HttpErrorCode } from "./fault/http-error.ts";
