/** How clients of MCP can sign in. */
export interface SignInOptions {
  /** The providers whose tokens are accepted, such as `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  /** The scopes that clients must request, because some providers grant nothing without a scope. Default `openid`. */
  readonly scopes?: readonly string[] | undefined;
}

const path = "/.well-known/oauth-protected-resource";

/** What this server publishes so that clients without a token can get one. Source: RFC 9728, and the authorization of MCP. */
export class ProtectedResource {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Returns the metadata of the MCP endpoint; undefined if `requested` is another path. `base` is the address of this server. */
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

  /** Returns the value of the header `WWW-Authenticate` for a request without a valid token. */
  challenge(base: string): string {
    return `Bearer resource_metadata="${base}${path}/mcp"`;
  }
}
