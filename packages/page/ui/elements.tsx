// The question card and the story as custom elements for the page of a product. They use only the public API, and are built into
// one file.
import { signal, untracked, useComputed, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import { options, render } from "preact";
import { reach, refusal, token } from "./api.ts";
import { follow } from "./connect.ts";
import { drawn } from "./drawn.ts";
import { Following, findQuestion, isWaiting } from "./inbox/shown.ts";
import { Question } from "./inbox/question.tsx";
import { markHidden } from "./mark-hidden.ts";
import { Says } from "./parts/frame.tsx";
import type { Approval } from "./shapes.ts";
import { approvals, calls, connection, hostName } from "./state.ts";
import { watchPlaces } from "./steady.ts";
import { StoryView } from "./story.tsx";
import type { AnsweredEvent, Connection } from "@toolmount/page/elements";
import styleText from "./style.css";

/** Ends the latest connection. */
let disconnect = () => {};
/** Whether the elements of this document are connected. */
const isConnected = signal(false);

/** Implements `connectToolmount` of `src/elements.ts`. */
export function connectToolmount({ server, host, page, token: given = "" }: Connection): () => void {
  disconnect();
  const base = server.replace(/\/+$/, "");
  drawn.page = page ?? `${base}/`;
  if (host !== undefined) hostName.value = host;
  refusal.value = "";
  const take = async () => {
    token.value = typeof given === "string" ? given : await given();
    return true;
  };
  const renew = () => (typeof given === "string" ? Promise.resolve(false) : take());
  reach({ base, renew, refused: () => (token.value = null) });
  let isOver = false;
  let stop = () => {};
  disconnect = () => {
    if (isOver) return;
    isOver = true;
    isConnected.value = false;
    stop();
  };
  void take().then(
    () => {
      if (isOver) return;
      isConnected.value = true;
      stop = untracked(follow);
    },
    (error: unknown) => (refusal.value = String(error)),
  );
  return disconnect;
}

/** The attributes of an element, by their names. */
type Attributes = Readonly<Record<string, string | null>>;

/** A custom element with a shadow root. It is drawn again when one of its attributes changes. */
abstract class Drawn extends HTMLElement {
  readonly #names: readonly string[];
  readonly #attributes = signal<Attributes>({});

  constructor(names: readonly string[]) {
    super();
    this.#names = names;
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet()];
  }

  abstract draw(attributes: Signal<Attributes>): preact.JSX.Element;

  connectedCallback(): void {
    this.attributeChangedCallback();
    drawn.roots = new Set([...drawn.roots, this.shadowRoot!]);
    render(this.draw(this.#attributes), this.shadowRoot!);
  }

  disconnectedCallback(): void {
    drawn.roots = new Set([...drawn.roots].filter((root) => root !== this.shadowRoot));
    render(null, this.shadowRoot!);
  }

  attributeChangedCallback(): void {
    this.#attributes.value = Object.fromEntries(this.#names.map((name) => [name, this.getAttribute(name)]));
  }
}

/**
 * `<toolmount-question approval="ID">`, or `session="ID"` for the questions of a session. Shows what is asked, everything that
 * the answer covers, and the possible answers. Empty while no question waits. Dispatches `toolmount-answered`.
 */
class QuestionElement extends Drawn {
  static readonly observedAttributes = ["approval", "session"];

  constructor() {
    super(QuestionElement.observedAttributes);
  }

  draw(attributes: Signal<Attributes>) {
    return <QuestionOf attributes={attributes} element={this} />;
  }
}

interface QuestionOfProps {
  readonly attributes: Signal<Attributes>;
  readonly element: HTMLElement;
}

function QuestionOf({ attributes, element }: QuestionOfProps) {
  const { approval = null, session = null } = attributes.value;
  // With the key, another question or session gets a new component, so that no state of the earlier one is left.
  return (
    <OneQuestion key={`${approval} ${session}`} approval={approval} session={session} element={element} />
  );
}

interface OneQuestionProps {
  readonly approval: string | null;
  readonly session: string | null;
  readonly element: HTMLElement;
}

function OneQuestion({ approval, session, element }: OneQuestionProps) {
  const shown = useSignal(approval);
  const next = () => {
    const isNext = ({ id, info }: Approval) => info.sessionId === session && id !== shown.value;
    return session === null ? null : (approvals.value?.find(isNext)?.id ?? null);
  };
  // After an answer the question stays. The next one is shown only when the person asks for it.
  useSignalEffect(() => {
    shown.value ??= next();
  });
  useSignalEffect(watchPlaces);
  const question = useComputed(() => findQuestion(shown.value));
  // Without a connection, it is not known which questions wait.
  const isKnown = useComputed(() => approvals.value !== null && question.value !== undefined);
  const hasEnded = useComputed(() => isKnown.value && !isWaiting(question.value!.id));
  useSignalEffect(() => {
    if (hasEnded.value) untracked(() => sayAnswered(element, question.value!));
  });
  if (!isConnected.value || !isKnown.value) return <Away />;
  const following = { nextWaiting: next, show: (id: string) => (shown.value = id) };
  return (
    <Following.Provider value={following}>
      <div class="pane">
        <Question key={question.value!.id} approval={question.value!} />
      </div>
      <Says />
    </Following.Provider>
  );
}

/** Shows nothing, unless the server cannot be reached or refused the token. */
function Away() {
  if (refusal.value !== "") return <p class="nothing">{refusal.value}</p>;
  if (!isConnected.value || connection.value !== "lost") return null;
  return <p class="nothing">The server does not answer now.</p>;
}

function sayAnswered(element: HTMLElement, { id, info, decision }: Approval): void {
  const detail = {
    id,
    runId: info.runId,
    sessionId: info.sessionId ?? null,
    decision: decision?.decision ?? null,
  };
  element.dispatchEvent(
    new CustomEvent("toolmount-answered", { detail, bubbles: true, composed: true }) satisfies AnsweredEvent,
  );
}

/** `<toolmount-story session="ID">`: what happened in a session, who allowed it, and how each call ended. */
class StoryElement extends Drawn {
  static readonly observedAttributes = ["session"];

  constructor() {
    super(StoryElement.observedAttributes);
  }

  draw(attributes: Signal<Attributes>) {
    return <OneStory attributes={attributes} />;
  }
}

function OneStory({ attributes }: { readonly attributes: Signal<Attributes> }) {
  const { session: id = null } = attributes.value;
  if (!isConnected.value || id === null) return <Away />;
  return (
    <section class="pane" aria-label={`Session ${id}`}>
      <StoryView key={id} id={id} again={calls} />
    </section>
  );
}

let styles: CSSStyleSheet | undefined;

/**
 * Returns one style sheet for all elements. It is created by script, because a strict content security policy forbids style
 * elements.
 */
function sheet(): CSSStyleSheet {
  if (styles === undefined) {
    styles = new CSSStyleSheet();
    styles.replaceSync(styleText);
  }
  return styles;
}

/** Gives each section the role `group`. As regions, the sections of two cards on one page would have the same names. */
function groupParts(): void {
  const before = { ...options };
  options.vnode = (vnode) => {
    before.vnode?.(vnode);
    if (vnode.type === "section") (vnode.props as { role?: string }).role ??= "group";
  };
}

drawn.isEmbedded = true;
drawn.roots = new Set();
markHidden();
groupParts();
if (customElements.get("toolmount-question") === undefined) {
  customElements.define("toolmount-question", QuestionElement);
  customElements.define("toolmount-story", StoryElement);
}
