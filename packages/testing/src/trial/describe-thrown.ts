import { messageOf } from "@toolmount/core/errors";
import { isToolmountError } from "@toolmount/core";

/** Returns the message of a thrown value, after the code of a toolmount error; at most 300 characters. */
export function describeThrown(thrown: unknown): string {
  const text = messageOf(thrown);
  return `${isToolmountError(thrown) ? `${thrown.code}: ` : ""}${text}`.slice(0, 300);
}
