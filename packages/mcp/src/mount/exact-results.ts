import type { Logger } from "@toolmount/core";
import { quoteChanged } from "@toolmount/core/internal";

/**
 * Puts quotes around the numbers of a tool's structured result that JavaScript would change: a model reads the digits that the
 * server wrote, and the log names the member.
 */
export function exactResults(text: string, logger: Logger): string {
  if (!text.includes('"structuredContent"')) return text;
  return quoteChanged(
    text,
    ([result, content]) => result === "result" && content === "structuredContent",
    (member) =>
      logger.warn({ member }, `${member} is a number that JavaScript would change; it is read as a text`),
  );
}
