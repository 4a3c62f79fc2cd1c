import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "./api.ts";
import { StatusChip } from "./calls/status.tsx";
import { Missing, useLoaded } from "./load.tsx";
import { Empty, Top } from "./parts/frame.tsx";
import { route } from "./route.ts";
import type { Mounted, Server, Servers } from "./shapes.ts";
import { calls, hostPath, me, textOf } from "./state.ts";
import { countText } from "./value.tsx";

/** Milliseconds between two loads of the servers' states, which can change even if no call is made. */
const againMs = 5_000;

/** Shows the MCP servers that the host mounts, their states, and the way to sign in to them. */
export function ServersView() {
  // The list is loaded again when a call fails because a sign-in is missing.
  const needed = useComputed(() => calls.value.find(({ code }) => code === "MCP_NEEDS_AUTH")?.runId);
  const round = useSignal(0);
  const again = useComputed(() => `${needed.value} ${round.value}`);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") round.value += 1;
    }, againMs);
    return () => clearInterval(timer);
  }, []);
  const loaded = useLoaded<Servers>("/servers", again);
  const found = loaded.value !== null && "value" in loaded.value ? loaded.value.value : null;
  const count = found === null ? 0 : Math.max(found.mounted.length, found.servers.length);
  return (
    <>
      <Top title="Servers" about={found === null ? "" : countText(count, "server")} />
      <div class="body">
        <Return />
        {found === null ? <Missing loaded={loaded.value} /> : <Found found={found} />}
      </div>
    </>
  );
}

function Found({ found: { mounted, servers } }: { readonly found: Servers }) {
  if (mounted.length === 0 && servers.length === 0)
    return (
      <Empty icon="servers" title="This host mounts no MCP server">
        <p>Servers over MCP appear here: how they stand, and where to sign in to them.</p>
      </Empty>
    );
  return (
    <>
      {mounted.length > 0 && <Standing mounted={mounted} />}
      {servers.length > 0 && <List servers={servers} />}
    </>
  );
}

function Standing({ mounted }: { readonly mounted: readonly Mounted[] }) {
  return (
    <section class="box" aria-label="Mounted servers">
      <table class="table servers">
        <thead>
          <tr>
            <th scope="col">server</th>
            <th scope="col">state</th>
            <th scope="col">what it is</th>
            <th scope="col">what is wrong</th>
          </tr>
        </thead>
        <tbody>
          {mounted.map((server) => (
            <tr key={server.name}>
              <th scope="row">{server.name}</th>
              <td>
                <StatusChip status={server.state} />
              </td>
              <td class="long">{[server.server, server.protocol].filter(Boolean).join(" · ")}</td>
              <td class="long">{problemsOf(server).join(" · ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Returns why a server is down, for which users it is not connected, and which of its tools were left out. */
function problemsOf({ cause, users = [], refused: left }: Mounted): string[] {
  const away = users.filter(({ state }) => state !== "connected" && state !== "asleep");
  return [
    ...(cause === undefined ? [] : [cause]),
    ...away.map(({ user, state }) => `${user}: ${state.replaceAll("_", " ")}`),
    ...left.map(({ tool, problem }) => `${tool} is left out: ${problem}`),
  ];
}

const refused: Readonly<Record<string, string>> = {
  SIGN_IN_REFUSED:
    "The browser came back from a sign-in that is not waited for: it took longer than ten minutes, was used already, or began elsewhere. Sign in again.",
  SIGN_IN_FAILED:
    "The sign-in did not succeed: the provider refused it, or could not be asked. The server's log says more.",
};

/** Shows how a sign-in ended, if the browser has just returned from one. */
function Return() {
  const {
    open,
    filter: { signed, refused: code },
  } = route.value;
  if (code !== undefined)
    return (
      <p class="problem" role="alert">
        {(Object.hasOwn(refused, code) ? refused[code] : undefined) ??
          "The sign-in did not succeed. The server's log says more."}{" "}
        ({code})
      </p>
    );
  if (signed === undefined) return null;
  return <p role="status">You are signed in to {open}. A call that waits for it continues.</p>;
}

function List({ servers }: { readonly servers: readonly Server[] }) {
  return (
    <section class="box" aria-label="Sign in">
      <table class="table servers">
        <thead>
          <tr>
            <th scope="col">server</th>
            <th scope="col">credentials of</th>
            <th scope="col">state</th>
            <th scope="col">
              <span class="quiet">sign in</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <Row key={`${server.whose} ${server.name}`} server={server} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const states = {
  signed_in: { text: "signed in", kind: "good" },
  needed: { text: "needs a sign-in", kind: "warn" },
  unknown: { text: "not signed in", kind: "" },
} as const;

function Row({ server: { name, whose, state, maySignIn } }: { readonly server: Server }) {
  const { text, kind } = states[state];
  return (
    <tr aria-current={route.value.open === name ? "true" : undefined}>
      <th scope="row">{name}</th>
      <td>{whose === "user" ? (me.value?.user ?? "") : "the host"}</td>
      <td>
        <span class={`chip ${kind}`}>{text}</span>
      </td>
      <td class="long">
        {maySignIn ? (
          <SignIn name={name} whose={whose} again={state === "signed_in"} />
        ) : (
          "A person with the role admin signs in for the host."
        )}
      </td>
    </tr>
  );
}

/** Offers to sign in at the provider, in this tab. The browser then returns to this view. */
function SignIn({ name, whose, again }: Pick<Server, "name" | "whose"> & { readonly again: boolean }) {
  const said = useSignal("");
  const busy = useSignal(false);
  const begin = async () => {
    busy.value = true;
    try {
      const path = `${hostPath.value}/servers/${encodeURIComponent(name)}/sign-in?whose=${whose}`;
      const { address } = await ask<{ address: string | null }>("POST", path);
      if (address !== null) return location.assign(address);
      said.value = "The server answers without a sign-in.";
    } catch (error) {
      said.value = textOf(error);
    }
    busy.value = false;
  };
  return (
    <>
      <button type="button" class={again ? "" : "go"} disabled={busy} onClick={() => void begin()}>
        {again ? "Sign in again" : `Sign in to ${name}`}
      </button>
      <span role="status"> {said}</span>
    </>
  );
}
