import { expect, test } from "vitest";
import { createTerminalLogger } from "../../src/host/terminal-logger.ts";
import { createScreen } from "../../src/screen/screen.ts";

function written() {
  let text = "";
  const screen = createScreen({ write: (piece) => (text += piece) }, {});
  return { logger: createTerminalLogger(screen, "normal"), read: () => text };
}

const errorWith = (...frames: readonly string[]) =>
  Object.assign(new Error("it broke"), {
    stack: ["Error: it broke", ...frames.map((frame) => `    at ${frame}`)].join("\n"),
  });

test.each([
  { frames: ["process.processTicksAndRejections (node:internal/process/task_queues:104:5)"], place: "" },
  { frames: ["async node:internal/modules/esm/loader:647:26"], place: "" },
  { frames: ["execute (file:///work/my%20tool.ts?v=1:4:11)"], place: " at /work/my%20tool.ts:4:11" },
  { frames: ["async file:///work/tool.ts:4:11"], place: " at /work/tool.ts:4:11" },
  {
    frames: ["Object.mount [as run] (/a/node_modules/x/index.js:1:2)", "new Tool (/work/tool.ts:9:1)"],
    place: " at /work/tool.ts:9:1",
  },
])(
  "a logged error names the first place in a person's own file, and none in Node itself: $frames",
  ({ frames, place }) => {
    const { logger, read } = written();
    logger.error({ err: errorWith(...frames) }, "a call failed");

    expect(read()).toBe(`error: a call failed (it broke)${place}\n`);
  },
);

test("a warning that follows itself is printed once, and one of another call is printed again", () => {
  const { logger, read } = written();
  for (const fields of [{}, {}, { run_id: "1" }, { run_id: "2" }]) logger.warn(fields, "the plan is old");

  expect(read()).toBe("warning: the plan is old\n".repeat(3));
});

test("a warning says which tool it is about, and repeats neither ids nor what its message has", () => {
  const { logger, read } = written();
  const fields = { tool: "read_x", missing: ["a_tool", "b_tool"], run_id: "1", callId: "2", deep: { at: 1 } };
  logger.warn(fields, "a tool depends on a tool that is not mounted");
  logger.warn({ tool: "read_x" }, "the text of read_x is long");

  expect(read()).toBe(
    "warning: a tool depends on a tool that is not mounted (tool: read_x; missing: a_tool, b_tool)\n" +
      "warning: the text of read_x is long\n",
  );
});
