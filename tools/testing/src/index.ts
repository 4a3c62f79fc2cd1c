export { config, mount } from "./module.ts";
export { createPingPong } from "./ping-pong.ts";
export { createCalculator } from "./calculator.ts";
export { createDelay, type DelayServices } from "./delay.ts";
export { createFailureInjection } from "./failure-injection.ts";
