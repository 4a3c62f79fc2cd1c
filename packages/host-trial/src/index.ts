export type {
  Ability,
  Answer,
  HostAdapter,
  OpenHost,
  Question,
  TrialTool,
  TrialWorld,
  Turn,
} from "./contract.ts";
