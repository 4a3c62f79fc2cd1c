import fc from "fast-check";
import { expect, test } from "vitest";
import { createHost } from "../../src/index.ts";
import { acceptedJson } from "../accepted-json.ts";
import { changeSessionMode, sessionMode } from "@toolmount/core/sessions";

const turn = fc.constantFrom("t-1", "t-2", "t-3", undefined);
const change = fc.record({ mode: fc.constantFrom("general", "planning", "building"), turn });

test("APTIX-N20: after any changes, a turn that made one sees its first mode, and every other turn the last", () => {
  fc.assert(
    fc.property(fc.array(change), turn, (changes, asking) => {
      const { state } = createHost().session("s");
      for (const { mode, turn: turnId } of changes) changeSessionMode(state, mode, turnId);
      const last = changes.at(-1);
      // Changes at the end that one turn made together: it still sees what was before the first of them.
      const first = changes.findLastIndex(({ turn: turnId }) => turnId !== last?.turn) + 1;
      const isOpen = last?.turn !== undefined && asking === last.turn;

      const expected = isOpen ? (changes[first - 1]?.mode ?? null) : (last?.mode ?? null);
      expect(sessionMode(state, asking)).toBe(expected);
    }),
  );
});

test("any stored value gives a session a mode, or none", () => {
  fc.assert(
    fc.property(acceptedJson(), turn, (kept, asking) => {
      const { state } = createHost().session("s");
      state.set("toolmount.mode", kept as never);
      const mode = sessionMode(state, asking);

      expect(mode === null || typeof mode === "string").toBe(true);
    }),
  );
});
