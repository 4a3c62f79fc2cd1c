/** A server sent a message that is larger than a message may be, or too wide to parse. */
export class MessageTooLarge extends Error {
  override readonly name = "MessageTooLarge";
}

/** The error for a message that is not read. */
export function tooLarge(problem: string): MessageTooLarge {
  return new MessageTooLarge(problem);
}
