import { useSignal, useSignalEffect } from "@preact/signals";
import { render } from "preact";
import { ApprovalsView } from "./approvals.tsx";
import { enterToken, forgetToken, token } from "./api.ts";
import { CallsView } from "./calls.tsx";
import { follow } from "./connect.ts";
import { markHidden } from "./mark-hidden.ts";
import { PlanView } from "./plan.tsx";
import { route } from "./route.ts";
import { SessionsView } from "./sessions.tsx";
import { approvals, connection, hostName, mayApprove, me, notices } from "./state.ts";
import { TryView } from "./try.tsx";

const views = [
  { path: "approvals", title: "Approvals", View: ApprovalsView },
  { path: "calls", title: "Calls", View: CallsView },
  { path: "sessions", title: "Sessions", View: SessionsView },
  { path: "plan", title: "Plan", View: PlanView },
  { path: "try", title: "Try a tool", View: TryView },
] as const;

function App() {
  return token.value === null ? <Login /> : <Page />;
}

function Login() {
  const given = useSignal("");
  return (
    <main class="login">
      <h1>toolmount</h1>
      <p>Enter a token of this server. The server shows it once, when it starts at a terminal.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enterToken(given.value.trim());
        }}
      >
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={given}
            onInput={(event) => (given.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
    </main>
  );
}

function Page() {
  useSignalEffect(() => {
    void hostName.value;
    return follow();
  });
  useSignalEffect(() => {
    const waiting = approvals.value?.length ?? 0;
    document.title = waiting > 0 ? `(${waiting}) toolmount` : "toolmount";
  });
  const { title, View } = views.find((view) => view.path === route.value.view) ?? views[0];
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header>
        <span class="brand">toolmount</span>
        <nav aria-label="Views">
          {views.map((view) => (
            <a href={`#/${view.path}`} aria-current={view.title === title ? "page" : undefined}>
              {view.title}
              {view.path === "approvals" && <Badge />}
            </a>
          ))}
        </nav>
        <HostChoice />
        <Connection />
        <button type="button" class="out" onClick={forgetToken}>
          Sign out
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        <h1>{title}</h1>
        <View />
      </main>
      <div class="notices" role="status" aria-live="polite">
        {notices.value.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function Badge() {
  const waiting = approvals.value?.length ?? 0;
  return waiting === 0 ? null : (
    <>
      {" "}
      <span class="badge">{waiting}</span>
    </>
  );
}

function HostChoice() {
  const hosts = me.value?.hosts ?? [];
  if (hosts.length < 2) return null;
  return (
    <label>
      Host{" "}
      <select value={hostName.value} onChange={(event) => (hostName.value = event.currentTarget.value)}>
        {hosts.map(({ name }) => (
          <option value={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function Connection() {
  const texts = { connecting: "connecting", open: "live", lost: "connection lost" };
  const who = me.value === null ? "" : ` as ${me.value.name}${mayApprove.value ? "" : ", without approvals"}`;
  return (
    <span class={`connection ${connection.value}`} role="status">
      {texts[connection.value]}
      {who}
    </span>
  );
}

markHidden();
const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
