import type { ValueOrigin } from "@toolmount/core";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

const originTexts: Readonly<Record<ValueOrigin["origin"], string>> = {
  user: "the user wrote it",
  identity: "it follows from who the user is",
  default: "a default of the plan or the tool",
  trusted: "from a trusted result",
  structured: "from a field of a result",
  contact: "a contact in a result",
  sameHost: "a link to a host that the user named",
  untrusted: "read in text that others can write",
  composed: "found nowhere: the model made it",
};

/** Returns a line that says where the value of an argument came from: for example from the user, or from the result of a call. */
export function originLine({ argument, origin, from, isAccepted }: ValueOrigin, screen: Screen): string {
  const inner = argument.includes(".") ? `${argument.slice(argument.indexOf(".") + 1)}: ` : "";
  const line = from?.line === undefined ? "" : `, line ${from.line}`;
  const where = from === undefined ? "" : `: ${from.tool}, call ${from.call}${line}`;
  const text = printable(`${inner}${originTexts[origin]}${where}${isAccepted ? "" : "; not accepted here"}`);
  return screen.paint(isAccepted ? "dim" : "red", text);
}
