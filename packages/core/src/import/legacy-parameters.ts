import type { NodePath, PluginAPI, PluginObject, types as t } from "@babel/core";

type Types = typeof t;

/**
 * Compiles decorators of parameters, which exist only with `experimentalDecorators`: each becomes a decorator of the method or
 * the class that passes on the parameter's index.
 */
export function legacyParameters({ types }: PluginAPI): PluginObject {
  // This must run before the decorators of the class itself are compiled.
  return {
    visitor: { Program: (program) => program.traverse({ ClassMethod: (path) => moveUp(types, path) }) },
  };
}

function moveUp(types: Types, path: NodePath<t.ClassMethod>): void {
  const isConstructor = path.node.kind === "constructor";
  const made = path.node.params.flatMap((parameter, index) =>
    takeDecorators(types, parameter, index, isConstructor),
  );
  if (made.length === 0) return;
  const owner = isConstructor ? (path.parentPath.parentPath as NodePath<t.Class>).node : path.node;
  owner.decorators = [...(owner.decorators ?? []), ...made];
}

/** Removes the decorators of a parameter, and wraps each as a decorator of the method or the class. */
function takeDecorators(
  types: Types,
  parameter: t.ClassMethod["params"][number],
  index: number,
  isConstructor: boolean,
): t.Decorator[] {
  if (!("decorators" in parameter)) return [];
  const given = parameter.decorators ?? [];
  parameter.decorators = null;
  return given.map(({ expression }) => {
    const [target, key] = [types.identifier("target"), types.identifier("key")];
    const name = isConstructor ? types.identifier("undefined") : key;
    const call = types.callExpression(expression, [target, name, types.numericLiteral(index)]);
    return types.decorator(types.arrowFunctionExpression([target, key], call));
  });
}
