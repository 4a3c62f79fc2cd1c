import { connectToolmount } from "./elements.js";

// Its own server adds the token of its user, so the browser has none.
connectToolmount({ server: "/toolmount" });

const said = document.querySelector("[role=status]");
document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const response = await fetch("/notes", { method: "POST", body: event.target.elements.text.value });
  said.textContent = await response.text();
});
// The question that is shown was answered: the product's server continues by itself.
addEventListener("toolmount-answered", ({ detail }) => (said.textContent = `You said: ${detail.decision}`));
