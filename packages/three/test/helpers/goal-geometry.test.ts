import type { Goal } from 'poise';
import { createFigure, createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { quat, rigid, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { goalGeometry } from '../../src/helpers/goal-geometry.js';
import { createRandom, randomPose, within } from '../support.js';

const figure = createHumanFigure();

function stageOf(one: Figure, pose: Float64Array, size = 0.1) {
  const state = createState(one);
  forwardKinematics(state, pose);
  const frame = (name: string) => {
    const bone = one.bones.findIndex((other) => other.name === name);
    return state.worldFromBone.slice(12 * bone, 12 * bone + 12);
  };
  return { stage: { figure: one, pose, state, size }, frame };
}

const random = createRandom(71);
const some = () => stageOf(figure, randomPose(figure, random, 0.5));
const origin = (frame: Float64Array) => rigid.toPosition(frame);
const near = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  expect(vec3.distance(Array.from(a), Array.from(b))).toBeLessThan(1e-12);

describe('goal geometry', () => {
  it('plane: the foot of the point on the plane, wherever the plane has its point', () => {
    const { stage, frame } = some();
    const normal = [0.3, 1, -0.2];
    const goal: Goal = { type: 'plane', bone: 'leftHand', target: { point: [5, 0.4, 3], normal } };
    const { targets, ends, segments, plane } = goalGeometry(goal, stage);
    near(ends[0], origin(frame('leftHand')));
    expect(vec3.dot(normal, vec3.subtract(targets[0], [5, 0.4, 3]))).toBeCloseTo(0, 12);
    expect(vec3.norm(vec3.cross(normal, vec3.subtract(ends[0], targets[0])))).toBeLessThan(1e-12);
    expect(segments).toEqual([[ends[0], targets[0]]]);
    near(plane?.at ?? [], targets[0]);
    // A plane on a bone.
    const carried: Goal = { ...goal, target: { bone: 'head', point: [0, 0, 0.1], normal: [0, 0, 2] } };
    const positions = goalGeometry(carried, stage);
    const front = rigid.transformPoint(frame('head'), [0, 0, 0.1]);
    const axis = rigid.transformVector(frame('head'), [0, 0, 1]);
    near(positions.plane?.normal ?? [], axis);
    expect(vec3.dot(axis, vec3.subtract(positions.targets[0], front))).toBeCloseTo(0, 12);
  });

  it('half-space: its boundary, clearance and all; no target for a point inside', () => {
    const { stage, frame } = some();
    const hand = origin(frame('leftHand'));
    const at = (height: number): Goal => ({
      type: 'half-space',
      bone: 'leftHand',
      target: { point: [0, hand[1] + height, 0], normal: [0, 3, 0] },
      clearance: 0.05,
    });
    const below = goalGeometry(at(0.1), stage);
    near(below.targets[0], [hand[0], hand[1] + 0.15, hand[2]]);
    near(below.plane?.at ?? [], below.targets[0]);
    const above = goalGeometry(at(-0.1), stage);
    expect([above.targets, above.segments]).toEqual([[], []]);
    near(above.plane?.at ?? [], [hand[0], hand[1] - 0.05, hand[2]]);
  });

  it('mirror: the image of the other bone, in the plane of the solver', () => {
    const { stage, frame } = some();
    const goal: Goal = {
      type: 'mirror',
      bone: 'leftHand',
      of: 'rightHand',
      points: [
        [0, 0, 0],
        [0.1, 0, 0],
      ],
      plane: { point: [0.2, 0, 0], normal: [1, 0, 0] },
    };
    const { targets, ends } = goalGeometry(goal, stage);
    // About x = 0.2; the point of the right hand is the one that mirrors the left's at rest, where the plane is not the figure's middle.
    const rest = stageOf(figure, createPose(figure));
    [
      [0, 0, 0],
      [0.1, 0, 0],
    ].forEach((point, n) => {
      const [x, y, z] = rigid.transformPoint(rest.frame('leftHand'), point);
      const image = rigid.inverseTransformPoint(rest.frame('rightHand'), [0.4 - x, y, z]);
      const [a, b, c] = rigid.transformPoint(frame('rightHand'), image);
      near(targets[n], [0.4 - a, b, c]);
      near(ends[2 * n], rigid.transformPoint(frame('leftHand'), point));
    });
    // Default plane: of the common ancestor. A mirrored pose meets the goal.
    const pose = createPose(figure);
    const arms = (name: string) => figure.bones.find((bone) => bone.name === name)?.coordinate ?? 0;
    pose[arms('leftLowerArm')] = pose[arms('rightLowerArm')] = 0.7;
    pose[arms('spine')] = 0.3;
    const same = goalGeometry(
      { type: 'mirror', bone: 'leftHand', of: 'rightHand' },
      stageOf(figure, pose).stage,
    );
    near(same.targets[0], same.ends[0]);
  });

  it('joint value: an arc about the joint from the current value to the target', () => {
    const pose = createPose(figure);
    const { coordinate = 0 } = figure.bones.find(({ name }) => name === 'leftLowerArm') ?? {};
    pose[coordinate] = 0.3;
    const { stage, frame } = stageOf(figure, pose);
    const goal: Goal = { type: 'joint-value', bone: 'leftLowerArm', value: 1.3 };
    const { targets, ends, segments } = goalGeometry(goal, stage);
    pose[coordinate] = 1.3;
    const bent = stageOf(figure, pose);
    const joint = origin(frame('leftLowerArm'));
    const along = (at: typeof frame) => vec3.normalize(vec3.subtract(origin(at('leftHand')), joint));
    near(ends[0], vec3.addScaled(joint, along(frame), 0.1));
    near(targets[0], vec3.addScaled(joint, along(bent.frame), 0.1));
    for (const [from, to] of segments.slice(1, -1)) {
      expect(vec3.distance(from, joint)).toBeCloseTo(0.1, 12);
      expect(vec3.distance(from, to)).toBeLessThan(0.1 / 15);
    }
  });

  it('joint value of a rotation about the limb by a perpendicular marker, of a slider by the bone itself', () => {
    const robot = createFigure({
      bones: [
        { name: 'lift', joint: { type: 'slider', axis: [0, 0, 1] } },
        { name: 'spin', parent: 'lift', joint: { type: 'hinge', axis: [0, 1, 0] }, tip: [0, 0.3, 0] },
      ],
    });
    const { stage } = stageOf(robot, createPose(robot));
    const lift = goalGeometry({ type: 'joint-value', bone: 'lift', value: 0.4 }, stage);
    near(lift.targets[0], [0, 0, 0.4]);
    const spin = goalGeometry({ type: 'joint-value', bone: 'spin', value: Math.PI / 2 }, stage);
    expect(vec3.norm(spin.ends[0])).toBeCloseTo(0.1, 12);
    expect(vec3.dot(spin.ends[0], spin.targets[0])).toBeCloseTo(0, 12);
    expect(spin.ends[0][1]).toBeCloseTo(0, 12);
  });

  it('posture: the bones in the reference pose, only those of the goal', () => {
    const { stage } = some();
    const reference = randomPose(figure, random, 0.4);
    const wanted = stageOf(figure, reference);
    const all = goalGeometry({ type: 'posture', reference }, stage);
    const points = all.segments.flat();
    for (const { name } of figure.bones) {
      const position = origin(wanted.frame(name));
      expect(
        points.some((point) => vec3.distance(point, position) < 1e-12),
        name,
      ).toBe(true);
    }
    const head = goalGeometry({ type: 'posture', bones: ['head'], reference }, stage);
    expect(head.segments).toHaveLength(1);
    near(head.segments[0][0], origin(stageOf(figure, stage.pose).frame('head')));
    expect([all.targets, all.ends]).toEqual([[], []]);
  });

  it('support: its outline, and its nearest point below the centre of mass', () => {
    const { stage } = some();
    let mass = 0;
    let center = [0, 0, 0];
    for (const { index, mass: m = 0, centerOfMass = [0, 0, 0] } of figure.bones) {
      const frame = stage.state.worldFromBone.subarray(12 * index, 12 * index + 12);
      center = vec3.addScaled(center, rigid.transformPoint(frame, centerOfMass), m);
      mass += m;
    }
    center = vec3.scale(center, 1 / mass);
    // A square beside the centre, corners in any order, with a point inside.
    const square = (x: number): Goal => ({
      type: 'center-of-mass',
      support: [
        [x - 0.1, 0, center[2] - 0.1],
        [x + 0.1, 0, center[2] + 0.1],
        [x, 0, center[2]],
        [x - 0.1, 0, center[2] + 0.1],
        [x + 0.1, 0, center[2] - 0.1],
      ],
    });
    const off = goalGeometry(square(center[0] + 0.3), stage);
    near(off.ends[0], center);
    near(off.targets[0], [center[0] + 0.2, 0, center[2]]);
    const outline = off.segments.slice(0, -2);
    expect(outline).toHaveLength(4);
    for (const [a, b] of outline) expect(vec3.distance(a, b)).toBeCloseTo(0.2, 12);
    near(goalGeometry(square(center[0]), stage).targets[0], [center[0], 0, center[2]]);
    near(goalGeometry({ type: 'center-of-mass', target: [1, 2, 3] }, stage).ends[0], center);
    const point: Goal = { type: 'center-of-mass', support: [[1, 0.5, 2]] };
    near(goalGeometry(point, stage).targets[0], [1, 0.5, 2]);
  });

  it('up: both directions, perpendicular to the aiming axis', () => {
    const { stage, frame } = some();
    const goal: Goal = {
      type: 'points-at',
      bone: 'head',
      axis: [0, 0, 2],
      target: [1, 1.5, 2],
      up: { axis: [0, 1, 0], direction: [0, 0, 3] },
    };
    const { targets, ends } = goalGeometry(goal, stage);
    const at = origin(frame('head'));
    const sight = rigid.transformVector(frame('head'), [0, 0, 1]);
    near(ends[1], vec3.addScaled(at, rigid.transformVector(frame('head'), [0, 1, 0]), 0.1));
    const wanted = vec3.subtract(targets[1], at);
    expect(vec3.norm(wanted)).toBeCloseTo(0.1, 12);
    expect(vec3.dot(wanted, sight)).toBeCloseTo(0, 12);
    // In the half-plane of +Z.
    expect(vec3.dot(wanted, vec3.cross(sight, [0, 0, 1]))).toBeCloseTo(0, 12);
    expect(wanted[2]).toBeGreaterThan(0);
    const along: Goal = { ...goal, up: { axis: [0, 1, 0], direction: sight } };
    expect(goalGeometry(along, stage).targets).toHaveLength(1);
  });

  it('distance, pole, relative pose and orientation: target positions and axes', () => {
    const { stage, frame } = some();
    const [left, right] = [origin(frame('leftHand')), origin(frame('rightHand'))];
    const apart = goalGeometry(
      { type: 'distance', bone: 'leftHand', target: { bone: 'rightHand' }, distance: 0.4 },
      stage,
    );
    expect(vec3.distance(apart.targets[0], right)).toBeCloseTo(0.4, 12);
    expect(
      vec3.norm(vec3.cross(vec3.subtract(left, right), vec3.subtract(apart.targets[0], right))),
    ).toBeLessThan(1e-12);
    const pole = goalGeometry({ type: 'pole', bone: 'leftHand', target: [1, 2, 3] }, stage);
    near(pole.ends[0], origin(frame('leftLowerArm')));
    const offset = quat.normalize([within(random, 1), 0.2, 0.1, 1]);
    const target = { bone: 'rightHand', point: [0.1, 0, 0], offset };
    const relative = goalGeometry({ type: 'relative-pose', bone: 'leftHand', target }, stage);
    near(relative.targets[0], rigid.transformPoint(frame('rightHand'), [0.1, 0, 0]));
    const rotation = quat.multiply(rigid.toQuat(frame('rightHand')), offset);
    expect(quat.angleBetween(relative.axes?.rotation ?? [0, 0, 0, 1], rotation)).toBeLessThan(1e-7);
    const free = goalGeometry(
      { type: 'relative-pose', bone: 'leftHand', target, orientationMask: [0, 0, 0] },
      stage,
    );
    expect(free.axes).toBeUndefined();
  });
});
