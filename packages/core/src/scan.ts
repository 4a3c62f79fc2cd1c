// Scans texts that a model reads for hidden characters, instructions to the model, and credentials.
export { scanText, type TextFinding, type TextFindingKind } from "./scan/text.ts";
export { scanDefinition, type DefinitionFinding, type DefinitionFindingKind } from "./scan/definition.ts";
export { findSecrets, type SecretPlace } from "./scan/secrets.ts";
