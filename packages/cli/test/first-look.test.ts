import { expect, test } from "vitest";
import { planOf, removingTool, workspace } from "./support/workspace.ts";

const files = { command: "npx", args: ["-y", "@acme/files", "."] };
const lists = {
  ".mcp.json": JSON.stringify({ mcpServers: { files, notes: { command: "uvx", args: ["notes==1.2"] } } }),
  "home/.cursor/mcp.json": JSON.stringify({
    mcpServers: {
      plan: { command: "npx", args: ["toolmount", "serve", "--stdio"] },
      far: { url: "https://a.example" },
    },
  }),
  "home/.codeium/windsurf/mcp_config.json": "{ no",
};

test("toolmount alone shows the servers that applications start, what is before them, and what to type", async () => {
  const { here, folder } = await workspace(lists);
  const { code, stdout, stderr } = await here([], {
    env: { HOME: `${folder}/home`, XDG_CONFIG_HOME: folder },
  });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("No plan is in this folder");
  expect(stdout).toMatch(/claude-code +\.mcp\.json +files, notes\n/);
  expect(stdout).toMatch(/cursor +home\/\.cursor\/mcp\.json +plan \(toolmount\), far\n/);
  expect(stdout).toMatch(/windsurf +home\S+ +cannot be read: .*is not JSON/);
  expect(stdout).toContain("3 servers without a plan before them");
  expect(stdout).toContain("1 package without a version: @acme/files");
  expect(stdout).toMatch(/Next:\n {2}toolmount guard claude-code +a plan before these servers\n/);
});

test("a thousand servers fit the screen, and a file is shown once, also in the user's own folder", async () => {
  const many = Array.from({ length: 1000 }, (_, at) => [
    `s${at}`,
    { command: "npx", args: [`@acme/s${at}`] },
  ]);
  const list = JSON.stringify({ mcpServers: Object.fromEntries(many) as object });
  const { here, folder } = await workspace({ ".cursor/mcp.json": list });
  const { stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(stdout).toMatch(/cursor +\S+ +s0, s1, s2, s3, s4, s5, s6, s7 and 992 more\n/);
  expect(stdout).toContain("1000 servers without a plan before them");
  expect(stdout).toMatch(/1000 packages without a version: @acme\/s0, .*@acme\/s7 and 992 more\n/);
  expect(stdout.match(/^cursor /gm)).toHaveLength(1);
});

test("names that would draw on the screen are shown as what they are", async () => {
  const list = JSON.stringify({ mcpServers: { "a\u001b[2Jb": files } });
  const { here, folder } = await workspace({ ".mcp.json": list });
  const { stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(stdout).not.toContain("\u001b");
});

test("in a folder with a plan, toolmount alone names it and starts nothing", async () => {
  const { here, folder } = await workspace({
    "mount-plan.yaml": planOf("./remove.ts"),
    "remove.ts": `${removingTool("remove_note")}\nthrow new Error("it was imported");`,
  });
  const { code, stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      "The plan here is mount-plan.yaml.",
      "",
      "No application here lists MCP servers.",
      "",
      "Next:",
      "  toolmount list       its tools",
      "  toolmount check      every problem of the plan",
      "  toolmount approvals  the calls that wait for an answer",
      "  toolmount --help     the commands",
      "",
    ].join("\n"),
  );
});
