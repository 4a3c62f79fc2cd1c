// Packages of the npm registry whose tools were written for other libraries, each at the version that was tried.
// `export` and `config` are lines of the plan's entry. `call` is a tool, its arguments and what it must answer
// (`{ fails }`: it cannot work without its framework, and must fail). Only tools are called
// that need neither a key nor the network are called. `source` is for servers of MCP, which are programs. `file` makes tools
// whose arguments only code can make, and `beside` are other packages that are installed for it.

/** A server of MCP that is an installed package. */
const server = (program, ...args) => ({ mcp: { command: "npx", args: ["--no", program, ...args] } });

export const packages = [
  { name: "@exalabs/ai-sdk", version: "2.1.0", library: "AI SDK" },
  { name: "@tavily/ai-sdk", version: "0.5.0", library: "AI SDK", export: ["tavilySearch", "tavilyExtract"] },
  { name: "@parallel-web/ai-sdk-tools", version: "0.2.1", library: "AI SDK" },
  { name: "@perplexity-ai/ai-sdk", version: "0.1.3", library: "AI SDK" },
  { name: "firecrawl-aisdk", version: "0.12.0", library: "AI SDK" },
  {
    name: "bash-tool",
    version: "1.3.19",
    library: "AI SDK",
    export: ["createBashTool"],
    beside: { "just-bash": "3.4.2" },
    call: ["bash", { command: "echo hello" }, { stdout: "hello\n", exitCode: 0 }],
  },
  { name: "@valyu/ai-sdk", version: "1.1.4", library: "AI SDK", export: ["webSearch", "financeSearch"] },
  { name: "ai-sdk-tool-code-execution", version: "0.0.2", library: "AI SDK" },
  {
    name: "@upstash/context7-tools-ai-sdk",
    version: "0.2.3",
    library: "AI SDK",
    export: ["resolveLibraryId", "queryDocs"],
  },
  {
    name: "@v0-sdk/ai-tools",
    version: "0.3.8",
    library: "AI SDK",
    export: ["v0Tools"],
    config: { apiKey: "none" },
  },
  {
    name: "@paypal/agent-toolkit",
    entry: "ai-sdk",
    version: "1.8.0",
    library: "AI SDK",
    export: ["PayPalAgentToolkit"],
    config: {
      clientId: "none",
      clientSecret: "none",
      configuration: { actions: { orders: { create: true } } },
    },
  },
  {
    name: "@supermemory/tools",
    entry: "ai-sdk",
    version: "2.3.0",
    library: "AI SDK",
    export: ["supermemoryTools"],
    config: { arguments: ["none"] },
  },
  {
    name: "@clerk/agent-toolkit",
    entry: "ai-sdk",
    version: "0.3.15",
    library: "AI SDK",
    export: ["createClerkToolkit.users", "createClerkToolkit.organizations"],
    beside: { zod: "3.25.76" },
  },
  {
    name: "@maton/agent-toolkit",
    entry: "ai-sdk",
    version: "0.0.10",
    library: "AI SDK",
    export: ["MatonAgentToolkit"],
    config: { apiKey: "none", app: "slack", actions: ["all"] },
  },
  {
    name: "bashkit",
    version: "0.7.1",
    library: "AI SDK",
    export: ["createAgentTools"],
    file: `import { createAgentTools, createLocalSandbox } from "bashkit";
export const { tools } = await createAgentTools(createLocalSandbox({ cwd: "." }));
`,
  },
  {
    name: "@langchain/tavily",
    version: "1.2.0",
    library: "LangChain",
    export: ["TavilySearch", "TavilyExtract"],
    config: { tavilyApiKey: "none" },
  },
  {
    name: "@langchain/community",
    entry: "tools/calculator",
    version: "1.1.29",
    library: "LangChain",
    call: ["calculator", { input: "2 + 3" }, "5"],
  },
  {
    name: "@langchain/community",
    entry: "tools/wikipedia_query_run",
    version: "1.1.29",
    library: "LangChain",
  },
  { name: "@langchain/openai", version: "1.6.0", library: "LangChain", config: { apiKey: "none" } },
  {
    name: "@langchain/classic",
    entry: "tools",
    version: "1.0.50",
    library: "LangChain",
    export: ["RequestsGetTool"],
  },
  {
    name: "@mastra/core",
    entry: "tools",
    version: "1.71.0",
    library: "Mastra",
    call: ["task_check", {}, { fails: "its tasks are in the memory of an agent of Mastra" }],
  },
  {
    name: "@mastra/rag",
    version: "2.6.4",
    library: "Mastra",
    export: ["createVectorQueryTool"],
    config: { vectorStoreName: "pg", indexName: "docs", model: "openai/text-embedding-3-small" },
  },
  {
    name: "@agentic/calculator",
    version: "7.6.9",
    library: "Agentic",
    call: ["calculator", { expr: "2 + 3" }, 5],
  },
  { name: "@llamaindex/tools", version: "0.2.1", library: "LlamaIndex", export: ["wiki", "weather"] },
  {
    name: "@strands-agents/sdk",
    entry: "vended-tools/notebook",
    version: "1.19.0",
    library: "Strands",
    call: ["notebook", { mode: "list" }, { fails: "its notes are in the state of an agent of Strands" }],
  },
  {
    name: "beeai-framework",
    entry: "tools/calculator",
    version: "0.1.30",
    library: "BeeAI",
    call: ["Calculator", { expression: "2 + 3" }, { result: 5 }],
  },
  { name: "beeai-framework", entry: "tools/weather/openMeteo", version: "0.1.30", library: "BeeAI" },
  {
    name: "@voltagent/core",
    version: "2.10.0",
    library: "VoltAgent",
    export: ["createReasoningTools"],
  },
  {
    name: "@modelcontextprotocol/server-everything",
    version: "2026.8.31",
    library: "MCP",
    source: server("mcp-server-everything", "stdio"),
    call: ["echo", { message: "hello" }, "Echo: hello"],
  },
  {
    name: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    library: "MCP",
    source: server("mcp-server-filesystem", "."),
  },
  {
    name: "@modelcontextprotocol/server-memory",
    version: "2026.8.31",
    library: "MCP",
    source: server("mcp-server-memory"),
  },
  {
    name: "@modelcontextprotocol/server-sequential-thinking",
    version: "2026.8.31",
    library: "MCP",
    source: server("mcp-server-sequential-thinking"),
  },
  { name: "@upstash/context7-mcp", version: "4.1.1", library: "MCP", source: server("context7-mcp") },
  {
    name: "@langchain/exa",
    version: "1.0.2",
    library: "LangChain",
    export: ["ExaSearchResults"],
    beside: { "exa-js": "1.10.3" },
    file: `import { ExaSearchResults } from "@langchain/exa";
import { Exa } from "exa-js";
export const search = new ExaSearchResults({ client: new Exa("none") });
`,
  },
  {
    name: "@coinbase/agentkit-langchain",
    version: "0.3.0",
    library: "LangChain",
    beside: { "@coinbase/agentkit": "0.10.4", viem: "2.38.3" },
    file: `import { AgentKit, ViemWalletProvider, walletActionProvider } from "@coinbase/agentkit";
import { getLangChainTools } from "@coinbase/agentkit-langchain";
import { createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
const account = privateKeyToAccount(generatePrivateKey());
const client = createWalletClient({ account, chain: baseSepolia, transport: http() });
const kit = await AgentKit.from({
  walletProvider: new ViemWalletProvider(client),
  actionProviders: [walletActionProvider()],
});
export const tools = await getLangChainTools(kit);
`,
  },
  {
    name: "@mondaydotcomorg/agent-toolkit",
    entry: "mcp",
    version: "5.64.0",
    library: "MCP",
    export: ["MondayAgentToolkit"],
    config: { mondayApiToken: "none" },
  },
];
