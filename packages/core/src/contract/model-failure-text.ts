/** Returns a sentence about a failed request to a model: which server failed, how, and why. */
export function modelFailureText(d: { kind: string; problem: string; provider?: string }): string {
  return `${d.provider ?? "the model's server"} ${verbs[d.kind] ?? "failed"} (${d.kind}): ${d.problem}`;
}

/** What the server of a model did, by the kind of the failure. */
const verbs: Readonly<Record<string, string>> = {
  authentication: "refused the key",
  access_denied: "refused the request",
  configuration: "cannot be asked",
  content_filter: "refused the request",
  context_length: "refused the request",
  invalid_request: "refused the request",
  not_found: "refused the request",
  quota_exceeded: "refused the request",
  rate_limit: "refused the request",
  network: "did not answer",
  timeout: "did not answer",
};
