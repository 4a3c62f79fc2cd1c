import { findAll } from "./drawn.ts";

/** Milliseconds in which buttons that moved or appeared do nothing: a click then was meant for what was there before. */
const steadyMs = 500;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly since: number;
}

const places = new WeakMap<Element, Place>();

/** Whether an element has been where it is for so long that a person has seen it there. */
export function isSteady(element: Element): boolean {
  return performance.now() - placeOf(element).since >= steadyMs;
}

/** Watches the elements with `data-decides`, and marks those that are not steady. Returns a function that stops it. */
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

/** Where an element is in the window, and since when. */
function placeOf(element: Element): Place {
  const { x, y } = element.getBoundingClientRect();
  const before = places.get(element);
  if (before?.x === x && before.y === y) return before;
  const place = { x, y, since: performance.now() };
  places.set(element, place);
  return place;
}
