import { bindFigure, FootPlanter, type Ground, object3DFromFigure } from '@poise/three';
import { createHumanFigure } from 'poise/humanoid';
import { AnimationClip, AnimationMixer, Mesh, PlaneGeometry, QuaternionKeyframeTrack } from 'three';
import { machineLines } from './machine.js';
import { formatMicroseconds, markdownTable, median, percentile } from './statistics.js';

// npm run bench -- foot-planter
// A frame of FootPlanter on the built-in human that walks up a slope: processor time of `update` alone, without mixer and renderer. Writes nothing.

const FRAMES = 3000;
const ROUNDS = 5;
const SECONDS = 1 / 60;
const SLOPE = 0.2;

/** Legs that swing by 0.35 rad, with knees that bend by 0.7 rad. */
function walk(): AnimationClip {
  const times = Array.from({ length: 33 }, (_, k) => k / 32);
  const turns = (angle: (phase: number) => number): number[] =>
    times.flatMap((time) => {
      const half = angle(2 * Math.PI * time) / 2;
      return [Math.sin(half), 0, 0, Math.cos(half)];
    });
  const tracks = (['left', 'right'] as const).flatMap((side, n) => [
    new QuaternionKeyframeTrack(
      `${side}UpperLeg.quaternion`,
      times,
      turns((phase) => -0.35 * Math.sin(phase + Math.PI * n)),
    ),
    new QuaternionKeyframeTrack(
      `${side}LowerLeg.quaternion`,
      times,
      turns((phase) => 0.1 + 0.7 * Math.max(0, Math.cos(phase + Math.PI * n)) ** 2),
    ),
  ]);
  return new AnimationClip('walk', 1, tracks);
}

function measure(ground: Ground, hasLimits: boolean): number[] {
  const figure = createHumanFigure();
  const { root } = object3DFromFigure(figure, { shapes: 'none' });
  const planter = new FootPlanter(hasLimits ? bindFigure(figure, root) : root, { ground });
  const mixer = new AnimationMixer(root);
  mixer.clipAction(walk()).play();
  const samples: number[] = [];
  for (let k = 0; k < FRAMES; k++) {
    mixer.update(SECONDS);
    root.position.z = (k % 600) * SECONDS;
    root.position.y = SLOPE * root.position.z;
    const before = performance.now();
    planter.update(SECONDS);
    samples.push(1000 * (performance.now() - before));
  }
  return samples.slice(FRAMES / 2);
}

const plane = new Mesh(new PlaneGeometry(60, 60, 40, 40).rotateX(-Math.PI / 2 - Math.atan(SLOPE)));
const CASES: readonly (readonly [string, Ground, boolean])[] = [
  ['a function', (_, z) => SLOPE * z, false],
  ['a function, a figure with limits', (_, z) => SLOPE * z, true],
  ['rays against a mesh of 3,200 triangles', plane, false],
];

const rows = CASES.map(([name, ground, hasLimits]) => {
  const rounds = Array.from({ length: ROUNDS }, () => measure(ground, hasLimits));
  const least = (of: (samples: readonly number[]) => number): string =>
    formatMicroseconds(Math.min(...rounds.map(of)));
  return [name, least(median), least((samples) => percentile(samples, 0.99))];
});
console.log(
  [
    ...machineLines('npm run bench -- foot-planter'),
    '',
    markdownTable(['ground', 'median', 'p99'], rows),
  ].join('\n'),
);
