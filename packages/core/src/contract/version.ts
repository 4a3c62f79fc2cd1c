/**
 * Version of the tool contract that this release speaks, a whole number. A package declares the one that it was written for: the
 * key `contract` of its manifest, 1 without it. It changes only when a tool that was right before would not run.
 */
export const contractVersion = 1;
