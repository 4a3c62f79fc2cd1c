import { useSignal, type Signal } from "@preact/signals";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { drawn, focusedIn } from "../drawn.ts";
import { Icon } from "../icons.tsx";
import type { Approval } from "../shapes.ts";
import { mayApprove, notify } from "../state.ts";
import { isSteady } from "../steady.ts";
import { countText } from "../value.tsx";
import { runApproved, sendDecision, type Decision } from "./decision.ts";
import { Edit } from "./edit.tsx";
import { coveredCalls, listOf } from "./listed-calls.ts";
import { Scopes } from "./scopes.tsx";
import { canRunNow, endOf, Following, isWaiting, toolOf } from "./shown.ts";

const tooSoon = "The button has only just come there. Press it again.";

/** The panel that is open below the answers. */
type Panel = "" | "edit" | "scopes";

interface AnswersProps {
  readonly approval: Approval;
}

/** Shows the possible answers to a question. Once the question has ended, shows how it ended and the way to the next one. */
export function Answers({ approval }: AnswersProps) {
  const place = useRef<HTMLDivElement>(null);
  const waits = isWaiting(approval.id);
  const waited = useRef(waits);
  useLayoutEffect(() => {
    if (waited.current && !waits && place.current !== null) keepFocus(place.current);
    waited.current = waits;
  }, [waits]);
  return (
    <div class="answers" ref={place}>
      {!waits ? (
        <Ended approval={approval} />
      ) : mayApprove.value ? (
        <Choices approval={approval} />
      ) : (
        <OnlyLooks />
      )}
    </div>
  );
}

/** Moves the focus from a button that is gone to the button for the next question, or to the question's sentence. */
function keepFocus(answers: HTMLElement): void {
  const focused = focusedIn(answers);
  if (focused !== null && focused !== document.body && focused.isConnected) return;
  const next = answers.querySelector<HTMLElement>('[data-key="next"]');
  (next ?? answers.parentElement?.querySelector<HTMLElement>("#question"))?.focus();
}

function OnlyLooks() {
  return (
    <div class="bar">
      <p>You may look, and not answer: that needs the role approve.</p>
    </div>
  );
}

function Ended({ approval }: AnswersProps) {
  const { nextWaiting, show } = useContext(Following);
  const next = nextWaiting();
  const isApproved = approval.decision?.decision === "approve";
  return (
    <div class="bar">
      <p role="status">
        <Icon name={isApproved ? "check" : "cross"} />
        {endOf(approval)}
        {approval.decision?.reason !== undefined && `: ${approval.decision.reason}`}
        {approval.end !== undefined && <span class="chip">{approval.end.status}</span>}
      </p>
      <RunNow approval={approval} />
      {next !== null && (
        <button type="button" data-key="next" onClick={() => show(next)}>
          Next question <Hotkey name="n" />
        </button>
      )}
    </div>
  );
}

/**
 * Offers to run an approved call, whose caller may be gone. Even if several people press the button, or the caller runs the call
 * too, the server runs it once.
 */
function RunNow({ approval }: AnswersProps) {
  const busy = useSignal(false);
  if (!mayApprove.value || !(busy.value || canRunNow(approval))) return null;
  const run = async (event: Event) => {
    if (!isMeant(event)) return notify(tooSoon);
    busy.value = true;
    await runApproved(approval.id);
    busy.value = false;
  };
  return (
    <span data-decides>
      <button
        type="button"
        data-key="run"
        disabled={busy}
        title="Its caller runs it when it asks again. If the caller is gone, run it here: it runs once."
        onClick={(event) => void run(event)}
      >
        Run it now
      </button>
    </span>
  );
}

function Choices({ approval }: AnswersProps) {
  const { id } = approval;
  const choices = useRef<HTMLDivElement>(null);
  const busy = useSignal(false);
  const panel = useSignal<Panel>("");
  const reason = useSignal("");
  const list = listOf(approval);
  const isHigh = list !== null || toolOf(approval)?.consequenceLevel === "high";
  const decide = async (event: Event, decision: Decision) => {
    if (!isMeant(event)) return notify(tooSoon);
    busy.value = true;
    await sendDecision(id, decision);
    busy.value = false;
  };
  const deny = (event: Event) => {
    const why = reason.value.trim();
    return decide(event, { decision: "deny", ...(why !== "" && { reason: why }) });
  };
  return (
    <div data-decides ref={choices}>
      {panel.value === "scopes" && <Scopes approval={approval} busy={busy} decide={decide} />}
      {panel.value === "edit" && (
        <Edit
          approval={approval}
          busy={busy}
          decide={decide}
          close={() => closePanel(panel, choices.current)}
        />
      )}
      <div class="bar">
        <button
          type="button"
          class="go"
          data-key="approve"
          aria-keyshortcuts={drawn.isEmbedded ? undefined : "a"}
          data-confirms={isHigh ? "" : undefined}
          disabled={busy}
          onClick={(event) => void decide(event, approvalOf(approval))}
        >
          {list === null ? "Approve once" : `Approve ${countText(coveredCalls(approval, list), "call")}`}{" "}
          <Hotkey name="a" />
        </button>
        {list === null && (
          <PanelButton panel={panel} name="edit" hotkey="e">
            Edit…
          </PanelButton>
        )}
        {list === null && approval.rememberable && (
          <PanelButton panel={panel} name="scopes" hotkey="r">
            Always…
          </PanelButton>
        )}
        <form class="reason" onSubmit={(event) => event.preventDefault()}>
          <label>
            <span class="quiet">Reason</span>
            <input
              value={reason}
              data-key="reason"
              placeholder="Reason: the model reads it"
              onInput={(event) => (reason.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="no" disabled={busy} onClick={(event) => void deny(event)}>
            Deny <Hotkey name="d" />
          </button>
        </form>
      </div>
    </div>
  );
}

/** Returns the decision to approve. If the person shortened a list, it covers only the first calls. */
function approvalOf(approval: Approval): Decision {
  const list = listOf(approval);
  if (list === null) return { decision: "approve" };
  const first = coveredCalls(approval, list);
  const isCut = first < (list.first ?? list.calls.length);
  return { decision: "approve", ...(isCut && { arguments: { ...approval.arguments, first } }) };
}

interface PanelButtonProps {
  readonly panel: Signal<Panel>;
  readonly name: Panel;
  readonly hotkey: string;
  readonly children: string;
}

/** Shows a button that opens a panel below the answers, or closes it. */
function PanelButton({ panel, name, hotkey, children }: PanelButtonProps) {
  const isOpen = panel.value === name;
  return (
    <button
      type="button"
      data-key={name}
      aria-expanded={isOpen}
      onClick={() => (panel.value = isOpen ? "" : name)}
    >
      {children} <Hotkey name={hotkey} />
    </button>
  );
}

/** Closes a panel, and moves the focus back to the button that opened it. */
function closePanel(panel: Signal<Panel>, choices: HTMLElement | null): void {
  choices?.querySelector<HTMLElement>(`[data-key="${panel.value}"]`)?.focus();
  panel.value = "";
}

/** Shows the key of a button, except where the question is embedded in the page of another product. */
function Hotkey({ name }: { readonly name: string }) {
  return drawn.isEmbedded ? null : <kbd aria-hidden="true">{name}</kbd>;
}

/** Tests whether a press was deliberate: by key, or by pointer on a button that had been in its place long enough to be seen. */
function isMeant(event: Event): boolean {
  if ((event as Partial<UIEvent>).detail === 0) return true;
  const place = (event.currentTarget as Element).closest("[data-decides]");
  return place === null || isSteady(place);
}
