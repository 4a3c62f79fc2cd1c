/** Error codes of Node for a connection that could not be made, or that ended. */
const network: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Error codes of Postgres: a connection failed, there are too many, or the server shuts down, has crashed or is starting. */
const postgres = /^(?:08...|53300|57P0[123])$/;

/** Messages of the clients of Postgres and Redis for errors without a code. */
const words = /^Connection terminated|^Connection is closed|^timeout exceeded when trying to connect/;

/** Whether an error says that a server cannot be reached now, but perhaps later. A refused password does not say that. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  return network.has(code) || (typeof code === "string" && postgres.test(code)) || words.test(error.message);
}
