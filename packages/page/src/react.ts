// The custom elements as React components, for a product whose page uses React.
import { createElement, useEffect, useRef, type HTMLAttributes, type ReactElement } from "react";
import type { AnsweredEvent, Connection } from "./elements.ts";

/** HTML attributes of the element, such as `className`. */
type Rest = Omit<HTMLAttributes<HTMLElement>, "children">;

/** The properties of the question card. */
export interface QuestionProps extends Rest {
  /** The id of a single question to show. */
  readonly approval?: string;
  /** The id of a session whose questions are shown. */
  readonly session?: string;
  readonly onAnswered?: (answered: AnsweredEvent["detail"]) => void;
}

/**
 * Connects the elements while the calling component is mounted. Connects again when `server`, `host`, `page` or a token that is
 * a string changes. If `token` is a function, it is called again when the server refuses the last token.
 */
export function useToolmount(connection: Connection): void {
  const last = useRef(connection);
  last.current = connection;
  const { server, host, page, token } = connection;
  const text = typeof token === "function" ? null : token;
  useEffect(() => {
    let isOver = false;
    let end = () => {};
    // A server that renders the page has no custom elements, so their code is imported only in the browser.
    void import("@toolmount/page/elements").then(({ connectToolmount }) => {
      if (!isOver) end = connectToolmount(last.current);
    });
    return () => {
      isOver = true;
      end();
    };
  }, [server, host, page, text]);
}

/** Shows the question card; it is empty while no question waits. */
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

/** Shows what happened in a session. */
export function Story({ session, ...rest }: Rest & { readonly session: string }): ReactElement {
  return createElement("toolmount-story", { ...rest, session });
}
