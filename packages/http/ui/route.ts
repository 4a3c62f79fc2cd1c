import { signal } from "@preact/signals";

/** The view that the address names, and the thing of it that is open. */
export interface Route {
  readonly view: string;
  /** An id; null when nothing is open. */
  readonly open: string | null;
}

export const route = signal(routeNow());

addEventListener("hashchange", () => (route.value = routeNow()));

function routeNow(): Route {
  const [view = "", ...rest] = location.hash.replace(/^#\//, "").split("/");
  return { view, open: rest.length === 0 ? null : decodeURIComponent(rest.join("/")) };
}

/** The address of a view, or of one thing in it. */
export function linkTo(view: string, open?: string): string {
  return open === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(open)}`;
}

/** Opens a view, or one thing in it. */
export function go(view: string, open?: string): void {
  location.hash = linkTo(view, open);
}
