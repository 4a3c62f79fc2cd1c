// Texts: globs, similar names, JSON pointers, secrets and invisible characters. This entry is light: it loads no part of a host.
export { compareLists } from "./text/compare-lists.ts";
export {
  coverHidden,
  escapeDeceiving,
  escapeHidden,
  escapeHiddenInLines,
  isDeceiving,
} from "./text/hidden.ts";
export { lineDifference, withParts } from "./text/line-difference.ts";
export { kindOf, matchesArguments, matchesGlob, matchesGlobs } from "./text/match.ts";
export { nearestNames } from "./text/nearest.ts";
export { pointed } from "./json/pointer.ts";
export type { SecretTexts } from "./contract/logger.ts";
export {
  createRedactor,
  createSecretTexts,
  digestOfSecret,
  mask,
  namesSecret,
  redact,
  redactArguments,
  truncateText,
  type Redactor,
} from "./text/redact.ts";
export { WebhookKey } from "./text/signed-webhook.ts";
