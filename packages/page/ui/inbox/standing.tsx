import { ask } from "../api.ts";
import type { Remembered } from "../shapes.ts";
import { hostPath, me, notify, readApprovals, remembered, textOf } from "../state.ts";
import { Age, countText } from "../value.tsx";

/** Lists the approvals that also answer later calls, until they expire or are revoked. */
export function Standing() {
  if (remembered.value.length === 0) return null;
  return (
    <section class="standing" aria-label="Approved from now on">
      <h2>Approved from now on</h2>
      <ul>
        {remembered.value.map((one) => (
          <StandingItem key={one.id} one={one} />
        ))}
      </ul>
    </section>
  );
}

function StandingItem({ one }: { readonly one: Remembered }) {
  const { id, tool, by, at, uses, expiresAt } = one;
  const revoke = async () => {
    try {
      await ask("DELETE", `${hostPath.value}/approvals/${id}`);
      notify(`The approval of ${tool} is revoked.`);
    } catch (error) {
      notify(textOf(error));
    }
    document.getElementById("content")?.focus();
    await readApprovals().catch((error: unknown) => notify(textOf(error)));
  };
  return (
    <li class="item">
      <span class="t">
        <span>{tool}</span>
        <Age at={at} />
      </span>
      <span class="s">
        {scopeText(one)}
        {one.userId !== null && `, for ${one.userId}`}, by {by}
      </span>
      <span class="s">
        {uses === 0 ? "not used yet" : `used ${countText(uses, "time")}`},{" "}
        {expiresAt === null ? "until it is revoked" : <>ends {new Date(expiresAt).toLocaleString()}</>}
      </span>
      {me.value?.roles.includes("admin") === true && (
        <span>
          <button type="button" class="plain no" aria-label={`Revoke ${tool}`} onClick={() => void revoke()}>
            Revoke
          </button>
        </span>
      )}
    </li>
  );
}

/** Returns the rule of an approval, in words. */
function scopeText({ scope, sessionId, pattern }: Remembered): string {
  if (scope === "session") return `with the same arguments, in session ${sessionId ?? ""}`;
  if (scope === "arguments") return "with the same arguments";
  const parts = Object.entries(pattern ?? {}).map(
    ([name, value]) => `${name} is ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `where ${parts.join(" and ")}`;
}
