/** All frames of a clip as poses of a robot whose hinges in series follow the poses of its body. */
import { minimize } from '../robot/solver/minimize.js';
import {
  type Configuration,
  copyConfiguration,
  createConfiguration,
  poseFromConfiguration,
  writeProduct,
  writeRotated,
} from '../robot/tree/pose.js';
import { easeHinges, easeRoot } from './displacement/eased-hinges.js';
import { chainPath, writeChainRotation } from './pose/hinge-chains.js';
import {
  aim,
  type BodyFrames,
  beginSerial,
  bodyFrames,
  fitFrame,
  moveChain,
  readBody,
  type SerialWriter,
  weighFeet,
} from './pose/serial-writer.js';

/** Added to the weight that a posture has of a hinge at a kink, where the foot gives way to it. */
const EASED = 300;

const moved = /* @__PURE__ */ new Float64Array(3);

/**
 * Poses of the robot that follow those of the body.
 *
 * @param nearOf - How near a contact of a foot is in a frame, 0 to 1 while it is held.
 * @param step - Between frames, s.
 */
export function writeSerialPoses(
  writer: SerialWriter,
  bodies: readonly Float64Array[],
  nearOf: (foot: number, f: number) => number,
  step: number,
): Float64Array[] {
  const { chains, target, restPose } = writer;
  const count = bodies.length;
  const size = target.parts.length;
  const frames = bodyFrames(size, count);
  bodies.forEach((body, f) => {
    readBody(writer, body, frames, f);
  });
  const paths = chains.map((chain) =>
    chainPath(chain, count, step, (f, out) => writeChainRotation(chain, frames.rotations, 4 * size * f, out)),
  );
  beginSerial(writer, (c) => paths[c]);
  const { tree, at } = writer.robot;
  const carried = { positions: new Float64Array(3 * count), rotations: new Float64Array(4 * count) };
  for (let f = 0; f < count; f++) {
    const { rest } = writer;
    const [p, r] = [3 * size * f, 4 * size * f];
    writeProduct(frames.rotations, r, rest.rotation, 0, carried.rotations, 4 * f);
    writeRotated(frames.rotations, r, rest.position[0], rest.position[1], rest.position[2], moved);
    for (let k = 0; k < 3; k++) carried.positions[3 * f + k] = frames.positions[p + k] + moved[k];
  }
  const fitted = bodies.map((_, f) => {
    chains.forEach(({ trial }, c) => {
      moveChain(writer, c, paths[c], trial.length * f);
    });
    weighFeet(writer, (foot) => nearOf(foot, f));
    fitFrame(writer, frames, f);
    const copy = createConfiguration(tree);
    copyConfiguration(at, copy);
    return copy;
  });
  const eased = easeHinges(tree, fitted, writer.groups, writer.isInSeries, step);
  easeRoot(tree, fitted, carried, step);
  const { weights } = writer.standing.posture;
  const usual = weights.slice();
  fitted.forEach((frame, f) => {
    for (let i = 0; i < weights.length; i++) weights[i] = usual[i] + EASED * eased[i][f] ** 2;
    weighFeet(writer, (foot) => nearOf(foot, f));
    placeFeet(writer, frames, f, frame);
  });
  weights.set(usual);
  return fitted.map((frame) => {
    const pose = restPose.slice();
    poseFromConfiguration(tree, frame, pose);
    return pose;
  });
}

/** Feet to their places from a posture, which all else keeps as nearly as can be. */
function placeFeet(
  { robot: { plan, targets, work, at, stop }, target, standing, fit }: SerialWriter,
  frames: BodyFrames,
  f: number,
  frame: Configuration,
): void {
  aim(plan, targets, target, frames, f);
  copyConfiguration(frame, at);
  copyConfiguration(frame, standing.posture.at);
  minimize(work, { ...standing, targets }, at, stop, fit);
  copyConfiguration(at, frame);
}
