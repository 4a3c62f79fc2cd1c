import { createElement as h, useState } from "react";
import { Question, Story, useToolmount } from "@toolmount/page/react";

/** A chat of a product: what its user is asked is a part of it. */
export function Chat() {
  const [said, say] = useState("nothing yet");
  useToolmount({ server: "/toolmount" });
  return h(
    "main",
    null,
    h("h1", null, "A chat"),
    h("p", { role: "status" }, `You answered: ${said}`),
    h(Question, { session: "s1", className: "card", onAnswered: ({ decision }) => say(String(decision)) }),
    h(Story, { session: "s1" }),
  );
}
