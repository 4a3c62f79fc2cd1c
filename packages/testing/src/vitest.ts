export { describeStore, type DescribeStoreOptions } from "./suites/describe-store.ts";
export { describeToolModule, type DescribeOptions } from "./suites/describe-tool-module.ts";
