import { GoalError } from 'poise';
import { createHumanFigure } from 'poise/humanoid';
import { allStages, type GoalType, goalTypes } from 'poise/ik';
import { quat } from 'poise/math';
import { type Bone, Euler, Group, Object3D, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import {
  bindFigure,
  FigureSolver,
  FigureSolverWith,
  type PointTarget,
  type SceneGoal,
} from '../../src/index.js';
import { bonesOf, gap, placements } from '../support.js';

const figure = createHumanFigure();
const stage = () => bonesOf(figure);
const worldOf = (object: Object3D) => object.getWorldPosition(new Vector3());
const angle = (a: Quaternion, b: Quaternion) => quat.angleBetween(a.toArray(), b.toArray());

const reach = (target: PointTarget): SceneGoal<'position'> => ({
  type: 'position',
  bone: 'leftHand',
  target,
  tolerance: 1e-6,
});

describe('goals that change while the solver runs', () => {
  /** Solution of a new solver for the current goals, from the animation alone. */
  const anew = (goals: readonly SceneGoal[], prepare: (bones: Record<string, Bone>) => void = () => {}) => {
    const { root, bones } = stage();
    prepare(bones);
    const solver = new FigureSolver(bindFigure(figure, root), goals, { memory: 0, locked: ['hips'] });
    return { result: solver.update(), pose: solver.pose };
  };

  it('follow a target from the scene to a bone, along that bone, to another and back', () => {
    const { root, bones } = stage();
    const scene = new Group();
    scene.add(root);
    const ball = new Object3D();
    const goals: SceneGoal[] = [{ ...reach(ball), bone: 'rightHand' }];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'], restarts: 8 });
    const place = (parent: Object3D, x: number, y: number, z: number) => {
      parent.add(ball);
      ball.position.set(x, y, z);
    };
    const steps: (() => void)[] = [
      () => place(scene, -0.3, 1.3, 0.35),
      () => place(bones.head, 0, 0.1, 0.15),
      () => ball.position.setY(0.02),
      () => place(bones.leftLowerArm, 0.1, 0, 0.04),
      // Between, with a scale and a turn of its own.
      () => {
        const strap = new Group();
        strap.position.set(0.05, 0, 0);
        strap.scale.setScalar(0.5);
        strap.rotation.z = 0.4;
        bones.leftLowerArm.add(strap);
        place(strap, 0.1, 0.02, 0.05);
      },
      () => ball.parent?.scale.setScalar(0.7),
      () => place(scene, -0.3, 1.3, 0.35),
    ];
    for (const [n, step] of steps.entries()) {
      step();
      for (let frame = 0; frame < 3; frame++) {
        bones.leftUpperArm.quaternion.setFromEuler(new Euler(0, -0.8 - 0.05 * n - 0.01 * frame, -0.6));
        expect(solver.update().status, `${n}`).toBe('converged');
        scene.updateMatrixWorld(true);
        expect(worldOf(bones.rightHand).distanceTo(worldOf(ball)), `${n}`).toBeLessThan(1e-5);
      }
    }
    // The goal was bound to the scene again: what the target carries moves it, and the arm it hung on does not.
    expect(solver.result?.residuals).toHaveLength(1);
  });

  it('orientations and planes too: below a hand, they rotate with it', () => {
    const { root, bones } = stage();
    const scene = new Group();
    const board = new Object3D();
    scene.add(root, board);
    board.position.set(0, 1.2, 0.3);
    board.rotation.set(-0.4, 0.2, 0);
    const goals: SceneGoal[] = [
      { type: 'orientation', bone: 'head', target: board, tolerance: 1e-7 },
      { type: 'plane', bone: 'leftHand', target: board, tolerance: 1e-7 },
    ];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'] });
    const check = () => {
      expect(solver.update().status).toBe('converged');
      scene.updateMatrixWorld(true);
      const [head, wanted] = [bones.head, board].map((object) => object.getWorldQuaternion(new Quaternion()));
      expect(angle(head, wanted)).toBeLessThan(1e-6);
      const normal = new Vector3(0, 0, 1).transformDirection(board.matrixWorld);
      expect(Math.abs(worldOf(bones.leftHand).sub(worldOf(board)).dot(normal))).toBeLessThan(1e-6);
    };
    check();
    bones.chest.attach(board);
    check();
    bones.chest.quaternion.setFromEuler(new Euler(0.2, 0.1, 0));
    check();
    board.rotation.x += 0.1;
    check();
    scene.attach(board);
    check();
  });

  it('keep the solution bit for bit while nothing changes, without a new solver', () => {
    const { root, bones } = stage();
    const knee = new Object3D();
    bones.rightLowerLeg.add(knee);
    knee.position.set(0, 0.02, 0.07);
    let made = 0;
    const posture: GoalType = {
      components(...args) {
        made++;
        return goalTypes.posture.components(...args);
      },
    };
    const solver = new FigureSolverWith(bindFigure(figure, root), [reach(knee), { type: 'posture' }], {
      goalTypes: { ...goalTypes, posture },
      stages: allStages,
    });
    for (let n = 0; n < 20; n++) {
      bones.rightUpperLeg.quaternion.setFromEuler(new Euler(-1 + 0.02 * n, 0, 0));
      solver.update();
    }
    expect(made).toBe(1);
    const before = placements(Object.values(bones));
    for (let n = 0; n < 20; n++) solver.update();
    expect(placements(Object.values(bones))).toEqual(before);
    expect(made).toBe(1);
    knee.position.z = 0.08;
    solver.update();
    expect(made).toBe(2);
  });

  it('may be added, removed and changed in any field; without goals the animation is unchanged', () => {
    const { root, bones } = stage();
    const before = placements(Object.values(bones));
    const goals: SceneGoal[] = [];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { memory: 0, locked: ['hips'] });
    expect(solver.update()).toMatchObject({ status: 'converged', residuals: [] });
    expect(placements(Object.values(bones))).toEqual(before);
    const same = () => {
      const { result, pose } = anew(goals);
      expect(solver.update()).toEqual(result);
      expect(gap(solver.pose, pose)).toBe(0);
    };
    const left = reach(new Vector3(0.4, 1.25, 0.4));
    goals.push(left);
    same();
    goals.push({ type: 'orientation', bone: 'head', target: [0, 0.2, 0, 1] });
    same();
    left.mask = [1, 1, 0];
    same();
    left.bone = 'leftLowerArm';
    same();
    left.weight = 3;
    same();
    delete left.weight;
    same();
    const point = [0.1, 0, 0.2];
    left.target = { bone: 'head', point };
    same();
    point[0] = 0.2;
    same();
    goals.reverse();
    same();
    goals.length = 1;
    same();
    goals.length = 0;
    solver.update();
    expect(placements(Object.values(bones))).toEqual(before);
    solver.goals = [left];
    expect(solver.update().residuals).toHaveLength(1);
  });

  it('that become invalid throw, and the solver continues once they are valid', () => {
    const { root } = stage();
    const goals: SceneGoal[] = [reach(new Vector3(0.4, 1.25, 0.4))];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { memory: 0 });
    solver.update();
    const pose = solver.pose.slice();
    goals.push({ type: 'position', bone: 'head', taget: [0, 1, 0] } as unknown as SceneGoal);
    for (let n = 0; n < 3; n++) expect(() => solver.update()).toThrow(/goals\[1\]\.taget.*'target'/);
    goals.pop();
    expect(solver.update().status).toBe('converged');
    expect(gap(solver.pose, pose)).toBe(0);
    solver.goals = 'none' as unknown as SceneGoal[];
    expect(() => solver.update()).toThrow(GoalError);
  });
});

describe('typing errors', () => {
  const make = (goal: object, options: object = {}) => {
    const { root } = stage();
    return () => new FigureSolver(bindFigure(figure, root), [goal as SceneGoal], options);
  };
  const fault = (path: string, nearest: string) =>
    expect.objectContaining({
      name: 'GoalError',
      code: 'unknown-name',
      path,
      remedy: expect.stringContaining(`'${nearest}'`),
    });

  it('in options, goals and their fields are refused with the nearest name', () => {
    const point = new Vector3(0.3, 1.3, 0.3);
    const look = {
      type: 'look-at',
      bone: 'head',
      axis: [0, 0, 1],
      target: point,
      chain: [{ bone: 'head', share: 1 }],
    };
    const wrong: [() => unknown, string, string][] = [
      [make(reach(point), { maxIteration: 3 }), 'options.maxIteration', 'maxIterations'],
      [make(reach(point), { Weight: 0.3 }), 'options.Weight', 'weight'],
      [make({ ...reach(point), tolerence: 1 }), 'goals[0].tolerence', 'tolerance'],
      [make({ ...reach(point), wieght: 1 }), 'goals[0].wieght', 'weight'],
      [make({ ...reach(point), target: { bone: 'head', pint: [0, 0, 1] } }), 'goals[0].target.pint', 'point'],
      [make({ ...look, chain: [{ bone: 'head', sahre: 2 }] }), 'goals[0].chain[0].sahre', 'share'],
      [make({ ...look, up: { axis: [0, 1, 0], directon: [0, 1, 0] } }), 'goals[0].up.directon', 'direction'],
      [make({ type: 'posture', bone: ['head'] }), 'goals[0].bone', 'bones'],
    ];
    for (const [ask, path, nearest] of wrong) expect(ask, path).toThrow(fault(path, nearest));
    expect(make({ ...reach(point), weight: undefined, mask: undefined })).not.toThrow();
    expect(make({ ...look, up: { axis: [0, 1, 0] } })).not.toThrow();
    expect(make({ ...reach(point), type: 'positon' })).toThrow(/goals\[0\]\.type.*'position'/);
    expect(make(reach(point), null as unknown as object)).toThrow(GoalError);
  });
});

describe('objects scaled by 0', () => {
  it('still have a position and an orientation as targets', () => {
    const { root, bones } = stage();
    const scene = new Group();
    const holder = new Group();
    const target = new Object3D();
    holder.add(target);
    scene.add(root, holder);
    holder.rotation.y = 0.2;
    target.rotation.x = 0.1;
    target.position.set(0.1, 1.2, 0.3);
    const goals: SceneGoal[] = [
      { type: 'orientation', bone: 'head', target, tolerance: 1e-7 },
      { type: 'plane', bone: 'leftHand', target, tolerance: 1e-7 },
      { ...reach(target), bone: 'rightHand' },
    ];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'], memory: 0 });
    expect(solver.update().status).toBe('converged');
    const pose = solver.pose.slice();
    target.scale.setScalar(0);
    solver.reset();
    solver.update();
    expect(gap(solver.pose, pose)).toBeLessThan(1e-9);
    bones.rightUpperLeg.add(holder);
    target.scale.set(1, 0, 1);
    holder.scale.setScalar(0);
    expect(() => solver.update()).not.toThrow();
    target.quaternion.set(Number.NaN, 0, 0, 1);
    expect(() => solver.update()).toThrow(/Object3D/);
  });

  it('as the character itself are named, and the solver continues once they have a scale', () => {
    const { root } = stage();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.4, 1.25, 0.4))]);
    solver.update();
    const pose = solver.pose.slice();
    root.scale.setScalar(0);
    expect(() => solver.update()).toThrow(
      expect.objectContaining({ name: 'FigureError', code: 'singular', path: "Group 'character'" }),
    );
    root.scale.setScalar(1);
    expect(solver.update().status).toBe('converged');
    expect(gap(solver.pose, pose)).toBeLessThan(1e-6);
  });
});
