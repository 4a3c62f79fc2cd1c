// The elements as components of React, for a product whose page is made with it.
import { createElement, useEffect, useRef, type HTMLAttributes, type ReactElement } from "react";
import type { AnsweredEvent, Connection } from "./elements.ts";

/** Attributes of the element itself, such as `className`. */
type Rest = Omit<HTMLAttributes<HTMLElement>, "children">;

/** What the question card shows, and what it calls. */
export interface QuestionProps extends Rest {
  /** The id of one question. */
  readonly approval?: string;
  /** A session, for what waits in it. */
  readonly session?: string;
  readonly onAnswered?: (answered: AnsweredEvent["detail"]) => void;
}

/**
 * Connects the elements while the component is there that calls it. Other values of `server`, `host`, `page` or a text as
 * `token` connect again; a function as `token` is asked again when a token is refused.
 */
export function useToolmount(connection: Connection): void {
  const last = useRef(connection);
  last.current = connection;
  const { server, host, page, token } = connection;
  const text = typeof token === "function" ? null : token;
  useEffect(() => {
    let isOver = false;
    let end = () => {};
    // A server that renders the component has no elements.
    void import("@toolmount/page/elements").then(({ connectToolmount }) => {
      if (!isOver) end = connectToolmount(last.current);
    });
    return () => {
      isOver = true;
      end();
    };
  }, [server, host, page, text]);
}

/** The question card: empty while nothing waits. */
export function Question({ approval, session, onAnswered, ...rest }: QuestionProps): ReactElement {
  const element = useRef<HTMLElement>(null);
  const heard = useRef(onAnswered);
  heard.current = onAnswered;
  useEffect(() => {
    const hear = (event: Event) => heard.current?.((event as AnsweredEvent).detail);
    const { current } = element;
    current?.addEventListener("toolmount-answered", hear);
    return () => current?.removeEventListener("toolmount-answered", hear);
  }, []);
  return createElement("toolmount-question", { ...rest, approval, session, ref: element });
}

/** What happened in a session. */
export function Story({ session, ...rest }: Rest & { readonly session: string }): ReactElement {
  return createElement("toolmount-story", { ...rest, session });
}
