import { createHost } from "@toolmount/core";
import { changeSessionMode, sessionMode } from "@toolmount/core/sessions";
import { createChangeMode, type ModeChanged } from "@toolmount/tool-modes";
import { expect, test } from "vitest";
import { catalogOf, recordingLogger } from "./catalog.ts";

test.each([
  { now: "planning", answer: { data: { changed: true } }, end: "general" },
  { now: "general", answer: { data: { changed: false } }, end: "general" },
  {
    now: "writing",
    answer: {
      code: "CHANGED_SINCE",
      error: expect.stringContaining("the session has the mode writing now") as string,
    },
    end: "writing",
  },
  {
    now: null,
    answer: {
      code: "CHANGED_SINCE",
      error: expect.stringContaining("the session has the mode of its catalog now") as string,
    },
    end: null,
  },
])("an undo of a session whose mode is $now answers $answer", async ({ now, answer, end }) => {
  const reported: ModeChanged[] = [];
  const tool = createChangeMode({}, { catalog: catalogOf(), tell: (change) => void reported.push(change) });
  const { state: session } = createHost().session("s-1");
  if (now !== null) changeSessionMode(session, now);
  const change = { data: { before: "general", after: "planning" } };
  const logger = recordingLogger();

  expect(await tool.undo!(change as never, { session, sessionId: "s-1", logger } as never)).toMatchObject(
    answer,
  );
  expect(sessionMode(session)).toBe(end);
  expect(reported).toEqual(
    now === "planning"
      ? [
          expect.objectContaining({
            previous_mode: "planning",
            mode: "general",
            branch: false,
            reason: "an undo",
          }),
        ]
      : [],
  );
});
