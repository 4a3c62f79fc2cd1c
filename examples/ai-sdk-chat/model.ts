// A scripted model: it reads a file, or writes one when the last message asks for it, then says what happened.
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const isWriting = JSON.stringify(prompt).includes("Write");
    const isAnswered = prompt.at(-1)?.role === "tool";
    const words = isWriting ? "I may not write files." : "It says: Hello from a note.";
    const [toolName, input] = isWriting
      ? ["write_file", '{"file_path":"new.txt","content":"x"}']
      : ["read_file", '{"file_path":"hello.txt"}'];
    const part = isAnswered
      ? [
          { type: "text-start" as const, id: "t" },
          { type: "text-delta" as const, id: "t", delta: words },
          { type: "text-end" as const, id: "t" },
        ]
      : [{ type: "tool-call" as const, toolCallId: "call_1", toolName: toolName!, input: input! }];
    const unified = isAnswered ? ("stop" as const) : ("tool-calls" as const);
    return {
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start" as const, warnings: [] },
          ...part,
          { type: "finish" as const, finishReason: { unified, raw: undefined }, usage },
        ],
      }),
    };
  },
});
