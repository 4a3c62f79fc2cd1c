// Asks the real question of a call again and again, at the terminal of this process. The title of the terminal says how
// many bytes were read, so a test knows that its keys have arrived.
import { systemClock, type ApprovalQuestion } from "@toolmount/core";
import { createTerminalApprover } from "../../src/host/terminal-approver.ts";
import { createScreen } from "../../src/screen/screen.ts";

const [consequenceLevel] = process.argv.slice(2) as [string];
const screen = createScreen(process.stdout, {});
/** The product's half second, shorter: a test waits for the screen, not for a time. */
const clock = { setTimer: (callback: () => void) => systemClock.setTimer(callback, 1) };
const ask = createTerminalApprover(screen, { input: process.stdin, output: process.stdout, clock }, () =>
  process.exit(1),
);
const question = {
  approvalId: "a-1",
  arguments: { path: "old.txt" },
  canWait: true,
  digest: "0123456789abcdef",
  prompt: "",
  info: { sessionId: "s-1" },
  rememberable: true,
  reasons: [],
  tool: { name: "remove", owner: "test", category: "side_effect", consequenceLevel, inputSchema: {} },
} as unknown as ApprovalQuestion;

let bytes = 0;
process.stdin.on("data", (chunk: Buffer) => {
  bytes += chunk.length;
  // What the keys changed is drawn first.
  setImmediate(() => process.stdout.write(`\u001b]2;${bytes}\u0007`));
});

for (let count = 1; ; count++) {
  const { decision, remember, reason } = await ask(question, { signal: new AbortController().signal });
  const answer = remember?.scope ?? (reason === undefined ? decision : "reason");
  process.stdout.write(`answer ${count}: ${answer}\n`);
}
