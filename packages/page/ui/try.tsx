import { signal } from "@preact/signals";
import { ask } from "./api.ts";
import { argumentsOf, Field, type Texts } from "./field.tsx";
import { StatusChip } from "./calls/status.tsx";
import { EffectOf } from "./inbox/listed.tsx";
import type { Effect } from "./inbox/listed-calls.ts";
import { Empty, Top } from "./parts/frame.tsx";
import { linkTo } from "./route.ts";
import type { Tool } from "./shapes.ts";
import { hostPath, me, served, textOf, tools } from "./state.ts";
import { countText, durationText, Value } from "./value.tsx";

/** The members of a call's outcome that the page uses. */
interface Outcome {
  readonly status: string;
  readonly runId: string;
  readonly durationMs: number;
  readonly ticket?: string;
  readonly sessionId?: string;
  readonly modelText?: string;
  readonly result: { readonly content?: readonly { readonly type: string }[]; readonly error?: string };
}

// The state is kept outside of the component, so that it is still there after the person has opened another view.
const chosen = signal("");
const texts = signal<Texts>({});
const outcome = signal<Outcome | null>(null);
const problem = signal("");
const busy = signal(false);
const rehearsed = signal<Rehearsed | null>(null);

/** The members of a rehearsal that the page uses. */
interface Rehearsed {
  readonly outcomes: readonly Outcome[];
  readonly calls: readonly {
    readonly tool: string;
    readonly effects: readonly Effect[];
    readonly canUndo: boolean | null;
    readonly asks: readonly string[];
  }[];
  readonly stopped: string | null;
}

/** Shows a form for a tool, made from its schema, and how the call ended. */
export function TryView() {
  if (me.value?.roles.includes("call") !== true)
    return (
      <>
        <Top title="Try a tool" />
        <Empty icon="try" title="This token may not call tools">
          <p>Open the page with a token that has the role call.</p>
        </Empty>
      </>
    );
  const tool = tools.value.find(({ name }) => name === chosen.value) ?? tools.value[0];
  if (tool === undefined)
    return (
      <>
        <Top title="Try a tool" />
        <Empty icon="try" title="This host offers no tool">
          <p>Add one to the plan, then reload it:</p>
          <pre>toolmount add filesystem</pre>
        </Empty>
      </>
    );
  const choose = (name: string) => {
    chosen.value = name;
    texts.value = {};
    outcome.value = null;
    rehearsed.value = null;
    problem.value = "";
  };
  return (
    <>
      <Top
        title="Try a tool"
        about={`${countText(tools.value.length, "tool")}; the outcome is as a model reads it`}
      />
      <div class="body">
        <div class="stack">
          <label class="choose">
            Tool{" "}
            <select value={tool.name} onChange={(event) => choose(event.currentTarget.value)}>
              {tools.value.map(({ name }) => (
                <option value={name}>{name}</option>
              ))}
            </select>
          </label>
          <p class="description">{tool.description}</p>
          <p class="facts">
            {tool.owner} · {tool.category ?? "unclassified"} · consequence{" "}
            {tool.consequenceLevel ?? "unknown"}
            {tool.requiresConfirmation === true && " · asks a person first"}
            {tool.requiresConfirmation === "dynamic" && " · may ask a person first"}
          </p>
          <Form key={tool.name} tool={tool} />
          {rehearsed.value !== null && <WouldChange rehearsed={rehearsed.value} />}
          {outcome.value !== null && <Shown outcome={outcome.value} />}
        </div>
      </div>
    </>
  );
}

function Form({ tool }: { readonly tool: Tool }) {
  const { properties = {}, required = [] } = tool.inputSchema;
  const run = () =>
    send("calls", () => ({ tool: tool.name, arguments: argumentsOf(tool.inputSchema, texts.value) }));
  return (
    <form
      class="box form"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {Object.entries(properties).map(([name, schema]) => (
        <Field name={name} schema={schema} required={required.includes(name)} texts={texts} />
      ))}
      {Object.keys(properties).length === 0 && <p>It takes no arguments.</p>}
      <div class="actions">
        <button type="submit" class="go" disabled={busy}>
          Call {tool.name}
        </button>
        {tool.category !== "read" && (
          <button type="button" disabled={busy} onClick={() => void rehearse(tool)}>
            Rehearse
          </button>
        )}
      </div>
      {problem.value !== "" && <p class="problem">{problem.value}</p>}
    </form>
  );
}

/** The session of this page's calls. It has its own id, so that an approval "for this session" covers only calls of this page. */
const sessionId = `page-${Math.random().toString(36).slice(2, 10)}`;

function send(path: "calls" | "resume", body: () => object): Promise<void> {
  return attempt(async () => {
    const asModel = served.value?.modelText === true ? { modelText: true } : {};
    const given = { ...body(), sessionId, ...asModel };
    outcome.value = await ask<Outcome>("POST", `${hostPath.value}/${path}`, given);
    rehearsed.value = null;
  });
}

/** Shows what a call would change, without making it. */
function rehearse(tool: Tool): Promise<void> {
  return attempt(async () => {
    const calls = [{ tool: tool.name, arguments: argumentsOf(tool.inputSchema, texts.value) }];
    rehearsed.value = await ask<Rehearsed>("POST", `${hostPath.value}/rehearsals`, { sessionId, calls });
    outcome.value = null;
  });
}

async function attempt(work: () => Promise<void>): Promise<void> {
  problem.value = "";
  busy.value = true;
  try {
    await work();
  } catch (error) {
    problem.value = error instanceof SyntaxError ? error.message : textOf(error);
  }
  busy.value = false;
}

function WouldChange({ rehearsed: { outcomes, calls, stopped } }: { readonly rehearsed: Rehearsed }) {
  const error = outcomes[0]?.result.error;
  return (
    <section class="box" aria-label="Rehearsal">
      <h3>
        <span>It would change</span>
      </h3>
      <div class="in">
        {error !== undefined && <p class="origin">The call would end with: {error}</p>}
        {stopped !== null && <p class="origin">{stopped}</p>}
        {error === undefined && calls.length === 0 && <p>Nothing.</p>}
        {calls.map(({ tool, effects, canUndo, asks }) => (
          <>
            {effects.length === 0 && (
              <p class="origin">What {tool} would change is not known: it has no preview.</p>
            )}
            {effects.map((effect) => (
              <EffectOf effect={effect} isOpen />
            ))}
            {asks.map((reason) => (
              <p class="facts">Asks because {reason}</p>
            ))}
            <p class="facts">{canUndo === true ? "It can be undone." : "It cannot be undone."}</p>
          </>
        ))}
        <p class="facts">Nothing has changed: this is a rehearsal.</p>
      </div>
    </section>
  );
}

function Shown({ outcome: { modelText, ...whole } }: { readonly outcome: Outcome }) {
  const { status, runId, durationMs, ticket, result } = whole;
  // The texts among the blocks are in the text that the model reads.
  const others = (result.content ?? []).filter(({ type }) => type !== "text").length;
  return (
    <section class="box form" aria-label="Outcome">
      <h2>
        Outcome <StatusChip status={status} />{" "}
        <small>
          {durationText(durationMs)} · <a href={linkTo("calls", runId)}>steps</a>
        </small>
      </h2>
      {status === "pending" && (
        <p class="actions">
          <span>
            It waits for an answer in the <a href={linkTo("inbox")}>Inbox</a>.
          </span>
          <button type="button" disabled={busy} onClick={() => void send("resume", () => ({ ticket }))}>
            Resume
          </button>
        </p>
      )}
      {modelText !== undefined && <h3>As a model reads it</h3>}
      {modelText !== undefined && <Value value={modelText} label="As a model reads it" />}
      {others > 0 && <p>The model also reads {countText(others, "content block")} of the result.</p>}
      <details open={modelText === undefined}>
        <summary>The whole outcome</summary>
        <Value value={whole} label="The whole outcome" />
      </details>
    </section>
  );
}
