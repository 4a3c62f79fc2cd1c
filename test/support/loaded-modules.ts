// Opens a plan, calls its first tool, and prints what this process loaded meanwhile, as JSON.
import { registerHooks } from "node:module";
import { argv, stdout } from "node:process";

const [, , plan = ""] = argv;
const urls: string[] = [];
registerHooks({
  load(url, context, next) {
    urls.push(url);
    return next(url, context);
  },
});
const { openHost } = await import("@toolmount/loader");
const host = await openHost(plan);
const [tool] = host.tools();
const { status } = await host.call({ name: tool?.name ?? "", arguments: {} });
await host.close();
stdout.write(JSON.stringify({ status, urls }));
