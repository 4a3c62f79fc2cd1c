import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const chart = oneTool({
  name: "draw_chart",
  body: `return data("drawn", { content: [
    { type: "text", text: "A chart of sales." },
    { type: "image", data: "${Buffer.from("pixels").toString("base64")}", mimeType: "image/png" },
    { type: "file", uri: "notes://sales/../../evil.csv", text: "a,b", mimeType: "text/csv" },
    { type: "file", uri: "notes://elsewhere" },
  ] });`,
});

test("call shows texts of a result, says what else it has, and saves it with --out", async () => {
  const { folder, run } = await workspace({ "mount-plan.yaml": planOf("./chart.ts"), "chart.ts": chart });
  const shown = await run(["call", "draw_chart", "--approve"]);
  const saved = await run(["call", "draw_chart", "--approve", "--out", "charts", "--json"]);
  const again = await run(["call", "draw_chart", "--approve", "--out", "charts"]);

  expect(shown.stdout).toContain("A chart of sales.");
  expect(shown.stdout).toContain("(image image/png, 6 bytes; --out writes it to a file)");
  expect(shown.stdout).toMatch(/\(file notes:\/\/sales\/\.\.\/\.\.\/evil\.csv\)\na,b/);
  const images = join(folder, "charts", "draw_chart-2.png");
  expect(saved.json()["saved"]).toEqual([images, join(folder, "charts", "draw_chart-3.csv")]);
  expect(await readFile(images, "utf8")).toBe("pixels");
  expect(again.stdout).toContain("✔ charts/draw_chart-2 (2).png");
  expect((await readdir(join(folder, "charts"))).length).toBe(4);
});
