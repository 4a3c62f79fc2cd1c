import type * as Oauth from "oauth4webapi";
import type { Issuer } from "./issuer.ts";

/**
 * Returns how a client authenticates itself at a provider: in the way that the provider supports, or not at all without a secret.
 */
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
