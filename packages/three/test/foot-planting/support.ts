import { readFile } from 'node:fs/promises';
import { createHumanFigure } from 'poise/humanoid';
import {
  AnimationClip,
  AnimationMixer,
  Group,
  type Object3D,
  Quaternion,
  QuaternionKeyframeTrack,
  Vector3,
} from 'three';
import { findLegs } from '../../src/foot-planting/find-legs.js';
import { Leg, type LegObjects } from '../../src/foot-planting/leg.js';
import {
  bindFigure,
  type FigureBinding,
  FootPlanter,
  type FootPlanterOptions,
  figureFromObject3D,
  object3DFromFigure,
} from '../../src/index.js';
import { loadRig } from '../load-rig.js';

export const FRAME = 1 / 60;

/** An animated character under an object that is moved through the scene. */
export interface Walker {
  readonly root: Group;
  readonly character: Object3D;
  /** Made at rest. */
  readonly binding: FigureBinding;
  readonly mixer: AnimationMixer;
  readonly legs: readonly LegObjects[];
  /** Of a leg, world. */
  readonly length: number;
  /** The walk's own velocity, leg lengths a second: opposite to feet on the floor. */
  readonly velocity: Vector3;
}

/** Heights over x and z for a leg of length 1, z ahead. */
export const GROUNDS: Readonly<Record<string, (x: number, z: number) => number>> = {
  flat: () => 0,
  'a ramp': (_, z) => 0.3 * z,
  'stairs up': (_, z) => (z < 1 ? 0 : 0.2 * Math.min(8, Math.floor((z - 1) / 0.4) + 1)),
  'stairs down': (_, z) => (z < 1 ? 0 : -0.2 * Math.min(8, Math.floor((z - 1) / 0.4) + 1)),
  bumps: (x, z) =>
    0.05 * Math.sin(2.3 * x + 0.4) * Math.cos(2.1 * z) + 0.035 * Math.sin(1.1 * x - 2.7 * z + 1),
};

/** A rig of a file with one of its clips, or with a walk made for it, at a scale. */
export async function walkerFromFile(path: string, clip: string | undefined, scale = 1): Promise<Walker> {
  const { scene, animations } = await loadRig(await readFile(path));
  scene.scale.multiplyScalar(scale);
  return walkerOf(scene, clip === undefined ? undefined : animations.find(({ name }) => name === clip));
}

/** The built-in human, with anatomical limits, and a walk made for it. */
export function humanWalker(): Walker {
  return walkerOf(object3DFromFigure(createHumanFigure(), { shapes: 'none' }).root, undefined);
}

function walkerOf(character: Object3D, clip: AnimationClip | undefined): Walker {
  const root = new Group();
  root.add(character);
  root.updateMatrixWorld(true);
  const { figure } = figureFromObject3D(character);
  const binding = bindFigure(figure, character);
  const { legs } = findLegs(binding, undefined);
  const walk = clip ?? walkFor(legs);
  const mixer = new AnimationMixer(character);
  mixer.clipAction(walk).play();
  const [first] = legs.map((objects) => new Leg(objects));
  first.read();
  const { length } = first;
  // The median velocity of balls that are on the floor.
  const velocities: Vector3[] = [];
  let before: Vector3[] | undefined;
  for (let k = 0; k < 120; k++) {
    mixer.update(FRAME);
    root.updateMatrixWorld(true);
    const balls = legs.map(({ foot, ball }) => ball.clone().applyMatrix4(foot.matrixWorld));
    balls.forEach((ball, n) => {
      if (before && Math.max(ball.y, before[n].y) < 0.06 * length)
        velocities.push(
          before[n]
            .clone()
            .sub(ball)
            .divideScalar(FRAME * length),
        );
    });
    before = balls;
  }
  velocities.sort((a, b) => a.length() - b.length());
  const velocity = (velocities[velocities.length >> 1] ?? new Vector3()).setY(0);
  mixer.setTime(0);
  // Ahead is +z.
  root.rotation.y = -Math.atan2(velocity.x, velocity.z);
  root.updateMatrixWorld(true);
  return { root, character, binding, mixer, legs, length, velocity };
}

/** Legs that swing by 0.35 rad and knees that bend as they come forward: a walk of a second. */
function walkFor(legs: readonly LegObjects[]): AnimationClip {
  const times = Array.from({ length: 33 }, (_, k) => k / 32);
  const tracks = legs.flatMap(({ upper, lower, kneeAxis }, n) => {
    const track = (object: Object3D, angle: (phase: number) => number, axis: Vector3) => {
      const rest = object.quaternion.clone();
      const values = times.flatMap((time) =>
        rest
          .clone()
          .multiply(new Quaternion().setFromAxisAngle(axis, angle(2 * Math.PI * (time + 0.5 * n))))
          .toArray(),
      );
      return new QuaternionKeyframeTrack(`${object.uuid}.quaternion`, times, values);
    };
    const axisOfLower = kneeAxis
      .clone()
      .transformDirection(upper.matrixWorld)
      .transformDirection(lower.matrixWorld.clone().invert());
    return [
      track(upper, (phase) => -0.35 * Math.sin(phase), kneeAxis),
      track(lower, (phase) => 0.1 + 0.7 * Math.max(0, Math.cos(phase)) ** 2, axisOfLower),
    ];
  });
  return new AnimationClip('walk', 1, tracks);
}

export interface Walked {
  /** Largest movement of a knee or ankle in a frame, leg lengths: of the planted character and of the clip alone. */
  readonly pop: number;
  readonly clipPop: number;
  /** Largest movement of the hips along up in a frame, leg lengths. */
  readonly hipsPop: number;
  /** Depth of heels and balls in the ground, and of the clip's in its floor, leg lengths. */
  readonly depth: number;
  readonly clipDepth: number;
  /** Movement of a ball while locked, leg lengths. */
  readonly slide: number;
  readonly lockedFrames: number;
  /** Least cosine between the axes about which the clip and the planter bend a knee that both bend. */
  readonly bend: number;
  /** Heights of ankles over those of the clip, largest, leg lengths; with a body moved by this. */
  readonly lift: number;
  /** World positions of all ankles and knees, each frame. */
  readonly places: readonly Vector3[];
}

export interface WalkOptions extends Partial<FootPlanterOptions> {
  readonly seconds?: number;
  /** Height of the ground for leg lengths. */
  readonly heightAt: (x: number, z: number) => number;
  readonly eachFrame?: (planted: Walker, clip: Walker, planter: FootPlanter) => void;
}

/** Walks over a ground, beside the same character that plays the clip alone at height 0. */
export function walk(planted: Walker, clip: Walker, options: WalkOptions): Walked {
  const { heightAt, seconds = 6, eachFrame, ...planterOptions } = options;
  const { length } = planted;
  const ground = (x: number, z: number): number => length * heightAt(x / length, z / length);
  const planter = new FootPlanter(planted.binding, { ground, ...planterOptions });
  const speed = planted.velocity.length() * length;
  const result = {
    pop: 0,
    clipPop: 0,
    hipsPop: 0,
    depth: 0,
    clipDepth: 0,
    slide: 0,
    lockedFrames: 0,
    bend: 1,
    lift: 0,
  };
  const places: Vector3[] = [];
  let before: Vector3[][] | undefined;
  let hipsBefore = 0;
  const lockedAt: (Vector3 | undefined)[] = [undefined, undefined];
  for (let k = 0; k < seconds / FRAME; k++) {
    const z = k * FRAME * speed;
    for (const walker of [planted, clip]) {
      walker.root.position.set(0, walker === planted ? ground(0, z) : 0, z);
      walker.mixer.update(FRAME);
    }
    planter.update(FRAME);
    planted.root.updateMatrixWorld(true);
    clip.root.updateMatrixWorld(true);
    const [own, theirs] = [planted, clip].map(({ legs }) =>
      legs.flatMap(({ foot, lower }) =>
        [foot, lower].map((object) => new Vector3().setFromMatrixPosition(object.matrixWorld)),
      ),
    );
    places.push(...own);
    const hips = planted.legs[0].upper.matrixWorld.elements[13];
    if (k > 5) result.hipsPop = Math.max(result.hipsPop, Math.abs(hips - hipsBefore) / length);
    hipsBefore = hips;
    const [ownBefore, theirsBefore] = before ?? [own, theirs];
    own.forEach((at, n) => {
      if (k > 5) result.pop = Math.max(result.pop, at.distanceTo(ownBefore[n]) / length);
      if (n % 2 === 0) result.lift = Math.max(result.lift, Math.abs(at.y - theirs[n].y) / length);
    });
    theirs.forEach((at, n) => {
      if (k > 5) result.clipPop = Math.max(result.clipPop, at.distanceTo(theirsBefore[n]) / length);
    });
    before = [own, theirs];
    planted.legs.forEach(({ foot, heel, ball, tip }, n) => {
      // The ball on the sole is 1 / 1.35 of the way to the tip, with toes or without nearly so.
      for (const point of [heel, heel.clone().lerp(tip, 1 / 1.35)]) {
        const at = point.clone().applyMatrix4(foot.matrixWorld);
        result.depth = Math.max(result.depth, (ground(at.x, at.z) - at.y) / length);
        const flat = point.clone().applyMatrix4(clip.legs[n].foot.matrixWorld);
        result.clipDepth = Math.max(result.clipDepth, -flat.y / length);
      }
      const [a, b] = [planted, clip].map(({ legs }) => kneeBend(legs[n]));
      // Knees of some clips are stretched by some degrees too far; over ground they are not.
      if (a.length() > 0.15 && b.length() > 0.15)
        result.bend = Math.min(result.bend, a.normalize().dot(b.normalize()));
      const at = ball.clone().applyMatrix4(foot.matrixWorld);
      if (!planter.feet[n].locked) {
        lockedAt[n] = undefined;
        return;
      }
      result.lockedFrames++;
      const start = lockedAt[n] ?? at;
      lockedAt[n] = start;
      result.slide = Math.max(result.slide, at.clone().sub(start).setY(0).length() / length);
    });
    eachFrame?.(planted, clip, planter);
  }
  planter.dispose();
  return { ...result, places };
}

/** Axis about which a knee bends, as long as the sine of the bend. */
function kneeBend(objects: LegObjects): Vector3 {
  const leg = new Leg(objects);
  leg.read();
  const thigh = leg.knee.clone().sub(leg.hip).normalize();
  return thigh.cross(leg.ankle.clone().sub(leg.knee).normalize());
}

/** Positions and quaternions of all objects, as they are. */
export function transforms(walker: Walker): number[] {
  const numbers: number[] = [];
  walker.character.traverse(({ position, quaternion }) => {
    numbers.push(...position.toArray(), ...quaternion.toArray());
  });
  return numbers;
}
