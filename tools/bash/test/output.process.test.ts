import fc from "fast-check";
import { expect, test } from "vitest";
import { shell } from "./world.ts";
import { Capture } from "../src/run/capture.ts";
import { showStream } from "../src/run/show-stream.ts";

const chunks = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 60 });

test("what was printed is kept whole up to the bound, whatever pieces it came in", () => {
  fc.assert(
    fc.property(chunks, fc.nat(30_000), fc.nat(5_000), (pieces, offset, limit) => {
      const capture = new Capture(200_000);
      for (const piece of pieces) capture.add(Buffer.from(piece));
      const whole = Buffer.concat(pieces);

      expect(capture.totalBytes).toBe(whole.length);
      expect(capture.lines).toBe(whole.filter((byte) => byte === 10).length);
      expect(capture.page(offset, limit).bytes.equals(whole.subarray(offset, offset + limit))).toBe(true);
    }),
  );
});

test("beyond the bound, what is given is where it says it is", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 900_000 }),
      fc.integer({ min: 1000, max: 300_000 }),
      fc.nat(1_000_000),
      (total, keep, from) => {
        const whole = Buffer.alloc(total);
        for (let at = 0; at < total; at += 4) whole.writeUInt8((at / 4) % 251, at);
        const capture = new Capture(keep);
        for (let at = 0; at < total; at += 7919) capture.add(whole.subarray(at, at + 7919));
        const { bytes, offset } = capture.page(from, 5000);

        expect(offset).toBeGreaterThanOrEqual(Math.min(from, total));
        expect(bytes.equals(whole.subarray(offset, offset + bytes.length))).toBe(true);
        expect(capture.start(keep / 2).equals(whole.subarray(0, Math.min(total, Math.floor(keep / 2))))).toBe(
          true,
        );
        expect(capture.end(Math.min(total, 400)).equals(whole.subarray(total - Math.min(total, 400)))).toBe(
          true,
        );
        expect(capture.keptBytes).toBeLessThanOrEqual(keep + 65_536 * 2);
      },
    ),
    { numRuns: 60 },
  );
});

test("what is shown fits, is made of whole lines or whole characters, and says how much is missing", () => {
  const text = fc
    .array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 300 }), fc.constant("\n")), { maxLength: 200 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1000, max: 4000 }), (printed, limit) => {
      const capture = new Capture(100_000);
      capture.add(Buffer.from(printed));
      const bytes = Buffer.byteLength(printed);
      const shown = showStream(capture, limit, "cmd_1");
      if (bytes <= limit) {
        expect(shown).toEqual({ text: Buffer.from(printed).toString(), left: null });
        return;
      }

      const [, head = "", marker = "", tail = ""] =
        /^([^]*?)(\.\.\. \[\d+ (?:lines|bytes) left out; [^\n]*\] \.\.\.\n)([^]*)$/.exec(shown.text) ?? [];
      const given = Buffer.from(printed).toString();
      expect(shown.left).not.toBeNull();
      expect(marker).toContain(`${bytes} bytes in all, the limit is ${limit}`);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(limit * 0.8 + 2);
      expect(given.startsWith(head) || given.startsWith(head.slice(0, -1))).toBe(true);
      expect(given.endsWith(tail)).toBe(true);
    }),
  );
});

test("no terminal sequence or other control character of a command reaches the model", async () => {
  const tools = shell();
  const command = `printf 'a\\033[31mred\\033[0m\\033]0;title\\007b\\033c\\tc\\007\\n'`;
  const { data } = await tools.bash.execute({ command });
  const { id } = (await tools.bash.execute({ command, run_in_background: true })).data as { id: string };
  await tools.bashOutput.execute({ id, offset: 1000, wait: 20 });

  expect(data).toMatchObject({ stdout: "aredb\\x1bc\tc\\x07\n" });
  expect((await tools.bashOutput.execute({ id })).data).toMatchObject({ content: "aredb\\x1bc\tc\\x07\n" });
});
