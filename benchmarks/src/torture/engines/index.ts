import type { Engine } from './engine.js';
import { loadJoltEngine } from './jolt.js';
import { loadMujocoEngine } from './mujoco.js';
import { poise } from './poise.js';
import { loadRapierEngine } from './rapier.js';

const LOADERS: Readonly<Record<string, () => Promise<Engine>>> = {
  poise: () => Promise.resolve(poise),
  rapier: loadRapierEngine,
  jolt: loadJoltEngine,
  mujoco: loadMujocoEngine,
};

export const ENGINES = Object.keys(LOADERS);

/** Engines by name, in that order. MuJoCo slows typed arrays once it is loaded: it is named last. */
export async function loadEngines(names: readonly string[]): Promise<Engine[]> {
  const engines: Engine[] = [];
  for (const name of names) {
    const load = LOADERS[name];
    if (load === undefined)
      throw new Error(`torture: there is no engine ${name}; there are ${ENGINES.join(', ')}`);
    engines.push(await load());
  }
  return engines;
}
