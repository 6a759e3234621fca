import {
  blendMotions,
  cleanMotion,
  createFigure,
  createHumanFigure,
  createMotion,
  createMotionSampler,
  createPose,
  createSpacetimeProblem,
  createTransition,
  detectContacts,
  editMotion,
  type Figure,
  findFootPoints,
  loopMotion,
  type Motion,
  makePhysical,
  motionToData,
  retimeMotion,
  type SpacetimeSolution,
  samplePose,
  solveSpacetime,
} from 'poise';
import { sampleTrajectory } from 'poise/spacetime';
import { spacetimeExamples } from '../../../examples/spacetime/problems/index.js';
import type { Take } from './digest.js';
import { createDraw, times } from './draw.js';
import type { Section } from './section.js';

/** The longest solves are cut: their first steps show a difference as well. */
const MAX_ITERATIONS = 12;

const human = createHumanFigure();
const ROOT = human.bones[0].coordinate;

const rod = createFigure({
  name: 'rod',
  bones: [
    { name: 'base' },
    {
      name: 'arm',
      parent: 'base',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      limit: { type: 'interval', min: -2, max: 2 },
      mass: 2,
      centerOfMass: [0.5, 0, 0],
      inertia: [0.001, 0.17, 0.17, 0, 0, 0],
    },
    {
      name: 'forearm',
      parent: 'arm',
      rest: { position: [1, 0, 0] },
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mass: 1,
      centerOfMass: [0.4, 0, 0],
      inertia: [0.001, 0.06, 0.06, 0, 0, 0],
    },
  ],
});

/** A clip in which every coordinate sways; one with a root walks ahead as it does. */
function swaying(figure: Figure, seed: number, seconds: number, size = 0.15): Motion {
  const draw = createDraw(seed);
  const phase = draw.numbers(figure.dof, 3);
  const moments = Array.from({ length: Math.round(15 * seconds) + 1 }, (_, k) => k / 15);
  return createMotion(figure, {
    name: `swaying ${seed}`,
    tracks: Array.from(createPose(figure), (_, coordinate) => ({
      coordinate,
      keys: {
        times: moments,
        values: moments.map((t) => {
          const sign = figure === human && coordinate === ROOT + 2 ? 0.8 * t : 0;
          return sign + size * Math.sin(4 * t + phase[coordinate]);
        }),
      },
    })),
  });
}

function takeMotion(figure: Figure, motion: Motion, take: Take): void {
  take(motionToData(motion));
  const sampler = createMotionSampler(figure, motion);
  const pose = createPose(figure);
  times(20, (k) => {
    take(samplePose(sampler, motion.start + ((motion.end - motion.start) * k) / 19, pose));
  });
}

function takeSolution(solution: SpacetimeSolution, take: Take): void {
  const { status, iterations, cost, violation, duration, save, report, trajectory } = solution;
  take(iterations, cost, violation, duration, save.unknowns, save.multipliers, save.penalties, save.damping);
  take(report.terms, report.reached, report.conflicts, status);
  times(9, (k) => {
    const { pose, velocity, acceleration, torques, forces } = sampleTrajectory(
      trajectory,
      (duration * k) / 8,
    );
    take(pose, velocity, acceleration, torques, forces);
  });
}

const FEET = ['leftFoot', 'rightFoot'];
const standing = FEET.map((bone) => ({ bone, points: findFootPoints(human, bone) }));

export const spacetime: Section = {
  name: 'spacetime',
  run(entry) {
    for (const name of Object.keys(spacetimeExamples)) {
      entry(name, (take) => {
        const { figure, data, options } = spacetimeExamples[name]();
        const problem = createSpacetimeProblem(figure, data);
        takeSolution(solveSpacetime(problem, { ...options, maxIterations: MAX_ITERATIONS }), take);
      });
    }
    entry('edited clip', (take) => {
      const { motion, solution, windows } = editMotion(
        human,
        swaying(human, 1000, 3),
        [
          { at: 1, bone: 'rightHand', by: [0.05, 0.1, 0.05] },
          { at: [1.8, 2.2], bone: 'leftHand', by: [0.05, 0, 0], weight: 2 },
          { at: 2.5, goal: { type: 'position', bone: 'head', target: [0.1, 1.5, 2] }, weight: 1 },
        ],
        { pinned: [{ bone: 'leftFoot' }], maxIterations: 30 },
      );
      takeMotion(human, motion, take);
      takeSolution(solution, take);
      for (const { from, to, solution: of } of windows) take(from, to, of.iterations, of.cost);
    });
    entry('contacts found', (take) => {
      const clip = swaying(human, 1001, 3, 0.05);
      take(
        detectContacts(human, clip, standing, {
          heights: [0.1, 0.15],
          speeds: [0.8, 1.2],
          minDuration: 0.05,
        }),
      );
    });
    entry('cleaned clip', (take) => {
      const { motion, solution, contacts } = cleanMotion(human, swaying(human, 1002, 1, 0.05), {
        physics: false,
        maxIterations: 15,
        contactPoints: standing,
        detect: { heights: [0.1, 0.15], speeds: [0.8, 1.2], minDuration: 0.05 },
      });
      take(contacts);
      takeMotion(human, motion, take);
      takeSolution(solution, take);
    });
    entry('cleaned clip, physical', (take) => {
      const { motion, solution } = cleanMotion(rod, swaying(rod, 1003, 1.5), { maxIterations: 30 });
      takeMotion(rod, motion, take);
      takeSolution(solution, take);
    });
    for (const variant of ['travel', 'straight'] as const) {
      entry(`looped clip, ${variant}`, (take) => {
        const { motion, transform, contacts, contactError } = loopMotion(human, swaying(human, 1004, 2), {
          rootMotion: variant,
          from: 0.2,
          to: 1.8,
          contactPoints: standing,
        });
        take(transform.angle, transform.translation, contacts, contactError);
        takeMotion(human, motion, take);
      });
    }
    entry('transition', (take) => {
      const { motion, window, shift, transform, contacts, contactError } = createTransition(
        human,
        swaying(human, 1005, 2),
        swaying(human, 1006, 2),
        { duration: 0.5, contactPoints: standing },
      );
      take(window, shift, transform.angle, transform.translation, contacts, contactError);
      takeMotion(human, motion, take);
    });
    entry('blended clips', (take) => {
      const [first, second] = [swaying(human, 1007, 2), swaying(human, 1008, 2)];
      for (const weight of [0, 0.3, 1]) takeMotion(human, blendMotions(human, first, second, weight), take);
    });
    for (const physics of [false, true]) {
      entry(`retimed clip${physics ? ', physical' : ''}`, (take) => {
        const { motion, solution } = retimeMotion(rod, swaying(rod, 1009, 1.5), {
          duration: { min: 0.8, max: 2.5 },
          physics,
          maxIterations: 30,
        });
        takeMotion(rod, motion, take);
        takeSolution(solution, take);
      });
    }
    for (const keys of ['exact', 0.5] as const) {
      entry(`physical from keys, ${keys === 'exact' ? 'exact' : 'near'}`, (take) => {
        const poses = [
          [0.2, 0],
          [1.4, -0.5],
          [-0.3, 0.8],
        ];
        const { motion, solution } = makePhysical(
          rod,
          { times: [0, 0.7, 1.5], poses },
          { keys, maxIterations: 40 },
        );
        takeMotion(rod, motion, take);
        takeSolution(solution, take);
      });
    }
  },
};
