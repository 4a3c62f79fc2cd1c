export type {
  Ability,
  Answer,
  Delegation,
  ListedCall,
  HostAdapter,
  OpenHost,
  Question,
  TrialTool,
  TrialWorld,
  Turn,
} from "./contract.ts";
