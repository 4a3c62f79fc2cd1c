import { createMemoryStore } from "@toolmount/core";
import { describeStore } from "@toolmount/testing/vitest";

describeStore({
  title: "the store in memory passes the suite that any store can run",
  open: async () => {
    const store = createMemoryStore({ audit: "durable" });
    return [store, store];
  },
});
