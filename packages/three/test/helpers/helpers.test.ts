import { createIk, solveIk } from 'poise';
import { createFigure, createPose, type LimitComponent } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  type BufferGeometry,
  Group,
  type InstancedMesh,
  Line,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  type Object3D,
  SphereGeometry,
  Vector3,
} from 'three';
import { describe, expect, it } from 'vitest';
import {
  bindFigure,
  FigureHelper,
  FigureSolver,
  GoalHelper,
  LimitHelper,
  object3DFromFigure,
  type SceneGoal,
} from '../../src/index.js';
import { bonesOf } from '../support.js';

const figure = createHumanFigure();

/** A character that stands somewhere in a scene, rotated and half as large, with a goal for a hand. */
function atWork(target: Vector3) {
  const { root, bones } = bonesOf(figure, 0.5);
  const scene = new Group();
  root.position.set(1, 2, 3);
  root.rotation.y = 0.7;
  scene.add(root);
  scene.updateMatrixWorld(true);
  const solver = new FigureSolver(
    bindFigure(figure, root),
    [
      { type: 'position', bone: 'leftHand', target: root.localToWorld(target.clone()) },
      { type: 'orientation', bone: 'head', target: [0, 0, 0, 1] },
    ],
    { locked: ['hips'] },
  );
  return { root, bones, scene, solver };
}

/** Disposable resources under an object, and those that have been disposed. */
function watch(root: Object3D): { readonly all: Set<unknown>; readonly freed: Set<unknown> } {
  const all = new Set<unknown>();
  const freed = new Set<unknown>();
  const add = (one: BufferGeometry | Material) => {
    if (all.has(one)) return;
    all.add(one);
    one.addEventListener('dispose', () => freed.add(one));
  };
  root.traverse((object) => {
    if (object instanceof Mesh || object instanceof Line || object instanceof LineSegments) {
      add(object.geometry);
      for (const material of [object.material].flat()) add(material);
    }
  });
  return { all, freed };
}

const position = (m: Matrix4) => new Vector3().setFromMatrixPosition(m);

describe('a figure helper', () => {
  it('has a joint at the origin of each object, in the world, and a bone from each to its children', () => {
    const { bones, scene, solver } = atWork(new Vector3(0.3, 1.4, 0.3));
    const helper = new FigureHelper(solver);
    scene.add(helper);
    solver.weight = 0.6;
    solver.update();
    helper.update();
    scene.updateMatrixWorld(true);
    const [links, joints] = helper.children as InstancedMesh[];
    const matrix = new Matrix4();
    figure.bones.forEach(({ index, name }) => {
      joints.getMatrixAt(index, matrix);
      const drawn = position(matrix).applyMatrix4(helper.matrixWorld);
      expect(drawn.distanceTo(bones[name].getWorldPosition(new Vector3()))).toBeLessThan(1e-6);
    });
    // The tip of each link is the origin of a child, or a tip.
    const origins = Object.values(bones).map((bone) => bone.getWorldPosition(new Vector3()));
    let atChildren = 0;
    for (let n = 0; n < links.count; n++) {
      links.getMatrixAt(n, matrix);
      const tip = new Vector3(0, 1, 0).applyMatrix4(matrix).applyMatrix4(helper.matrixWorld);
      if (origins.some((origin) => origin.distanceTo(tip) < 1e-6)) atChildren++;
    }
    expect(atChildren).toBe(figure.bones.filter(({ parent }) => parent >= 0).length);
  });

  it('draws leaves: to their tip, or along the offset from the parent', () => {
    const leaves = createFigure({
      bones: [
        { name: 'base' },
        { name: 'tipped', parent: 'base', rest: { position: [0, 1, 0] }, tip: [0.2, 0, 0] },
        { name: 'bare', parent: 'base', rest: { position: [0, 0, 2], rotation: [0, 0.6, 0, 0.8] } },
        { name: 'flange', parent: 'tipped' },
      ],
    });
    const helper = new FigureHelper({ figure: leaves, pose: createPose(leaves) });
    const links = helper.children[0] as InstancedMesh;
    const matrix = new Matrix4();
    const ends = Array.from({ length: links.count }, (_, n) => {
      links.getMatrixAt(n, matrix);
      return new Vector3(0, 1, 0).applyMatrix4(matrix);
    });
    // Base to two children, then the leaves; `tipped` leads on to a flange at its own place, and has a tip. The flange is alone.
    const wanted = [
      [0, 1, 0],
      [0, 0, 2],
      [0, 0, 3],
      [0.2, 1, 0],
    ];
    wanted.push([0, 1 + 0.06 * 2, 0]);
    expect(ends).toHaveLength(wanted.length);
    for (const position of wanted) {
      expect(
        ends.some((end) => end.distanceTo(new Vector3(...position)) < 1e-6),
        `${position}`,
      ).toBe(true);
    }
  });

  it('draws a pose without a scene', () => {
    const pose = createPose(figure);
    const helper = new FigureHelper({ figure, pose });
    pose[1] = 0.4;
    helper.update();
    const matrix = new Matrix4();
    (helper.children[1] as InstancedMesh).getMatrixAt(0, matrix);
    expect(position(matrix).y).toBeCloseTo(figure.bones[0].rest.position[1] + 0.4, 6);
  });
});

describe('a goal helper', () => {
  it('draws the target and the point of the bone, in another colour if the goal is missed', () => {
    for (const [target, met] of [
      [new Vector3(0.3, 1.4, 0.3), true],
      [new Vector3(3, 1.4, 0.3), false],
    ] as const) {
      const { root, bones, scene, solver } = atWork(target);
      const helper = new GoalHelper(solver);
      scene.add(helper);
      const group = helper.children[0] as Group;
      const ball = group.children.find(
        (one) => one instanceof Mesh && one.geometry instanceof SphereGeometry,
      ) as Mesh;
      const before = ball.material;
      solver.update();
      helper.update();
      scene.updateMatrixWorld(true);
      const balls = group.children.filter(
        (one): one is Mesh => one instanceof Mesh && one.geometry instanceof SphereGeometry,
      );
      const positions = balls.map((one) => one.getWorldPosition(new Vector3()));
      expect(positions[0].distanceTo(root.localToWorld(target.clone()))).toBeLessThan(1e-9);
      expect(positions[1].distanceTo(bones.leftHand.getWorldPosition(new Vector3()))).toBeLessThan(1e-9);
      expect(ball.material === before).toBe(met);
      // The residual line joins the two.
      const line = group.children.find((one) => one.type === 'LineSegments') as LineSegments;
      const ends = line.geometry.getAttribute('position');
      const from = new Vector3().fromBufferAttribute(ends, 0).applyMatrix4(line.matrixWorld);
      expect(from.distanceTo(positions[1])).toBeLessThan(1e-6);
    }
  });

  it('follows goals that are added, removed and replaced', () => {
    const { bones, solver } = atWork(new Vector3(0.3, 1.4, 0.3));
    const goals: SceneGoal[] = [...solver.goals];
    solver.goals = goals;
    const helper = new GoalHelper(solver);
    const visible = () => {
      solver.update();
      helper.update();
      return helper.children.map((child) => child.visible);
    };
    goals.push({ type: 'position', bone: 'rightHand', target: bones.head });
    expect(visible()).toEqual([true, true, true]);
    goals.length = 1;
    expect(visible()).toEqual([true, false, false]);
  });

  it('hides a goal that is off', () => {
    const { solver } = atWork(new Vector3(0.3, 1.4, 0.3));
    const helper = new GoalHelper(solver);
    solver.goals[0].blend = 0;
    solver.update();
    helper.update();
    expect(helper.children.map(({ visible }) => visible)).toEqual([false, true]);
  });
});

describe('a limit helper', () => {
  it('shows the limits that block, in the colour for it, and no others', () => {
    const { scene, solver } = atWork(new Vector3(-0.6, 1.2, -0.5));
    const helper = new LimitHelper(solver, { show: 'blocking' });
    scene.add(helper);
    const { activeLimits, status } = solver.update();
    expect(status).toBe('limit-blocked');
    helper.update();
    expect(activeLimits.length).toBeGreaterThan(0);
    expect(helper.shown.map(({ component }) => component.coordinate)).toEqual(
      activeLimits.map(({ coordinate }) => coordinate),
    );
    for (const { component, state } of helper.shown) {
      expect(figure.limitComponents).toContain(component);
      expect(state).toBe('blocking');
    }
  });

  it('shows what is touched, and follows the pose', () => {
    const pose = createPose(figure);
    const helper = new LimitHelper({ figure, pose });
    const elbow = figure.limitComponents.find(
      ({ bone }) => figure.bones[bone].name === 'leftLowerArm',
    ) as LimitComponent;
    helper.update();
    // Elbows and knees are straight at rest: on their limits.
    expect(helper.shown.map(({ component }) => component)).toContain(elbow);
    pose[elbow.coordinate] = 0.5;
    helper.update();
    expect(helper.shown.map(({ component }) => component)).not.toContain(elbow);
    helper.show = 'all';
    helper.update();
    expect(helper.shown).toHaveLength(figure.limitComponents.length);
    expect(helper.shown.find(({ component }) => component === elbow)?.state).toBe('free');
    expect(new Set(helper.shown.map(({ state }) => state))).toEqual(new Set(['free', 'touched']));
  });

  it('draws at the joint, in its rest frame', () => {
    const { bones, root, scene, solver } = atWork(new Vector3(0.3, 1.4, 0.3));
    const helper = new LimitHelper(solver, { show: 'all', bones: ['leftLowerArm'], radius: 0.1 });
    scene.add(helper);
    solver.update();
    helper.update();
    root.updateMatrixWorld(true);
    scene.updateMatrixWorld(true);
    const [group] = helper.children;
    const elbow = bones.leftLowerArm.getWorldPosition(new Vector3());
    expect(position(group.matrixWorld).distanceTo(elbow)).toBeLessThan(1e-9);
    // The dot is on the forearm: radius 0.1 m of a character half as large.
    const dot = group.children.find(
      (one) => one instanceof Mesh && one.geometry instanceof SphereGeometry,
    ) as Mesh;
    const hand = bones.leftHand.getWorldPosition(new Vector3());
    const wanted = elbow.clone().add(hand.sub(elbow).setLength(0.05));
    expect(dot.getWorldPosition(new Vector3()).distanceTo(wanted)).toBeLessThan(1e-6);
  });

  it('draws in the pose of the body, also if the solution is written with a weight below 1', () => {
    for (const weight of [1, 0.5, 0]) {
      const { bones, scene, solver } = atWork(new Vector3(-0.6, 1.2, -0.5));
      solver.weight = weight;
      const helper = new LimitHelper(solver, { show: 'all', bones: ['leftLowerArm'], radius: 0.1 });
      scene.add(helper);
      solver.update();
      helper.update();
      scene.updateMatrixWorld(true);
      const [group] = helper.children;
      const elbow = bones.leftLowerArm.getWorldPosition(new Vector3());
      expect(position(group.matrixWorld).distanceTo(elbow)).toBeLessThan(1e-6);
      const dot = group.children.find(
        (one) => one instanceof Mesh && one.geometry instanceof SphereGeometry,
      ) as Mesh;
      const hand = bones.leftHand.getWorldPosition(new Vector3());
      const wanted = elbow.clone().add(hand.sub(elbow).setLength(0.05));
      expect(dot.getWorldPosition(new Vector3()).distanceTo(wanted)).toBeLessThan(1e-6);
    }
  });

  it('draws limits of every kind of joint', () => {
    const robot = createFigure({
      bones: [
        {
          name: 'lift',
          joint: { type: 'slider', axis: [0, 1, 0] },
          limit: { type: 'interval', min: 0, max: 1 },
        },
        {
          name: 'ball',
          parent: 'lift',
          joint: { type: 'ball' },
          limit: { type: 'angle', max: 1 },
          tip: [0, 0.3, 0],
        },
        {
          name: 'open',
          parent: 'ball',
          joint: { type: 'hinge', axis: [1, 0, 0] },
          limit: { type: 'interval', min: 0, max: null },
        },
      ],
    });
    const pose = createPose(robot);
    const ik = createIk(robot, [{ type: 'position', bone: 'ball', target: [0, 2, 0] }]);
    const result = solveIk(ik, pose);
    const helper = new LimitHelper({ figure: robot, pose, result }, { show: 'all' });
    helper.update();
    expect(helper.shown.map(({ component, state }) => [component.role, state])).toEqual([
      ['distance', 'blocking'],
      ['angle', 'free'],
    ]);
  });
});

it('unknown options and radii that are not positive are refused', () => {
  const { solver } = atWork(new Vector3(0.3, 1.4, 0.3));
  const wrong: [() => unknown, string, string][] = [
    [() => new FigureHelper(solver, { colour: 'red' } as object), 'options.colour', 'unknown-name'],
    [() => new FigureHelper(solver, { radius: Number.NaN }), 'options.radius', 'out-of-range'],
    [() => new GoalHelper(solver, { radius: -1 }), 'options.radius', 'out-of-range'],
    [() => new LimitHelper(solver, { radius: 0 }), 'options.radius', 'out-of-range'],
    [() => object3DFromFigure(solver.figure, { radius: Number.NaN }), 'options.radius', 'out-of-range'],
    [() => new GoalHelper(solver, { missedColour: 'red' } as object), 'options.missedColour', 'unknown-name'],
    [() => new LimitHelper(solver, { shown: 'all' } as object), 'options.shown', 'unknown-name'],
    [() => new LimitHelper(solver, { show: 'al' as 'all' }), 'options.show', 'unsupported'],
    [() => new LimitHelper(solver, { bones: ['leftHnd'] }), 'options.bones[0]', 'unknown-name'],
    [
      () => new LimitHelper(solver, { colors: { fre: 'red' } as object }),
      'options.colors.fre',
      'unknown-name',
    ],
  ];
  for (const [make, path, code] of wrong) expect(make, path).toThrow(expect.objectContaining({ path, code }));
  expect(wrong[0][0]).toThrow(/'color'/);
});

it('a helper that is disposed of frees all its geometries and materials, and leaves the scene', () => {
  const { scene, solver } = atWork(new Vector3(0.3, 1.4, 0.3));
  solver.update();
  const helpers = [
    new FigureHelper(solver),
    new GoalHelper(solver),
    new LimitHelper(solver, { show: 'all' }),
  ];
  for (const helper of helpers) {
    scene.add(helper);
    helper.update();
    const { all, freed } = watch(helper);
    expect(all.size).toBeGreaterThan(2);
    helper.dispose();
    expect(freed).toEqual(all);
    expect(helper.parent).toBeNull();
    expect(helper.children).toHaveLength(0);
  }
});
