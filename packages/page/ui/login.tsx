import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { refusal } from "./api.ts";
import { enterToken, noteSignIn, provider, renewToken } from "./sign-in.ts";

/** Messages for a person who returns from the provider without a token, by the code in the address. */
const refused: Readonly<Record<string, string>> = {
  late: "The sign-in took too long, or began in another window. Sign in again.",
  denied: "The provider did not let you in.",
  unfit:
    "You are signed in at the provider, but you have no role here. The person who runs the server gives you one.",
  failed: "The provider could not be asked. Try again; the server's log says more.",
};

/** Shows how to sign in: at the provider, if the server has one; otherwise with a token. */
export function Login() {
  return (
    <main class="login">
      <h1 class="brand">
        <i aria-hidden="true" />
        toolmount
      </h1>
      {provider === null ? <TokenForm /> : <SignIn name={provider} />}
      <p role="alert" class="origin">
        {refusal.value}
      </p>
    </main>
  );
}

/** Signs in at the provider. Afterwards, the view opens that the person wanted to see. */
function SignIn({ name }: { readonly name: string }) {
  const looking = useSignal(true);
  useEffect(() => {
    const [, code] = /^#refused=(\w+)/.exec(location.hash) ?? [];
    if (code !== undefined) {
      history.replaceState(null, "", location.pathname);
      refusal.value = refused[code] ?? "";
      looking.value = false;
      return;
    }
    void renewToken(null).then(
      () => (looking.value = false),
      (error: unknown) => {
        looking.value = false;
        refusal.value = String(error);
      },
    );
  }, []);
  if (looking.value) return <p role="status">Signing in …</p>;
  const view = location.hash.replace(/^#(?!\/).*|^#/, "");
  return (
    <>
      <p>
        <a class="button go" href={`/signin?view=${encodeURIComponent(view)}`} onClick={noteSignIn}>
          Sign in at {name}
        </a>
      </p>
      <details>
        <summary>Use a token instead</summary>
        <TokenForm />
      </details>
    </>
  );
}

function TokenForm() {
  const given = useSignal("");
  return (
    <>
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
        <button type="submit" class="go">
          Open
        </button>
      </form>
    </>
  );
}
