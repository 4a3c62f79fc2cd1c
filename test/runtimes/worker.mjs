// The checks of core as a worker, for `workerd test`: it fails by throwing.
import { checks } from "./core.mjs";

export const worker = {
  async test() {
    for (const [name, check] of Object.entries(checks)) {
      let problem = null;
      try {
        await check();
      } catch (error) {
        problem = `${error?.name}: ${error?.message ?? error}`;
      }
      console.log(JSON.stringify({ name, problem }));
    }
  },
};
