import {
  bodyLandmarks,
  createFigure,
  createHandFigure,
  createHumanFigure,
  createLandmarkFit,
  createMarkerTracker,
  createState,
  type Figure,
  figureToData,
  fitLandmarks,
  forwardKinematics,
  fromMediaPipe,
  handLandmarks,
  initializeMarkers,
  type Marker,
  solveLandmarks,
  solveMarkers,
} from 'poise';
import {
  computeObservability,
  computeUncertainty,
  fitLandmarkLengths,
  fittedFigure,
  type LandmarkFitOptions,
  type MarkerTrackerOptions,
} from 'poise/ik';
import type { Take } from './digest.js';
import { createDraw, type Draw, times } from './draw.js';
import type { Section } from './section.js';

const human = createHumanFigure();
const hand = createHandFigure({ side: 'left' });

/** Marker positions of a figure, with noise. */
function measured(figure: Figure, markers: readonly Marker[], pose: Float64Array, noise: number, draw: Draw) {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return Float64Array.from(
    markers.flatMap(({ bone, point = [0, 0, 0] }) => {
      const index = typeof bone === 'number' ? bone : figure.bones.findIndex(({ name }) => name === bone);
      const w = state.worldFromBone.subarray(12 * index, 12 * index + 12);
      return [0, 1, 2].map(
        (r) =>
          w[3 * r] * point[0] +
          w[3 * r + 1] * point[1] +
          w[3 * r + 2] * point[2] +
          w[9 + r] +
          noise * draw.normal(),
      );
    }),
  );
}

/** A clip that sways about a drawn pose. */
function clip(figure: Figure, markers: readonly Marker[], frames: number, noise: number, draw: Draw) {
  const middle = draw.pose(figure, 0.25);
  const phase = draw.numbers(figure.dof, 3);
  return Array.from({ length: frames }, (_, f) => {
    const pose = middle.map((x, i) => x + 0.1 * Math.sin(0.1 * f + phase[i]));
    return measured(figure, markers, pose, noise, draw);
  });
}

const trackers: Readonly<Record<string, MarkerTrackerOptions>> = {
  squared: {},
  'huber, prior': { loss: { type: 'huber', scale: 0.03 }, prior: 1e-4, noise: 0.005 },
  'geman-mcclure': { loss: { type: 'geman-mcclure', scale: 0.05 }, locked: ['leftToes', 'rightToes'] },
  'tasks and a coupling': {
    tasks: [{ bone: 'leftLowerArm', target: 0.3, weight: 0.01 }],
    couplings: [
      {
        bone: 'leftLowerLeg',
        driver: { bone: 'rightLowerArm' },
        map: (x) => [0.5 * x + 0.1 * x * x, 0.5 + 0.2 * x, 0.2],
      },
    ],
  },
};

const fits: Readonly<Record<string, Omit<LandmarkFitOptions, 'landmarks'>>> = {
  'lengths kept': {},
  'lengths scaled': { lengths: 'scale' },
  'lengths by bone': { lengths: 'bones', noise: 0.01, prior: 1e-4 },
};

function trackClip(options: MarkerTrackerOptions, seed: number, take: Take): void {
  const draw = createDraw(seed);
  const markers = bodyLandmarks(human);
  // A mimic coordinate has no limit of its own.
  const figure = options.couplings === undefined ? human : withFreeKnee();
  const tracker = createMarkerTracker(figure, markers, { ...options, restarts: 4 });
  const pose = new Float64Array(figure.dof);
  clip(human, markers, 25, 0.005, draw).forEach((positions, f) => {
    if (f % 6 === 5) positions.fill(Number.NaN, 3 * f, 3 * f + 9);
    const result =
      f === 0 ? initializeMarkers(tracker, positions, pose) : solveMarkers(tracker, positions, pose);
    take(pose, result);
    if (f % 8 !== 0 || options.couplings) return;
    const { singularValues, observed, unobserved, observedFraction } = computeObservability(tracker, pose);
    take(singularValues, observed, unobserved, observedFraction);
    const { covariance, standardDeviations } = computeUncertainty(tracker, pose, 0.01);
    take(covariance, standardDeviations);
  });
}

/** The human without the limit of a knee. */
function withFreeKnee(): Figure {
  const data = figureToData(human);
  return createFigure({
    ...data,
    bones: data.bones.map(({ limit, ...bone }) =>
      limit === undefined || bone.name === 'leftLowerLeg' ? bone : { ...bone, limit },
    ),
  });
}

export const landmarks: Section = {
  name: 'landmarks',
  run(entry) {
    for (const [k, [name, options]] of Object.entries(trackers).entries()) {
      entry(`markers, ${name}`, (take) => trackClip(options, 500 + k, take));
    }
    for (const [k, [name, options]] of Object.entries(fits).entries()) {
      for (const [of, figure, all] of [
        ['body', human, bodyLandmarks(human)],
        ['hand', hand, handLandmarks(hand, { side: 'left' })],
      ] as const) {
        entry(`${of}, ${name}`, (take) => {
          const draw = createDraw(510 + k);
          const scale = of === 'body' ? 0.01 : 0.002;
          const frames = clip(figure, all, 10, scale, draw).map((frame) => frame.map((x) => 1.1 * x));
          const settings = { landmarks: all, ...options };
          const fit = createLandmarkFit(figure, settings);
          const pose = new Float64Array(figure.dof);
          for (const frame of frames.slice(0, 4)) {
            const result = solveLandmarks(fit, frame, pose);
            take(pose, result);
          }
          if (options.lengths !== undefined) {
            const lengths = fitLandmarkLengths(fit, frames);
            take(
              lengths,
              fittedFigure(fit).bones.map(({ rest }) => rest.position),
            );
          }
          const found = fitLandmarks(figure, frames.slice(0, 6), settings);
          take(found.poses, found.frames, found.lengths);
        });
      }
    }
    entry('MediaPipe', (take) => {
      const draw = createDraw(530);
      times(5, () => {
        const points = Array.from({ length: 33 }, () => ({
          x: draw.normal(),
          y: draw.normal(),
          z: draw.normal(),
          visibility: draw.between(0, 1),
        }));
        const { positions, confidences } = fromMediaPipe(points);
        take(positions, confidences);
      });
    });
  },
};
