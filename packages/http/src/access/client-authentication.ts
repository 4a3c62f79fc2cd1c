import type * as Oauth from "oauth4webapi";
import type { Issuer } from "./issuer.ts";

/** Chooses how a client identifies itself, among the ways that the provider supports. */
export function authenticationOf(
  { clientSecret }: { readonly clientSecret?: string | undefined },
  { token_endpoint_auth_methods_supported: ways = ["client_secret_basic"] }: Issuer,
  { ClientSecretBasic, ClientSecretPost, None }: typeof Oauth,
): Oauth.ClientAuth {
  if (clientSecret === undefined) return None();
  return ways.includes("client_secret_basic")
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret);
}
