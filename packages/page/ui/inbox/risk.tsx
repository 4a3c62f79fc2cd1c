import { countHidden } from "../hidden.ts";
import type { Approval } from "../shapes.ts";
import { asQuestion, listOf } from "./listed-calls.ts";
import { toolOf } from "./shown.ts";

/** Shows the risk that a tool declares for a call, as words with a colour. */
export function Risk({ approval }: { readonly approval: Approval }) {
  const { kind, words } = riskOf(approval);
  return <span class={`chip ${kind}`}>{words}</span>;
}

type RiskKind = "bad" | "warn" | "";

/** Returns the risk that a tool declares for a call. A list has the risk of its most dangerous call. */
function riskOf(approval: Approval): { readonly kind: RiskKind; readonly words: string } {
  const list = listOf(approval);
  if (list !== null) {
    const kinds = new Set(list.calls.map((call) => riskOf(asQuestion(approval, call)).kind));
    const kind = kinds.has("bad") ? "bad" : kinds.has("warn") ? "warn" : "";
    return { kind, words: `list · ${{ bad: "high", warn: "medium", "": "low" }[kind]}` };
  }
  const { category, consequenceLevel, irreversible } = toolOf(approval) ?? {};
  const level = consequenceLevel ?? "unknown";
  const isBad = level === "high" || category === "delete" || irreversible === true;
  const kind = isBad ? "bad" : level === "low" ? "" : "warn";
  return { kind, words: [category?.replaceAll("_", " ") ?? "unclassified", level].join(" · ") };
}

/** Shows that the arguments contain characters that are not visible. */
export function Hidden({ approval }: { readonly approval: Approval }) {
  const hidden = countHidden(JSON.stringify(approval.arguments), true);
  return hidden === 0 ? null : <span class="chip bad">{hidden} hidden</span>;
}
