import { z } from "zod";

/** Checks what a plan says about signing in to a server over HTTP: `auth: { … }` of an MCP source. */
export const authSettings = z
  .strictObject({
    grant: z
      .enum(["authorization_code", "client_credentials", "token_exchange"])
      .default("authorization_code")
      .describe(
        "`authorization_code`: a person signs in once. `client_credentials`: the host signs in by itself. `token_exchange`: the user's token is exchanged for one of the server.",
      ),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe("A client that is registered already. Without it, the sign-in registers one."),
    clientSecret: z.string().min(1).optional().describe("Its secret: write `${VARIABLE}`."),
    issuer: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        "The only authorization server that may receive the client's id and secret. One inside this network has to be named.",
      ),
    metadataUrl: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe("Address of a client metadata document, which serves as the client's id."),
    audience: z
      .string()
      .min(1)
      .optional()
      .describe(
        "With `token_exchange`: the provider's name for the server. Without it, the server's `url`, as `resource`.",
      ),
    scope: z.string().min(1).optional().describe("Scopes to ask for, where the server names none."),
    redirectPort: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe("Port on this machine to which the browser returns. Without it, a free one."),
  })
  .check(({ value, issues }) => {
    const refuse = (message: string) => void issues.push({ code: "custom", input: value, message });
    // Without `issuer`, the MCP server would decide which authorization server receives the secret.
    if (value.clientSecret !== undefined && value.issuer === undefined)
      refuse("clientSecret needs issuer: the authorization server that may receive it");
    if (value.grant === "client_credentials" && (value.clientId ?? value.clientSecret) === undefined)
      refuse("the grant client_credentials needs clientId, clientSecret and issuer");
    if (value.grant === "token_exchange" && (value.clientId === undefined || value.issuer === undefined))
      refuse(
        "the grant token_exchange needs clientId and issuer: the client that may exchange tokens, and where",
      );
    if (value.grant !== "token_exchange" && value.audience !== undefined)
      refuse("audience is for the grant token_exchange");
  });

/** The parsed `auth` settings of a server. */
export type AuthSettings = z.output<typeof authSettings>;
