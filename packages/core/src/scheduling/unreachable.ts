/** Codes of Node for a connection that was not made, or that ended. */
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

/** Postgres: a connection failed, too many connections, it is shutting down, it has crashed, it is starting. */
const postgres = /^(?:08...|53300|57P0[123])$/;

/** What the clients of Postgres and Redis say without a code. */
const words = /^Connection terminated|^Connection is closed|^timeout exceeded when trying to connect/;

/** Whether an error says that a server cannot be reached now: it may be there later, while a refused password stays refused. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  return network.has(code) || (typeof code === "string" && postgres.test(code)) || words.test(error.message);
}
