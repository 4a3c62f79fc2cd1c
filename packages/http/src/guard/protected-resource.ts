/** Where clients of MCP sign in. */
export interface SignInOptions {
  /** The issuers whose tokens are accepted, such as `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  /** What clients ask for when they sign in; some providers grant nothing to a client that names no scope. Default `openid`. */
  readonly scopes?: readonly string[] | undefined;
}

const path = "/.well-known/oauth-protected-resource";

/** What this server says of itself to a client that has no token yet. Source: RFC 9728, and the authorization of MCP. */
export class ProtectedResource {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** The metadata of the address that MCP is served at, below `base`; undefined for another path. */
  metadata(requested: string, base: string): object | undefined {
    if (requested !== path && requested !== `${path}/mcp`) return undefined;
    return {
      resource: `${base}/mcp`,
      authorization_servers: this.#options.authorizationServers,
      scopes_supported: this.#options.scopes ?? ["openid"],
      bearer_methods_supported: ["header"],
      resource_name: "toolmount",
    };
  }

  /** The header `WWW-Authenticate` of a request without a valid token. */
  challenge(base: string): string {
    return `Bearer resource_metadata="${base}${path}/mcp"`;
  }
}
