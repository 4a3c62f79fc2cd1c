export type {
  Ability,
  Answer,
  Delegation,
  HostAdapter,
  OpenHost,
  Question,
  TrialTool,
  TrialWorld,
  Turn,
} from "./contract.ts";
