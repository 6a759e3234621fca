import { createState, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  Euler,
  Mesh,
  type Object3D,
  Object3D as Place,
  Plane,
  PlaneGeometry,
  Quaternion,
  Vector3,
} from 'three';
import { describe, expect, it } from 'vitest';
import { bindFigure, FigureSolver, type SceneGoal } from '../../src/index.js';
import { bonesOf, gap } from '../support.js';

const figure = createHumanFigure();

/** A character half as large, rotated and moved: figure metres and scene units are not the same. */
function character() {
  const { root, bones } = bonesOf(figure, 0.5);
  root.position.set(2, -1, 3);
  root.quaternion.setFromEuler(new Euler(0.1, 0.8, -0.2));
  root.updateMatrixWorld(true);
  const binding = bindFigure(figure, root);
  const solve = (goals: readonly SceneGoal[], locked: readonly string[] = ['hips']) => {
    const solver = new FigureSolver(binding, goals, { locked });
    const result = solver.update();
    root.updateMatrixWorld(true);
    return { solver, result };
  };
  /** A point of the figure's world in the scene's. */
  const scene = (x: number, y: number, z: number) => root.localToWorld(new Vector3(x, y, z));
  return { root, bones, binding, solve, scene };
}

const worldOf = (object: Object3D) => object.getWorldPosition(new Vector3());

describe('goals of each kind, given by the scene', () => {
  it('look-at: eyes and chain by name and by object, a target that is an object', () => {
    const { root, bones, solve, scene } = character();
    const target = new Place();
    target.position.copy(scene(0.6, 1.7, 1.5));
    const { result } = solve([
      {
        type: 'look-at',
        bone: [bones.head],
        axis: [0, 0, 1],
        target,
        chain: [
          { bone: bones.head, share: 2 },
          { bone: 'neck', share: 1 },
        ],
      },
    ]);
    expect(result.status).toBe('converged');
    const sight = new Vector3(0, 0, 1).transformDirection(bones.head.matrixWorld);
    expect(sight.angleTo(target.position.clone().sub(worldOf(bones.head)))).toBeLessThan(2e-4);
    expect(root.scale.x).toBe(0.5);
  });

  it('plane: an object with its +Z, a three.js Plane, or a point and a normal, all the same', () => {
    const poses = (['object', 'plane', 'record', 'numbers'] as const).map((kind) => {
      const { bones, solve, scene } = character();
      const point = scene(0, 1.2, 0);
      const up = scene(0, 2.2, 0).sub(point).normalize();
      const mesh = new Mesh(new PlaneGeometry());
      mesh.position.copy(point);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
      mesh.scale.set(3, 0.5, 1);
      const target = {
        object: mesh,
        plane: new Plane().setFromNormalAndCoplanarPoint(up, point),
        record: { point, normal: up.clone().multiplyScalar(3) },
        numbers: { point: point.toArray(), normal: up.toArray() },
      }[kind];
      const { solver, result } = solve([{ type: 'plane', bone: 'leftHand', target, tolerance: 1e-7 }]);
      expect(result.status).toBe('converged');
      expect(Math.abs(worldOf(bones.leftHand).sub(point).dot(up))).toBeLessThan(1e-7);
      return solver.pose;
    });
    for (const pose of poses) expect(gap(pose, poses[0])).toBeLessThan(1e-10);
  });

  it('half-space: a hand over a table that is lifted, kept above it by a clearance that may change', () => {
    const { bones, binding, root, scene } = character();
    const table = new Place();
    const up = scene(0, 1, 0)
      .sub(scene(0, 0, 0))
      .normalize();
    table.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    const low = scene(0.35, 0.9, 0.3);
    const over: SceneGoal<'half-space'> = {
      type: 'half-space',
      bone: 'leftHand',
      target: table,
      clearance: 0.05,
    };
    const solver = new FigureSolver(
      binding,
      [over, { type: 'position', bone: 'leftHand', target: low, priority: 1 }],
      { locked: ['hips'] },
    );
    for (const [lift, clearance] of [
      [1.1, 0.05],
      [1.2, 0.05],
      [1.2, 0.1],
    ]) {
      table.position.copy(scene(0, lift, 0));
      over.clearance = clearance;
      solver.update();
      root.updateMatrixWorld(true);
      // Scene units are half metres.
      const height = worldOf(bones.leftHand).sub(table.position).dot(up);
      expect(height).toBeGreaterThan(0.5 * clearance - 1e-4);
      expect(height).toBeLessThan(0.5 * clearance + 1e-3);
    }
  });

  it('a plane below a bone moves with it', () => {
    const { bones, solve } = character();
    const board = new Place();
    bones.rightHand.add(board);
    board.position.set(-0.1, -0.02, 0);
    board.quaternion.setFromEuler(new Euler(0.3, 0.2, 0));
    const { result } = solve([{ type: 'plane', bone: 'leftHand', target: board, tolerance: 1e-7 }]);
    expect(result.status).toBe('converged');
    const normal = new Vector3(0, 0, 1).transformDirection(board.matrixWorld);
    expect(Math.abs(worldOf(bones.leftHand).sub(worldOf(board)).dot(normal))).toBeLessThan(1e-7);
  });

  it('pole: the elbow points to an object, distance: in metres of the figure, changed while the solver runs', () => {
    const { bones, binding, root, scene } = character();
    const pole = new Place();
    pole.position.copy(scene(0.4, 0.2, -0.6));
    const apart: SceneGoal<'distance'> = {
      type: 'distance',
      bone: 'rightHand',
      target: bones.head,
      distance: 0.4,
    };
    const solver = new FigureSolver(
      binding,
      [
        { type: 'position', bone: 'leftHand', target: scene(0.35, 1.3, 0.3) },
        {
          type: 'pole',
          bone: bones.leftHand,
          middle: bones.leftLowerArm,
          start: 'leftUpperArm',
          target: pole,
        },
        apart,
      ],
      { locked: ['hips', 'spine', 'chest', 'upperChest', 'leftShoulder'] },
    );
    for (const distance of [0.4, 0.5]) {
      apart.distance = distance;
      expect(solver.update().status).toBe('converged');
      root.updateMatrixWorld(true);
      expect(worldOf(bones.rightHand).distanceTo(worldOf(bones.head))).toBeCloseTo(0.5 * distance, 3);
    }
    const [a, e, h] = [bones.leftUpperArm, bones.leftLowerArm, bones.leftHand].map(worldOf);
    const line = h.clone().sub(a).normalize();
    const across = (v: Vector3) => v.sub(a).projectOnPlane(line).normalize();
    expect(across(e).angleTo(across(pole.position.clone()))).toBeLessThan(0.02);
  });

  it('relative pose: bones by object', () => {
    const { bones, solve } = character();
    const { result } = solve([
      {
        type: 'relative-pose',
        bone: bones.leftHand,
        target: { bone: bones.rightHand, point: [0.3, 0.05, 0.1] },
        orientationMask: [0, 0, 0],
        tolerance: 1e-6,
      },
    ]);
    expect(result.status).toBe('converged');
    const wanted = bones.rightHand.localToWorld(new Vector3(0.3, 0.05, 0.1));
    expect(worldOf(bones.leftHand).distanceTo(wanted)).toBeLessThan(1e-6);
  });

  it('centre of mass: over a support of objects that move', () => {
    const { binding, scene } = character();
    const corners = [
      [-0.1, 0, -0.1],
      [0.1, 0, -0.1],
      [0, 0, 0.12],
    ] as const;
    const support = corners.map(() => new Place());
    const solver = new FigureSolver(binding, [{ type: 'center-of-mass', support, tolerance: 1e-4 }], {
      memory: 0,
    });
    const state = createState(figure);
    for (const shift of [0, 0.25]) {
      support.forEach((object, n) => {
        const [x, y, z] = corners[n];
        object.position.copy(scene(x + shift, y, z));
      });
      expect(solver.update().status).toBe('converged');
      forwardKinematics(state, solver.pose);
      let [mass, x] = [0, 0];
      for (const { index, mass: m = 0, centerOfMass = [0, 0, 0] } of figure.bones) {
        const f = state.worldFromBone.subarray(12 * index, 12 * index + 12);
        x += m * (f[0] * centerOfMass[0] + f[1] * centerOfMass[1] + f[2] * centerOfMass[2] + f[9]);
        mass += m;
      }
      expect(Math.abs(x / mass - shift)).toBeLessThan(0.1 + 1e-3);
    }
  });

  it('posture: the initial pose of the objects, unless a reference is given', () => {
    const { root, bones } = bonesOf(figure);
    bones.leftUpperArm.quaternion.setFromEuler(new Euler(0, 0, -0.9));
    const goals: SceneGoal[] = [
      { type: 'posture' },
      { type: 'position', bone: 'rightHand', target: new Vector3(-0.3, 1.3, 0.4) },
    ];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'] });
    // A later animation does not change the reference.
    bones.leftUpperArm.quaternion.setFromEuler(new Euler(0, 0, 0.3));
    solver.update();
    const wanted = new Quaternion().setFromEuler(new Euler(0, 0, -0.9));
    expect(bones.leftUpperArm.quaternion.angleTo(wanted)).toBeLessThan(1e-3);
  });

  it('joint value and weight, changed while it runs', () => {
    const { root, bones } = bonesOf(figure);
    const bend: SceneGoal<'joint-value'> = { type: 'joint-value', bone: bones.leftLowerArm, value: 0.5 };
    const solver = new FigureSolver(bindFigure(figure, root), [
      bend,
      { type: 'orientation', bone: 'head', target: [0, 0, 0, 1] },
    ]);
    const elbow = figure.bones.find(({ name }) => name === 'leftLowerArm')?.coordinate as number;
    solver.update();
    expect(solver.pose[elbow]).toBeCloseTo(0.5, 3);
    bend.value = 1.1;
    solver.update();
    expect(solver.pose[elbow]).toBeCloseTo(1.1, 3);
    bend.weight = 0;
    bend.value = 2;
    solver.memory = 0;
    solver.update();
    expect(solver.pose[elbow]).toBeCloseTo(0, 3);
  });
});
