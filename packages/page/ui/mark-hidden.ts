import { createElement, options, type ComponentChild, type ComponentChildren, type VNode } from "preact";
import { escapeHidden, piecesOf, type Piece } from "./hidden.ts";

/** Elements that can contain only text. */
const plain: ReadonlySet<string> = new Set(["option", "textarea", "title"]);

const attributes = ["aria-label", "title", "placeholder", "alt", "label"] as const;

/**
 * Makes hidden characters visible in every text that the page draws from now on, so that texts of tools, models and callers
 * cannot mislead. `data-marked` excludes an element whose component has already done this.
 */
export function markHidden(): void {
  const before = { ...options };
  options.vnode = (vnode) => {
    before.vnode?.(vnode);
    if (typeof vnode.type === "string") markElement(vnode);
  };
}

type Props = Record<string, unknown> & { children?: ComponentChildren };

function markElement({ type, props }: VNode<Props>): void {
  for (const name of attributes) {
    const value = props[name];
    if (typeof value === "string") props[name] = escapeHidden(value);
  }
  if (props["data-marked"] !== undefined || props.children === undefined) return;
  props.children = markChildren(props.children, plain.has(String(type)));
}

function markChildren(children: ComponentChildren, isPlain: boolean): ComponentChildren {
  if (Array.isArray(children)) return children.map((child) => markChildren(child as ComponentChild, isPlain));
  if (typeof children !== "string") return children;
  if (isPlain) return escapeHidden(children);
  const pieces = piecesOf(children);
  return pieces.every((piece) => typeof piece === "string") ? children : pieces.map(drawPiece);
}

/** Draws a part of a text. Hidden characters get a mark around them. */
export function drawPiece(piece: Piece): ComponentChild {
  if (typeof piece === "string") return piece;
  return createElement("mark", { class: "hidden", title: piece.title }, piece.shown);
}
