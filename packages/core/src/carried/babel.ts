// In its own file, which the build keeps apart: the first file that Node cannot strip loads it.
export { transformSync } from "@babel/core";
export { default as decorators } from "@babel/plugin-proposal-decorators";
export { default as classProperties } from "@babel/plugin-transform-class-properties";
export { default as jsx } from "@babel/plugin-transform-react-jsx";
export { default as typescript } from "@babel/plugin-transform-typescript";
