import type { Plugin } from 'vite';

/** Modules of the house, but for the tests themselves. */
const HOUSE = /\/(packages|apps|benchmarks|examples|scripts)\/(?!.*(node_modules|\.test\.)).*\.(ts|tsx|mjs)$/;

/**
 * Binds what a module imports to constants of its own.
 *
 * The test runner makes each use of an import a call of a getter on the record of another module, through which the compiler
 * does not see: a quarter of the time of a simulation. A constant is read once. It is the same value where no module
 * imports in a circle (`npm test -- imports`) or exports a variable that changes, which is refused here.
 */
export const localImports: Plugin = {
  name: 'local-imports',
  // After types are gone.
  enforce: 'post',
  transform(code, id) {
    if (!HOUSE.test(id.split('?')[0])) return undefined;
    const { body } = this.parse(code);
    for (const node of body) {
      if (node.type !== 'ExportNamedDeclaration' || node.declaration?.type !== 'VariableDeclaration')
        continue;
      if (node.declaration.kind === 'const') continue;
      this.error(
        `${id}: exports a variable that can change, which tests would not see; export a function that reads it`,
      );
    }
    const imports = body.filter((node) => node.type === 'ImportDeclaration');
    const names = imports
      .flatMap(({ specifiers }) => specifiers)
      .filter((specifier) => specifier.type === 'ImportSpecifier');
    if (names.length === 0) return undefined;
    const constants = names.map(({ local: { name } }) => `const ${name} = imported_${name}; `).join('');
    let out = code.slice(0, imports[0].start) + constants;
    let at = imports[0].start;
    for (const { start, end, local, imported } of names) {
      const original = imported.type === 'Identifier' ? imported.name : JSON.stringify(imported.value);
      out += `${code.slice(at, start)}${original} as imported_${local.name}`;
      at = end;
    }
    // Lines stay where they are, and with them the source map.
    return { code: out + code.slice(at), map: null };
  },
};
