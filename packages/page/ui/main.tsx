import { untracked, useSignalEffect } from "@preact/signals";
import { render } from "preact";
// This must be the first import, because it removes a token from the address before the route is read from the address.
import { signOut } from "./sign-in.ts";
import { token } from "./api.ts";
import { CallsView } from "./calls/calls.tsx";
import { follow } from "./connect.ts";
import { Icon, type IconName } from "./icons.tsx";
import { InboxView } from "./inbox/inbox.tsx";
import { waitingSessions } from "./layer/layers.ts";
import { markHidden } from "./mark-hidden.ts";
import { Says } from "./parts/frame.tsx";
import { PlanView } from "./plan/plan.tsx";
import { Login } from "./login.tsx";
import { linkTo, route } from "./route.ts";
import { ServersView } from "./servers.tsx";
import { SessionsView } from "./sessions.tsx";
import { approvals, connection, hasMore, hostName, mayApprove, me, served } from "./state.ts";
import { TryView } from "./try.tsx";

const views = [
  { path: "inbox", title: "Inbox", View: InboxView },
  { path: "calls", title: "Calls", View: CallsView },
  { path: "sessions", title: "Sessions", View: SessionsView },
  { path: "plan", title: "Plan", View: PlanView },
  { path: "servers", title: "Servers", View: ServersView },
  { path: "try", title: "Try a tool", View: TryView },
] as const satisfies readonly { readonly path: IconName; readonly title: string; readonly View: unknown }[];

function App() {
  return token.value === null ? <Login /> : <Page />;
}

function Page() {
  // A link can name the host to which its view belongs.
  useSignalEffect(() => {
    const { host } = route.value.filter;
    if (host !== undefined) hostName.value = host;
  });
  useSignalEffect(() => {
    void hostName.value;
    // Untracked, because a renewed token must not start a new connection.
    return untracked(follow);
  });
  useSignalEffect(() => {
    const waiting = (approvals.value?.length ?? 0) + waitingSessions.value.length;
    document.title = waiting > 0 ? `(${waiting}) toolmount` : "toolmount";
  });
  const { path, View } = views.find((view) => view.path === route.value.view) ?? views[0];
  return (
    <div class="app">
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header class="rail">
        <span class="brand">
          <i aria-hidden="true" />
          toolmount
        </span>
        <nav aria-label="Views">
          {views.filter(isOffered).map((view) => (
            <a href={linkTo(view.path)} aria-current={view.path === path ? "page" : undefined}>
              <Icon name={view.path} />
              {view.title}
              {view.path === "inbox" && <Badge />}
            </a>
          ))}
        </nav>
        <Foot />
      </header>
      <main id="content" tabIndex={-1}>
        <View />
      </main>
      <Says />
    </div>
  );
}

/**
 * Tests whether the menu shows a view. `servers` is hidden on a host that mounts no server with a sign-in, unless the view is
 * open.
 */
function isOffered({ path }: (typeof views)[number]): boolean {
  return path !== "servers" || (served.value?.servers ?? 0) > 0 || route.value.view === "servers";
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function Badge() {
  const waiting = (approvals.value?.length ?? 0) + waitingSessions.value.length;
  return waiting === 0 ? null : (
    <>
      {" "}
      <span class="badge">
        {waiting}
        {hasMore.value && "+"}
      </span>
    </>
  );
}

/** Shows the connection, the choice of the host, and the button that signs out. */
function Foot() {
  return (
    <div class="foot">
      <Connection />
      <HostChoice />
      <button type="button" class="plain" onClick={() => void signOut()}>
        <Icon name="out" />
        Sign out
      </button>
    </div>
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
  const texts = { connecting: "Connecting", open: "Live", lost: "Connection lost" };
  const who = me.value === null ? "" : `as ${me.value.name}${mayApprove.value ? "" : ", without approvals"}`;
  return (
    <span class={`connection ${connection.value}`} role="status">
      <i aria-hidden="true" />
      <span>
        {texts[connection.value]} <b>{who}</b>
      </span>
    </span>
  );
}

markHidden();
const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
