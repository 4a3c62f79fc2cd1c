import type { Difference, LayerChange, Section, Texts } from "@toolmount/sandbox";
import { expect, test } from "vitest";
import { waitingLines, type Waiting } from "../../src/render/waiting.ts";

const mark = (bytes = 4) => ({ kind: "file", bytes, mode: 0o644, names: 1 }) as LayerChange["next"];

/** A change as a layer reports it. */
function change(path: string, section: Section, more: Partial<LayerChange> = {}): LayerChange {
  return { path, section, kind: "write", former: null, next: mark(), ...more };
}

/** The two sides of each changed text, by path; others are no texts. */
const linesOf = (
  changes: readonly LayerChange[],
  left: Difference["left"] = [],
  known: Readonly<Record<string, Texts>> = {},
  calls: Waiting["calls"] = [],
  ignored: readonly string[] = [],
  moves: Readonly<Record<string, string>> = {},
) => {
  const screen = { columns: 80, paint: (_: unknown, text: string) => text } as never;
  const texts = ({ path }: LayerChange) => known[path] ?? { before: "", after: undefined };
  return waitingLines(screen, {
    difference: { digest: "d", changes, left },
    ignored: new Set(ignored),
    otherNames: new Map(Object.entries(moves)),
    calls,
    texts,
  });
};

test("five hundred changes hide neither a deletion nor a hook nor a file of continuous integration", () => {
  const many = Array.from({ length: 500 }, (_, at) => change(`src/f${at}`, "files"));
  const lines = linesOf([
    ...many,
    change("old.txt", "deletions", { kind: "delete", former: mark(), next: null }),
    change(".husky/pre-commit", "obeyed"),
    change(".github/workflows/ci.yml", "obeyed"),
  ]);
  expect(lines).toContain("written: 500 changes");
  expect(lines).toContain("  and 460 more; toolmount keep --json lists all");
  const from = lines.indexOf("DELETED: 1 change");
  expect(lines.slice(from)).toEqual([
    "DELETED: 1 change",
    "  delete old.txt",
    "RUN OR OBEYED BY YOUR NEXT COMMAND: 2 changes",
    "  create .husky/pre-commit",
    "    file of 4 bytes",
    "  create .github/workflows/ci.yml",
    "    file of 4 bytes",
  ]);
});

test("a folder that git ignores, or a large new one, is one line, but nothing deleted or obeyed is in it", () => {
  const venv = Array.from({ length: 60 }, (_, at) => change(`.venv/lib/f${at}`, "files"));
  const lines = linesOf(
    [
      change(".venv", "files", { kind: "folder" }),
      change(".venv/lib", "files", { kind: "folder" }),
      ...venv,
      change("dist/a.js", "files", { former: mark() }),
      change("dist/b.js", "files"),
      change("dist/old.js", "deletions", { kind: "delete", former: mark(), next: null }),
      change("new", "files", { kind: "folder" }),
      change("new/one", "files"),
      change("dist/x/.envrc", "obeyed"),
    ],
    [],
    {},
    [],
    ["dist", "dist/x"],
  );
  expect(lines).toEqual([
    "written: 66 changes",
    "  .venv: 62 entries",
    "  dist: 2 entries, which git ignores",
    "  create new",
    "  create new/one",
    "    file of 4 bytes",
    "DELETED: 1 change",
    "  delete dist/old.js",
    "RUN OR OBEYED BY YOUR NEXT COMMAND: 1 change",
    "  create dist/x/.envrc",
    "    file of 4 bytes",
  ]);
});

test("what only got another name is said to be that, but a line that runs is shown", () => {
  const gone = (path: string) => change(path, "deletions", { kind: "delete", former: mark(), next: null });
  const lines = linesOf(
    [
      change("lib", "files", { kind: "folder" }),
      change("lib/a", "files"),
      change("B", "files"),
      gone("src"),
      gone("b"),
      gone("hook"),
      change(".husky/pre-push", "obeyed"),
    ],
    [],
    { ".husky/pre-push": { before: "", after: "evil\n" } },
    [],
    [],
    {
      src: "lib",
      lib: "src",
      "lib/a": "src/a",
      b: "B",
      B: "b",
      hook: ".husky/pre-push",
      ".husky/pre-push": "hook",
    },
  );
  expect(lines).toEqual([
    "written: 3 changes",
    "  lib: 2 entries, before src",
    "  create B, before b",
    "DELETED: 3 changes",
    "  delete src, now lib",
    "  delete b, now B",
    "  delete hook, now .husky/pre-push",
    "RUN OR OBEYED BY YOUR NEXT COMMAND: 1 change",
    "  create .husky/pre-push",
    "    +evil",
  ]);
});

test("texts are shown by their difference, others by what they are", () => {
  const lines = linesOf(
    [
      change("a.txt", "files", { former: mark(), next: { ...mark()!, mode: 0o755 } }),
      change("bin/data", "files"),
      change("bin", "files", { kind: "mode", former: mark(), next: { ...mark()!, mode: 0o700 } }),
      change("pkg/node_modules", "obeyed", { kind: "folder" }),
      change("pkg/node_modules/x", "obeyed"),
      change(".git/refs/heads/main", "repository"),
    ],
    [{ path: "socket", reason: "a socket cannot be kept" }],
    { "a.txt": { before: "one\n", after: "one\ntwo\n" } },
  );
  expect(lines).toEqual([
    "written: 3 changes",
    "  change a.txt",
    "    mode 755",
    "     one",
    "    +two",
    "  create bin/data",
    "    file of 4 bytes",
    "  other bin",
    "    mode 644 becomes 700",
    "commits, branches and what is staged, as one: 1 change",
    "RUN OR OBEYED BY YOUR NEXT COMMAND: 2 changes",
    "  pkg/node_modules: 2 entries",
    "  stays socket: a socket cannot be kept",
  ]);
});

test("of what the next command obeys each line is shown, and where a link leads", () => {
  const script = Array.from({ length: 300 }, (_, at) => `step ${at}`).join("\n");
  const changes = [
    change(".envrc", "obeyed"),
    change(".husky", "obeyed", { next: { ...mark()!, kind: "link" } }),
    change("long", "files"),
  ];
  const lines = linesOf(changes, [], {
    ".envrc": { before: "", after: script },
    ".husky": { before: "", after: "link to /tmp/elsewhere\n" },
    long: { before: "", after: script },
  });
  expect(lines.filter((line) => line.endsWith("+step 299"))).toHaveLength(1);
  expect(lines).toContain("    (260 more lines)");
  expect(lines).toContain("    +link to /tmp/elsewhere");
});

test("a name of a file cannot draw on the screen", () => {
  const lines = linesOf([change("a\u001b[2Jb\u202etxt", "obeyed")]);
  for (const hidden of ["\u001b", "\u202e"]) expect(lines.join("\n")).not.toContain(hidden);
});

test("the tools that made it are named, and the hosts that commands reached", () => {
  const lines = linesOf([change("a.txt", "files")], [], {}, [
    { tool: "bash", network: ["registry.example.com:443", "b.example.com:80"] },
    { tool: "write_file" },
    { tool: "bash", network: ["b.example.com:80"] },
  ]);
  expect(lines.slice(-2)).toEqual([
    "made by: bash (2 calls), write_file",
    "reached: registry.example.com:443, b.example.com:80",
  ]);
});
