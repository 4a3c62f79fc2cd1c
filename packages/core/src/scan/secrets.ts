/** The place and the kind of a text that looks like a credential. */
export interface SecretPlace {
  readonly at: number;
  readonly length: number;
  readonly sort: string;
}

/** The shapes of credentials, as their issuers publish them. A group `value` is the secret itself. */
const shapes: readonly { readonly sort: string; readonly pattern: RegExp }[] = [
  { sort: "an AWS access key", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { sort: "a GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})\b/g },
  { sort: "a GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { sort: "a Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  {
    sort: "an API key",
    pattern: /\b(?:sk|pk|rk)[-_](?=[A-Za-z0-9_-]*[0-9])(?:ant-|proj-|live_|test_)?[A-Za-z0-9_-]{20,}/g,
  },
  { sort: "a Google API key", pattern: /\bAIza[0-9A-Za-z_-]{35}/g },
  { sort: "an npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { sort: "a SendGrid key", pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g },
  { sort: "a JSON web token", pattern: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g },
  { sort: "a private key", pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g },
  {
    sort: "a password in a URL",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,64}:(?<value>[^\s/:@]{3,128})@/gi,
  },
  {
    sort: "a bearer token",
    pattern:
      /\bbearer\s+(?<value>(?=[A-Za-z0-9._~+/-]*[0-9])(?=[A-Za-z0-9._~+/-]*[A-Za-z])[A-Za-z0-9._~+/-]{16,}=*)/gi,
  },
  {
    sort: "a password or key",
    pattern:
      /\b(?:pass(?:word|wd)|secret|api[_-]?key|apikey|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key)\b["']?\s*[:=]\s*["']?(?<value>(?=[^\s"',;]*[0-9])(?=[^\s"',;]*[A-Za-z])[^\s"',;]{8,})/gi,
  },
];

/** Placeholders that authors write instead of a secret. */
const placeholder =
  /^(?:pass(?:word|wd)?|secret|token|pw)$|example|your|placeholder|changeme|dummy|redacted|x{4,}|\*{3,}|\.{3}|^[<${[]|0{6,}|1234567/i;

/** Matches a part that every text of these shapes contains. Most texts contain no such part and need no further search. */
const hint =
  /AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|[spr]k[-_]|AIza|npm_|SG\.|eyJ|-----BEGIN|:\/\/|bearer|passw|secret|key|token/i;

/** Shortest text that any shape matches, in characters. */
const minLength = 15;

/** Finds texts that look like credentials. Placeholders do not count. */
export function findSecrets(text: string): readonly SecretPlace[] {
  const found: SecretPlace[] = [];
  if (text.length < minLength || !hint.test(text)) return found;
  for (const { sort, pattern } of shapes)
    for (const match of text.matchAll(pattern)) {
      if (placeholder.test(match.groups?.["value"] ?? match[0])) continue;
      const taken = found.some(
        ({ at, length }) => match.index < at + length && at < match.index + match[0].length,
      );
      if (!taken) found.push({ at: match.index, length: match[0].length, sort });
    }
  return found;
}
