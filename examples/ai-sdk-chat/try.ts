// Sends two requests, as the browser does, and prints what the stream says.
import { host, POST } from "./route.ts";

for (const text of ["What does hello.txt say?", "Write new.txt"]) {
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text }] }];
  const response = await POST(
    new Request("http://localhost/chat", {
      method: "POST",
      headers: { "x-user": "ada" },
      body: JSON.stringify({ id: `chat-${text.length}`, messages }),
    }),
  );
  let answer = "";
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const part = JSON.parse(line.slice("data: ".length)) as Record<string, unknown>;
    if (part["type"] === "text-delta") answer += String(part["delta"]);
    if (part["type"] === "tool-input-available") console.log(part["type"], part["toolName"]);
    if (part["type"] === "tool-output-available")
      console.log(
        part["type"],
        JSON.stringify(part["output"]).includes("Hello from a note.") ? "Hello from a note." : part["output"],
      );
    if (part["type"] === "tool-output-error") console.log(part["type"], part["errorText"]);
  }
  console.log("text", answer);
}
await host.close();
