import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.ts";

declare const root: Element;
createRoot(root).render(createElement(Chat));
