import { ToolmountError } from "@toolmount/core";
import { boundedFetch } from "@toolmount/core/json";
import { z } from "zod";

/** The parts of an OpenID provider's discovery document that are used. Source: OpenID Connect Discovery 1.0, section 3. */
const discovery = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  revocation_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/** The discovery document of an OpenID provider, which has its addresses. */
export type Issuer = z.output<typeof discovery>;

/** Milliseconds in which a provider must answer. */
const answerMs = 10_000;
/** Maximum number of bytes of a provider's answer. */
const maxAnswerBytes = 1_048_576;

/**
 * Asks a provider for the address of its keys, by OpenID Connect Discovery. Rejects with `OPTION_INVALID` if the provider does
 * not answer, names another issuer, or has an address without HTTPS that is not on loopback.
 */
export async function findOidcKeys(issuer: string): Promise<URL> {
  return new URL((await readIssuer(issuer)).jwks_uri);
}

/** Asks a provider for its discovery document. Rejects as `findOidcKeys` does. */
export async function readIssuer(issuer: string): Promise<Issuer> {
  const refuse = (problem: string, cause?: unknown) =>
    new ToolmountError("OPTION_INVALID", { option: "issuer", problem: `${issuer}: ${problem}` }, { cause });
  if (!isSafe(issuer)) throw refuse("it is not an https address");
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await readDiscovery(address).catch((cause: unknown) => {
    throw refuse(`${address} cannot be read: ${messageOf(cause)}`, cause);
  });
  if (found.issuer !== issuer) throw refuse(`its discovery document names the issuer ${found.issuer}`);
  for (const [name, unsafe] of addressesOf(found).filter(([, given]) => !isSafe(given)))
    throw refuse(`its ${name} is not an https address: ${unsafe}`);
  return found;
}

function addressesOf(found: Issuer): [string, string][] {
  const { jwks_uri, authorization_endpoint, token_endpoint, revocation_endpoint } = found;
  return Object.entries({ jwks_uri, authorization_endpoint, token_endpoint, revocation_endpoint }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
}

async function readDiscovery(address: string): Promise<Issuer> {
  const response = await fetchBounded(address, { redirect: "error" });
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  return discovery.parse(await response.json());
}

/** Sends a request to a provider. Its answer is limited in time, in bytes and in the number of values. */
export const fetchBounded = boundedFetch(
  (url: string, init) => fetch(url, { ...init, signal: AbortSignal.timeout(answerMs) }),
  { messageBytes: maxAnswerBytes },
  (problem) => new Error(problem),
);

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

function isSafe(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && loopbackNames.has(url.hostname));
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof z.ZodError) return z.prettifyError(thrown);
  const { message, cause } = thrown as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
