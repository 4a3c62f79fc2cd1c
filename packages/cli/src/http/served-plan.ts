import type { OpenedHost } from "@toolmount/loader";
import type { ServedPlan, ServedProtocol, ServedTurns } from "@toolmount/http";
import type { Reasoner, Settings } from "@toolmount/reasoner";
import { loaderOptions } from "../host/loader-options.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Shell } from "../process/shell.ts";

/** The plan of a host, as the server shows it. */
export function servePlan(
  host: OpenedHost,
  plan: string | undefined,
  options: PlanOptions,
  shell: Shell,
): ServedPlan {
  const given = loaderOptions(options, shell);
  return {
    status: () => host.status(),
    reload: () => host.reload(),
    async effective() {
      const { readEffectivePlan } = await import("@toolmount/loader/commands");
      const { files, value, values, problems } = await readEffectivePlan(plan, given);
      return { files, value, values, problems };
    },
    async why(tool, question) {
      const { explainTool } = await import("@toolmount/loader/commands");
      const tools = host.tools({ includeDeprecated: true });
      return explainTool(tool, plan, { ...given, ...question, tools });
    },
  };
}

/** The turns of a host's model, bound to it. */
export function serveTurns(host: OpenedHost, reasoner: Reasoner, settings: Partial<Settings>): ServedTurns {
  return {
    list: (filter) => reasoner.list(filter),
    show: (id) => reasoner.show(id),
    owner: (id) => reasoner.owner(id),
    run: (request) => reasoner.run(host, { ...request, settings }),
    resume: (request) => reasoner.resume(host, { ...request, settings }),
    release: (id) => reasoner.release(id),
    fork: (id, newId, userId) => reasoner.fork(host, id, newId, userId),
  };
}

/** The host over MCP. A token of a user calls for that user; each token has a session of its own. */
export async function serveProtocol(
  host: OpenedHost,
  { approvalUrl }: { readonly approvalUrl?: string },
  onError: (error: Error) => void,
): Promise<ServedProtocol> {
  const { serveHttp } = await import("@toolmount/mcp");
  return serveHttp(host, {
    name: host.plan.name === undefined ? "toolmount" : `toolmount: ${host.plan.name}`,
    caller: ({ authInfo }) => {
      const { user } = (authInfo?.extra ?? {}) as { readonly user?: string | null };
      return { sessionId: `mcp-${authInfo?.clientId ?? "unknown"}`, userId: user ?? undefined };
    },
    ...(approvalUrl !== undefined && { approvals: { url: () => approvalUrl } }),
    onError,
  });
}
