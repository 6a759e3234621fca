import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  bodyLandmarks,
  createHandFigure,
  createLandmarkFit,
  createMarkerTracker,
  handLandmarks,
  initializeMarkers,
  type LandmarkResult,
  type Marker,
  type MarkerResult,
  type MarkerTracker,
  solveLandmarks,
  solveMarkers,
} from 'poise/ik';
import { laboratorySet } from '../../../scripts/oracles/markers/laboratory-set.js';

/** A figure with points on it, and how frames are solved: by the marker tracker or by the landmark fit, with its defaults. */
export interface Subject {
  readonly name: string;
  /** Required frames a second on one core, if any. */
  readonly wantedSpeed?: number;
  readonly figure: Figure;
  readonly markers: readonly (Marker & { readonly bone: number })[];
  readonly begin: () => Run;
}

/** Frames in sequence: a global search for the first, each other from the previous pose. */
export interface Run {
  readonly tracker: MarkerTracker;
  readonly solve: (frame: Float64Array, pose: Float64Array) => MarkerResult | LandmarkResult;
}

function indexed(figure: Figure, markers: readonly Marker[]): Subject['markers'] {
  return markers.map((marker) => ({
    ...marker,
    bone: figure.bones.findIndex(({ name, index }) => name === marker.bone || index === marker.bone),
  }));
}

function laboratory(): Subject {
  const figure = createHumanFigure();
  const markers = indexed(
    figure,
    laboratorySet.map(([name, bone, point]) => ({ name, bone, point })),
  );
  const begin = (): Run => {
    const tracker = createMarkerTracker(figure, markers);
    let step = initializeMarkers;
    const solve = (frame: Float64Array, pose: Float64Array): MarkerResult => {
      const result = step(tracker, frame, pose);
      step = solveMarkers;
      return result;
    };
    return { tracker, solve };
  };
  return { name: '31 markers', wantedSpeed: 500, figure, markers, begin };
}

function landmarks(name: string, figure: Figure, given: readonly Marker[]): Subject {
  const markers = indexed(figure, given);
  const begin = (): Run => {
    const fit = createLandmarkFit(figure, { landmarks: markers });
    return { tracker: fit.tracker, solve: (frame, pose) => solveLandmarks(fit, frame, pose) };
  };
  return { name, figure, markers, begin };
}

/** Markers of a laboratory on the built-in human, the 33 landmarks of a body on it, the 21 of a hand on the built-in hand. */
export function subjects(): { readonly lab: Subject; readonly body: Subject; readonly hand: Subject } {
  const human = createHumanFigure();
  const hand = createHandFigure();
  return {
    lab: laboratory(),
    body: landmarks('33 body points', human, bodyLandmarks(human)),
    hand: landmarks('21 hand points', hand, handLandmarks(hand)),
  };
}

/** World places of a subject's points at a pose, 3 numbers each, m, by forward kinematics alone; one array for all calls. */
export function placer({ figure, markers }: Subject): (pose: Float64Array) => Float64Array {
  const state = createState(figure);
  const out = new Float64Array(3 * markers.length);
  return (pose) => {
    forwardKinematics(state, pose);
    const world = state.worldFromBone;
    markers.forEach(({ bone, point = [0, 0, 0] }, m) => {
      for (let k = 0; k < 3; k++) {
        const r = 12 * bone + 3 * k;
        out[3 * m + k] =
          world[12 * bone + 9 + k] + world[r] * point[0] + world[r + 1] * point[1] + world[r + 2] * point[2];
      }
    });
    return out;
  };
}
