import { findAll } from "./drawn.ts";

/**
 * Milliseconds for which buttons that moved or appeared do nothing, because a click may have been meant for what was there
 * before.
 */
const steadyMs = 500;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly since: number;
}

const places = new WeakMap<Element, Place>();

/** Tests whether an element has been in its place long enough for a person to have seen it there. */
export function isSteady(element: Element): boolean {
  return performance.now() - placeOf(element).since >= steadyMs;
}

/** Watches the elements with `data-decides`, and disables those that have just moved. Returns a function that stops this. */
export function watchPlaces(): () => void {
  const look = () => {
    for (const element of findAll("[data-decides]"))
      if (isSteady(element)) element.removeAttribute("aria-disabled");
      else element.setAttribute("aria-disabled", "true");
    frame = requestAnimationFrame(look);
  };
  let frame = requestAnimationFrame(look);
  return () => cancelAnimationFrame(frame);
}

/** Returns where an element is in the window, and since when. */
function placeOf(element: Element): Place {
  const { x, y } = element.getBoundingClientRect();
  const before = places.get(element);
  if (before?.x === x && before.y === y) return before;
  const place = { x, y, since: performance.now() };
  places.set(element, place);
  return place;
}
