/** The error for a message of a server that is too large, or has too many values to be parsed. */
export class MessageTooLarge extends Error {
  override readonly name = "MessageTooLarge";
}

/** Makes the error for a message that is not read; `problem` says why. */
export function tooLarge(problem: string): MessageTooLarge {
  return new MessageTooLarge(problem);
}
