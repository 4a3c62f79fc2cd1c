import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { rows } from "../src/rows.ts";
import { reproductions } from "./support/reproductions.ts";
import { adapterOf } from "./support/run.ts";

test.each(reproductions)(
  "$name has at most twenty lines, names adapters and rows, and says what it prints",
  (one) => {
    const names = rows.map(({ name }) => name);

    expect(one.lines).toBeLessThanOrEqual(20);
    expect(one.hosts.filter((host) => !existsSync(adapterOf(host)))).toEqual([]);
    expect(one.rows.filter((row) => !names.includes(row))).toEqual([]);
    expect(one.printed).not.toBe("");
  },
);
