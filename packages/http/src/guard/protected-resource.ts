/** Where clients of MCP sign in. */
export interface SignInOptions {
  /** The issuers whose tokens are accepted, such as `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  /** The address under which clients reach this server, such as `https://tools.example.com`. Default: the Host of the request. */
  readonly publicUrl?: string | undefined;
}

const path = "/.well-known/oauth-protected-resource";

/** What this server says of itself to a client that has no token yet. Source: RFC 9728, and the authorization of MCP. */
export class ProtectedResource {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** The metadata of the address that MCP is served at; undefined for another path. */
  metadata(requested: string, host: string): object | undefined {
    if (requested !== path && requested !== `${path}/mcp`) return undefined;
    return {
      resource: `${this.#base(host)}/mcp`,
      authorization_servers: this.#options.authorizationServers,
      bearer_methods_supported: ["header"],
      resource_name: "toolmount",
    };
  }

  /** The header `WWW-Authenticate` of a request without a valid token. */
  challenge(host: string): string {
    return `Bearer resource_metadata="${this.#base(host)}${path}/mcp"`;
  }

  /** The guards have checked the Host. */
  #base(host: string): string {
    return this.#options.publicUrl?.replace(/\/+$/, "") ?? `http://${host}`;
  }
}
