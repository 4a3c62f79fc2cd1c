import { ApiError, reach, refusal, token } from "./api.ts";

/** The key under which the token is stored until the tab is closed. */
const storageKey = "toolmount-token";

/** The name of the OpenID provider where people sign in to this server; null if they enter a token. */
export const provider =
  document.querySelector<HTMLMetaElement>('meta[name="toolmount-provider"]')?.content ?? null;

/** The key under which a tab remembers that its person went to the provider to sign in. */
const signingInKey = "toolmount-signing-in";

token.value = takeToken();
reach({ renew: renewToken, refused: forgetToken });

/**
 * Takes a token from the fragment of the address, which browsers do not send, and removes the token from the address and the
 * history. The rest of the fragment is the view to open: `#token=tm_…&view=/inbox/ID`.
 *
 * Another person's link must not replace the token, because decisions would then be recorded under that person's name. So a tab
 * accepts a token from a link only if it has none; with a provider, only if it went there to sign in.
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
 * Connects the tabs of this browser that show this page. A new tab without a token asks the others for theirs. The messages stay
 * in the browser, and pages of other origins cannot read them.
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
/** Whether the person signed out in this tab. Then other tabs must not sign them in again. */
let isSignedOut = false;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none; it is of one origin
if (token.value === null) tabs.postMessage({ asks: true });

/** Remembers that the person goes to the provider, so that the tab accepts the token with which the person returns. */
export function noteSignIn(): void {
  sessionStorage.setItem(signingInKey, "began");
}

/** Stores a new token, such as one that a person entered. */
export function enterToken(given: string): void {
  refusal.value = "";
  sessionStorage.setItem(storageKey, given);
  token.value = given;
}

/** Signs the person out. Afterwards this browser has nothing with which it could sign them in again. */
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
 * Asks the server for a new token for a person who signed in at the provider. Resolves to whether there is a new one. The
 * provider accepts a refresh token only once. So one tab asks, and passes the new token to the others.
 */
export async function renewToken(used: string | null): Promise<boolean> {
  // A token from the server's token file contains no dots, and cannot be renewed.
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
