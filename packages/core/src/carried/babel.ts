// A separate file, so that the build keeps the compiler apart: it is loaded only for a file whose types Node cannot strip.
export { transformSync } from "@babel/core";
export { default as decorators } from "@babel/plugin-proposal-decorators";
export { default as classProperties } from "@babel/plugin-transform-class-properties";
export { default as jsx } from "@babel/plugin-transform-react-jsx";
export { default as typescript } from "@babel/plugin-transform-typescript";
