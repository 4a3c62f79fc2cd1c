/**
 * Version of the tool contract of this release, a whole number. A package states the version that it was written for as
 * `contract` in its manifest; without it, 1. The version changes only if a tool that was right before would not run any more.
 */
export const contractVersion = 1;
