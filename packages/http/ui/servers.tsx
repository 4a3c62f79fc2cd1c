import { useComputed, useSignal } from "@preact/signals";
import { ask } from "./api.ts";
import { Missing, useLoaded } from "./load.tsx";
import { Empty, Top } from "./parts/frame.tsx";
import { route } from "./route.ts";
import type { Server } from "./shapes.ts";
import { calls, hostPath, me, textOf } from "./state.ts";
import { countText } from "./value.tsx";

/** The servers that the host mounts and people sign in to, and the way to sign in. */
export function ServersView() {
  // A call that needed a sign-in shows that the list has changed.
  const needed = useComputed(() => calls.value.find(({ code }) => code === "MCP_NEEDS_AUTH")?.runId);
  const loaded = useLoaded<{ servers: readonly Server[] }>("/servers", needed);
  const servers = loaded.value !== null && "value" in loaded.value ? loaded.value.value.servers : null;
  const about = servers === null ? "" : countText(servers.length, "server");
  return (
    <>
      <Top title="Servers" about={about} />
      <div class="body">
        <Return />
        {servers === null ? <Missing loaded={loaded.value} /> : <List servers={servers} />}
      </div>
    </>
  );
}

const refused: Readonly<Record<string, string>> = {
  SIGN_IN_REFUSED:
    "The browser came back from a sign-in that is not waited for: it took longer than ten minutes, was used already, or began elsewhere. Sign in again.",
  SIGN_IN_FAILED:
    "The sign-in did not succeed: the provider refused it, or could not be asked. The server's log says more.",
};

/** How a sign-in went from which the browser has just come back. */
function Return() {
  const {
    open,
    filter: { signed, refused: code },
  } = route.value;
  if (code !== undefined)
    return (
      <p class="problem" role="alert">
        {refused[code] ?? "The sign-in did not succeed. The server's log says more."} ({code})
      </p>
    );
  if (signed === undefined) return null;
  return <p role="status">You are signed in to {open}. A call that waits for it continues.</p>;
}

function List({ servers }: { readonly servers: readonly Server[] }) {
  if (servers.length === 0)
    return (
      <Empty icon="servers" title="This host mounts no server to which people sign in">
        <p>Servers over HTTP that ask for a sign-in appear here.</p>
      </Empty>
    );
  return (
    <div class="box">
      <table class="table">
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
    </div>
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
      <td>
        {maySignIn ? (
          <SignIn name={name} whose={whose} again={state === "signed_in"} />
        ) : (
          "A person with the role admin signs in for the host."
        )}
      </td>
    </tr>
  );
}

/** Leads to the provider in this tab; the browser comes back to this view. */
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
