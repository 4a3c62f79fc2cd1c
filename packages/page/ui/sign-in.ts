import { ApiError, reach, refusal, token } from "./api.ts";

/** Under this name the token is kept until the tab is closed. */
const storageKey = "toolmount-token";

/** The name of the OpenID provider at which people sign in to this server; null when they enter a token. */
export const provider =
  document.querySelector<HTMLMetaElement>('meta[name="toolmount-provider"]')?.content ?? null;

/** Under this name a tab notes that its person went to the provider to sign in. */
const signingInKey = "toolmount-signing-in";

token.value = takeToken();
reach({ renew: renewToken, refused: forgetToken });

/**
 * A link brings the token in its fragment, which browsers do not send; it must not stay in the address or the history. What
 * follows it is the view to open: `#token=tm_…&view=/inbox/ID`. A link of another person would make what is decided here
 * that person's: it brings a token only to a tab without one, and where people sign in at a provider only to a tab that went there.
 */
function takeToken(): string | null {
  const [, given, view = ""] = /^#token=([\w.~+/=-]+)(?:&view=(\/.*))?$/.exec(location.hash) ?? [];
  const went = sessionStorage.getItem(signingInKey) !== null;
  sessionStorage.removeItem(signingInKey);
  if (given !== undefined) {
    const isFree = provider === null ? sessionStorage.getItem(storageKey) === null : went;
    if (isFree) sessionStorage.setItem(storageKey, given);
    history.replaceState(null, "", location.pathname + (view === "" ? "" : `#${view}`));
  }
  return sessionStorage.getItem(storageKey);
}

/**
 * The tabs of this browser with this page. A tab that a link opened has no token yet: it asks the others. Their answer stays
 * in the browser, and pages of other origins do not hear it.
 */
const tabs = new BroadcastChannel("toolmount-tabs");
tabs.addEventListener(
  "message",
  ({ data }: MessageEvent<{ readonly asks?: true; readonly token?: string; readonly of?: string }>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
    if (data.asks === true && token.value !== null) tabs.postMessage({ token: token.value });
    else if (data.token !== undefined && token.value === (data.of ?? null) && !isSignedOut)
      enterToken(data.token);
  },
);
/** The person signed out here: then no other tab signs them in. */
let isSignedOut = false;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
if (token.value === null) tabs.postMessage({ asks: true });

/** The person leaves for the provider; the token that the tab comes back with is theirs. */
export function noteSignIn(): void {
  sessionStorage.setItem(signingInKey, "began");
}

/** Keeps a token that a person entered. */
export function enterToken(given: string): void {
  refusal.value = "";
  sessionStorage.setItem(storageKey, given);
  token.value = given;
}

/** The person leaves: this browser keeps nothing that could sign them in again. */
export async function signOut(): Promise<void> {
  isSignedOut = true;
  forgetToken();
  if (provider !== null) await fetch("/signin/out", { method: "POST" });
}

function forgetToken(): void {
  sessionStorage.removeItem(storageKey);
  token.value = null;
}

/**
 * Asks the server for the next token of a person who signed in at the provider, and returns whether there is one. The provider
 * takes what renews a token once, so one tab asks, and the other tabs take its answer.
 */
export async function renewToken(used: string | null): Promise<boolean> {
  // A token of the server's own file has no dots, and cannot be renewed.
  if (provider === null || isSignedOut || used?.includes(".") === false) return false;
  const renew = async () => {
    if (token.value !== used) return token.value !== null;
    const response = await fetch("/signin/renew", { method: "POST" });
    if (response.status === 401) return false;
    const answer = (await response.json()) as { token: string; code: string; detail: string };
    if (!response.ok) throw new ApiError(answer.code, answer.detail);
    enterToken(answer.token);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
    if (used !== null) tabs.postMessage({ token: answer.token, of: used });
    return true;
  };
  return isSecureContext ? navigator.locks.request("toolmount-renew", renew) : renew();
}
