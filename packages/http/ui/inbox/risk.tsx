import { countHidden } from "../hidden.ts";
import type { Approval } from "../shapes.ts";
import { toolOf } from "./shown.ts";

/** How dangerous a call is, as its tool says: a word and a colour. */
export function Risk({ approval }: { readonly approval: Approval }) {
  const { category, consequenceLevel, irreversible } = toolOf(approval) ?? {};
  const level = consequenceLevel ?? "unknown";
  const isBad = level === "high" || category === "delete" || irreversible === true;
  const kind = isBad ? "bad" : level === "low" ? "" : "warn";
  const words = [category?.replaceAll("_", " ") ?? "unclassified", level];
  return <span class={`chip ${kind}`}>{words.join(" · ")}</span>;
}

/** Says in the list that something in the arguments does not show. */
export function Hidden({ approval }: { readonly approval: Approval }) {
  const hidden = countHidden(JSON.stringify(approval.arguments), true);
  return hidden === 0 ? null : <span class="chip bad">{hidden} hidden</span>;
}
