import { Empty } from "../parts/frame.tsx";
import { Copy } from "../parts/copy.tsx";
import { hostName, me, served, tools } from "../state.ts";
import { countText } from "../value.tsx";
import { Standing } from "./standing.tsx";

/** Shows an inbox without any question, waiting or answered: what will appear here, and first steps. */
export function NothingYet() {
  return (
    <div class="body">
      <Empty icon="inbox" title="Nothing waits for an answer.">
        <p>A call that needs an approval appears here by itself.</p>
        <ol class="next-steps">
          <li>
            <a href="#/plan">See which tools ask</a>: {countText(tools.value.length, "tool")} of this host may
            be called.
          </li>
          {me.value?.roles.includes("call") === true && (
            <li>
              <a href="#/try">Try one of them</a>, or rehearse it first: a rehearsal changes nothing.
            </li>
          )}
          {served.value?.turns === true && (
            <li>
              <a href="#/sessions">Ask the model</a>, and watch its turn.
            </li>
          )}
          {served.value?.mcp === true && <Agent />}
        </ol>
      </Empty>
      <Standing />
    </div>
  );
}

/** Shows how an agent in another program connects to the tools. The first host is also at the short address `/mcp`. */
function Agent() {
  const [first] = me.value?.hosts ?? [];
  const path = first?.name === hostName.value ? "/mcp" : `/mcp/${encodeURIComponent(hostName.value)}`;
  const address = `${location.origin}${path}`;
  return (
    <li>
      Connect an agent: it speaks MCP at
      <span class="address">
        <code>{address}</code>
        <Copy text={address} what="the address" />
      </span>
      with a token of its own:
      <pre>toolmount serve tokens add FILE NAME --role call</pre>
    </li>
  );
}
