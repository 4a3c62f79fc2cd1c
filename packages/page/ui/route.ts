import { signal } from "@preact/signals";
import { drawn } from "./drawn.ts";

/** What the address says: the view, the item that is open in it, and the filter of its list. */
interface Route {
  readonly view: string;
  /** The id of the open item; null if none is open. */
  readonly open: string | null;
  readonly filter: Readonly<Record<string, string>>;
}

/** Earlier names of views, so that old links still work. */
const renamed: Readonly<Record<string, string>> = { approvals: "inbox" };

export const route = signal(routeNow());

addEventListener("hashchange", () => (route.value = routeNow()));

function routeNow(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\//, "").split("?", 2);
  const [view = "", ...rest] = path.split("/");
  return {
    view: renamed[view] ?? view,
    open: rest.length === 0 ? null : decoded(rest.join("/")),
    filter: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the address of a view, or of one item in it; a filter applies to the list of the view. */
export function linkTo(view: string, open?: string | null, filter: Route["filter"] = {}): string {
  return drawn.page + hashOf(view, open, filter);
}

function hashOf(view: string, open: string | null | undefined, filter: Route["filter"]): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== "")).toString();
  const path = open === undefined || open === null ? view : `${view}/${encodeURIComponent(open)}`;
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** Opens a view, or one item in it. */
export function go(view: string, open?: string | null, filter: Route["filter"] = {}): void {
  location.hash = hashOf(view, open, filter);
}

/** Changes the filter of the shown list. The address stores the filter for links and reloads, without a new history entry. */
export function filterBy(filter: Route["filter"]): void {
  const { view, open } = route.value;
  history.replaceState(null, "", hashOf(view, open, filter));
  route.value = routeNow();
}
