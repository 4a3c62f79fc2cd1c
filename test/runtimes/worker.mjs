// The checks of core as a worker, for `workerd test`.
import { runChecks } from "./checks.mjs";
import { checks } from "./core.mjs";

export const worker = {
  test: () => runChecks(checks),
};
