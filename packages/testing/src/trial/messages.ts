import { isToolmountError } from "@toolmount/core";

/** The message of a thrown value, after the code of a toolmount error; at most 300 characters. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return `${isToolmountError(thrown) ? `${thrown.code}: ` : ""}${text}`.slice(0, 300);
}
