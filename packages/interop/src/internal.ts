// For the packages of toolmount itself. Unstable: any release may change or remove these names.
export { toModelText } from "./amplifier/tool-result.ts";
export { amplifierProviderName, amplifierServer, namedProvider } from "./models/amplifier-providers.ts";
export { knownContextTokens } from "./models/context-windows.ts";
export { describeProviders, type ProviderStatus } from "./models/describe-providers.ts";
export { judgeFailure } from "./models/failure-table.ts";
export { chooseModel, findLocalServers, type LocalServer } from "./models/local-servers.ts";
export { modelFetch } from "./models/model-fetch.ts";
export { createModuleProvider, type ProviderModule } from "./models/module-provider.ts";
export { findModelProvider, knownProviders, listServerModels } from "./models/providers.ts";
export { fileOf, unheardAudio } from "./providers/seen-content.ts";
export { createNameMap } from "./providers/tool-names.ts";
export { dropOptionalNulls } from "./schema/optional-nulls.ts";
export { noteLines } from "./schema/definition.ts";
