/** Energy over time in all engines, as pictures: a pendulum, a hanging chain and a thrown human. */
import { linePlot } from '../../../scripts/lib/plot.mjs';
import type { Engine } from './engines/engine.js';
import { energyOf } from './judge/energy.js';
import { play } from './play.js';
import type { Connection, Scene, Triple } from './scene.js';
import { hangingFigure } from './scenes/chains.js';
import { rotationBy } from './scenes/draw.js';
import { body, boxForm, floor, human, NONE, steps } from './scenes/parts.js';
import { statesOf } from './states.js';

interface Pictured {
  readonly name: string;
  readonly title: string;
  readonly scene: Scene;
  /** J, at the bottom of the picture: of all at its lowest place. */
  readonly lowest: number;
}

const COLORS = ['#2463c4', '#c2410c', '#15803d', '#7c3aed'];

/** SVG by file name. */
export function energyPlots(engines: readonly Engine[]): Record<string, string> {
  return Object.fromEntries(
    pictured().map(({ name, title, scene, lowest }) => {
      const start: number[] = [];
      const lines = engines.map((engine, n) => {
        const points: [number, number][] = [];
        const every = Math.ceil(scene.steps.length / 600);
        let step = 0;
        play(scene, engine, (time, states) => {
          const { kinetic, potential } = energyOf(scene, statesOf(states));
          const energy = kinetic + potential - lowest;
          start[0] ??= energy;
          if (step++ % every === 0) points.push([time, (100 * energy) / start[0]]);
        });
        return { name: engine.name, color: COLORS[n], points };
      });
      const seconds = scene.steps.reduce((sum, dt) => sum + dt, 0);
      const svg = linePlot({
        title,
        x: { label: 'time, s', from: 0, to: Math.round(seconds), step: seconds > 12 ? 5 : 1 },
        y: { label: 'energy, % of the start', from: 0, to: 120, step: 20 },
        lines,
      });
      return [`torture-energy-${name}.svg`, svg];
    }),
  );
}

function pictured(): Pictured[] {
  const scene = (id: string, parts: Partial<Scene> & Pick<Scene, 'figures' | 'steps'>): Scene => ({
    id,
    kind: 'energy',
    gravity: 9.81,
    world: [],
    connections: [],
    events: [],
    drags: [],
    ...parts,
    expect: { rest: false, energy: 'any', released: 0, walls: [], mayStayInside: false },
  });
  const rod = hangingFigure(1, 1, 1, 1, { type: 'ball' }, 0.07, NONE);
  const thrown = human([0, 1.5, 0], { velocity: [3, 6, 0], spin: [0, 2, 5] });
  const links = 10;
  const [size, angle, linkMass, bobMass] = [0.1, -Math.PI / 4, 0.1, 10];
  const rotation = rotationBy([0, 0, 1], angle);
  const at = (distance: number): Triple => [Math.cos(angle) * distance, Math.sin(angle) * distance, 0];
  const chain = Array.from({ length: links }, (_, k) =>
    body([boxForm([0.05, 0.01, 0.01])], linkMass, at(size * (k + 0.5)), { rotation, bare: true }),
  );
  chain.push(body([boxForm([0.05, 0.05, 0.05])], bobMass, at(size * links), { rotation, bare: true }));
  const connections = chain.map((_, k): Connection => {
    const a = { figure: k, bone: 0, point: k < links ? ([-0.05, 0, 0] as const) : NONE };
    return { a, b: k === 0 ? { point: NONE } : { figure: k - 1, bone: 0, point: [0.05, 0, 0] } };
  });
  return [
    {
      name: 'pendulum',
      title: 'A pendulum of two bodies from 86 degrees, nothing damps it, 1/120 s',
      scene: scene('pendulum', { figures: [rod], steps: steps(1 / 120, 30) }),
      lowest: -9.81 * (0.5 + 1),
    },
    {
      name: 'chain',
      title: 'Ten links of 0.1 kg by connections, 10 kg at the end, from 45 degrees, 1/60 s',
      scene: scene('chain', { figures: chain, connections, steps: steps(1 / 60, 10) }),
      lowest: -9.81 * (links * linkMass * ((links * size) / 2) + bobMass * links * size),
    },
    {
      name: 'human',
      title: 'A human thrown over the floor, 1/60 s',
      scene: scene('human', { world: [floor()], figures: [thrown], steps: steps(1 / 60, 6) }),
      lowest: 0,
    },
  ];
}
