import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { Box3, Group, Mesh, Object3D, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { bindFigure, FigureSolver, figureFromObject3D, object3DFromFigure } from '../src/index.js';
import { createRandom, expectWritten, matrixGap, randomPose, solverMatrices } from './support.js';

it('stands upright in the scene, whatever the up of the figure', () => {
  for (const up of [
    [0, 0, 1],
    [0, 1, 0],
    [-1, 0, 0],
    [0.6, 0, 0.8],
  ] as const) {
    const figure = createFigure({
      up,
      bones: [{ name: 'base' }, { name: 'mast', parent: 'base', rest: { position: up } }],
    });
    const { root, objects } = object3DFromFigure(figure);
    const mast = (objects.get('mast') as Object3D).getWorldPosition(new Vector3());
    expect(mast.distanceTo(new Vector3(0, 1, 0))).toBeLessThan(1e-15);
    if (up[0] !== 0.6) expect(figureFromObject3D(root, { bones: 'all' }).figure.up).toEqual(up);
  }
});

const DOWN: [number, number, number, number] = [0, 0.6, 0, 0.8];

/** A lift, two hinges, a gripper with a mimic joint, a ball and a tool frame; the mimic joint has an offset. */
const robot = createFigure({
  name: 'robot',
  bones: [
    { name: 'base' },
    {
      name: 'lift',
      parent: 'base',
      joint: { type: 'slider', axis: [0, 1, 0] },
      limit: { type: 'interval', min: 0.2, max: 1 },
      rest: { position: [0, 0.1, 0] },
    },
    {
      name: 'upper',
      parent: 'lift',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      rest: { position: [0, 0.2, 0] },
    },
    {
      name: 'fore',
      parent: 'upper',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      rest: { position: [0.5, 0, 0], rotation: DOWN },
    },
    { name: 'wrist', parent: 'fore', joint: { type: 'ball' }, rest: { position: [0, 0, 0.4] } },
    { name: 'tool', parent: 'wrist', rest: { position: [0, 0.15, 0] } },
    {
      name: 'finger',
      parent: 'wrist',
      joint: { type: 'slider', axis: [1, 0, 0] },
      mimic: { bone: 'lift', polynomial: [0.05, 0.1] },
      rest: { position: [0.02, 0.1, 0] },
    },
  ],
});

const meshesOf = (object: Object3D) =>
  object.children.filter((child): child is Mesh => child instanceof Mesh);

describe('objects made for a figure', () => {
  it('have the transforms of its bones, and bind without warnings', () => {
    const random = createRandom(81);
    for (const figure of [robot, createHumanFigure()]) {
      const { root, objects } = object3DFromFigure(figure);
      root.updateMatrixWorld(true);
      const wanted = solverMatrices(figure, createPose(figure));
      for (const { name, index } of figure.bones) {
        expect(matrixGap((objects.get(name) as Object3D).matrixWorld, wanted[index])).toBeLessThan(1e-12);
      }
      const scene = new Group();
      root.position.set(1, 2, 3);
      root.quaternion.setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2);
      scene.add(root);
      const binding = bindFigure(figure, root);
      expect([binding.warnings, binding.unit, binding.frame]).toEqual([[], 1, root]);
      expectWritten(binding, scene, randomPose(figure, random, 0.6), 1e-12);
    }
  });

  it('let a robot be dragged by an object', () => {
    const { root, objects } = object3DFromFigure(robot);
    const scene = new Group();
    const ball = new Object3D();
    scene.add(root, ball);
    const solver = new FigureSolver(
      bindFigure(robot, root),
      [{ type: 'position', bone: 'tool', target: ball, tolerance: 1e-7 }],
      { memory: Number.POSITIVE_INFINITY },
    );
    const there = createPose(robot);
    const tip = robot.bones.findIndex(({ name }) => name === 'tool');
    for (let n = 0; n < 30; n++) {
      there.set([0.5 + 0.01 * n, 0.02 * n, 0.4 + 0.03 * n, 0.02 * n, 0, 0.01 * n]);
      ball.position.setFromMatrixPosition(solverMatrices(robot, there)[tip]);
      expect(solver.update().status).toBe('converged');
      scene.updateMatrixWorld(true);
      const tool = (objects.get('tool') as Object3D).getWorldPosition(new Vector3());
      expect(tool.distanceTo(ball.position)).toBeLessThan(1e-6);
    }
  });

  it('move mimic joints with their source', () => {
    const { root, objects } = object3DFromFigure(robot);
    const scene = new Group();
    scene.add(root);
    for (const goal of [
      { type: 'joint-value', bone: 'lift', value: 0.7 },
      { type: 'position', bone: 'finger', target: [0.3, 1, 0.2] },
    ] as const) {
      const solver = new FigureSolver(bindFigure(robot, root), [goal]);
      solver.update();
      scene.updateMatrixWorld(true);
      const wanted = solverMatrices(robot, solver.pose);
      for (const { name, index } of robot.bones) {
        expect(matrixGap((objects.get(name) as Object3D).matrixWorld, wanted[index]), name).toBeLessThan(
          1e-12,
        );
      }
    }
  });

  it('have a tube from each joint to the next, a cylinder at each hinge, and nothing beyond the tool', () => {
    const { objects } = object3DFromFigure(robot);
    const shapes = (name: string) => meshesOf(objects.get(name) as Object3D);
    /** Both ends of a shape along its own +Y, in the frame of the bone. */
    const ends = (mesh: Mesh) => {
      mesh.updateMatrix();
      return [-0.5, 0.5].map((y) => new Vector3(0, y, 0).applyMatrix4(mesh.matrix));
    };
    for (const { name, parent, rest } of robot.bones) {
      if (parent < 0) continue;
      const to = new Vector3(...rest.position);
      const reaches = shapes(robot.bones[parent].name).some((mesh) => {
        const [from, end] = ends(mesh);
        return from.length() < 1e-12 && end.distanceTo(to) < 1e-12;
      });
      expect(reaches, name).toBe(true);
    }
    const axis = new Vector3(0, 0, 1);
    const drum = shapes('fore').find(({ position }) => position.length() === 0) as Mesh;
    const along = new Vector3(0, 1, 0).applyQuaternion(new Quaternion().copy(drum.quaternion));
    expect(along.distanceTo(axis)).toBeLessThan(1e-12);
    expect(shapes('tool')).toHaveLength(0);
    expect(shapes('base')).toHaveLength(1);
    // Of a figure of any size, no shape is thicker than its link is long.
    const box = new Box3().setFromObject(object3DFromFigure(robot, { radius: 1e-3 }).root);
    expect(box.getSize(new Vector3()).z).toBeLessThan(0.45);
    const none = object3DFromFigure(robot, { shapes: 'none' });
    none.root.traverse((object) => expect(object).not.toBeInstanceOf(Mesh));
  });

  it('free their resources, and refuse unknown options', () => {
    const { root, dispose } = object3DFromFigure(robot);
    const scene = new Group();
    scene.add(root);
    const all = new Set<unknown>();
    const freed = new Set<unknown>();
    root.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      for (const one of [object.geometry, object.material]) {
        all.add(one);
        one.addEventListener('dispose', () => freed.add(one));
      }
    });
    dispose();
    expect(all.size).toBeGreaterThan(4);
    expect(freed).toEqual(all);
    expect(root.parent).toBeNull();
    expect(() => object3DFromFigure(robot, { colour: 'red' } as object)).toThrow(/Did you mean 'color'/);
    expect(() => object3DFromFigure(robot, { shapes: 'sold' as 'solid' })).toThrow(/'solid'/);
  });
});

describe('a robot of a loader that has objects for joints between its links, and is its base link itself', () => {
  it('is bound as in docs/three.md: its root stays, and its links have the transforms of the figure', () => {
    const random = createRandom(82);
    const loaded = new Group();
    const links: Record<string, Object3D> = {};
    for (const { name, parent, rest } of robot.bones) {
      if (parent < 0) {
        links[name] = loaded;
        continue;
      }
      // The joint has the origin, the link stands in it.
      const joint = new Object3D();
      joint.name = `${name}_joint`;
      joint.position.set(...rest.position);
      joint.quaternion.set(...rest.rotation);
      links[name] = new Object3D();
      joint.add(links[name]);
      links[robot.bones[parent].name].add(joint);
    }
    const scene = new Group();
    scene.add(loaded);
    loaded.position.set(0.2, 0.1, 0);
    loaded.rotation.x = -Math.PI / 2;
    const [base] = robot.bones;
    const binding = bindFigure(robot, loaded, {
      objects: (name) => (name === base.name ? null : links[name]),
    });
    expect([binding.frame, binding.unit, binding.warnings]).toEqual([loaded, 1, []]);
    for (let round = 0; round < 5; round++) {
      // A joint rotated by the loader itself is compensated.
      if (round > 2) links.fore.parent?.rotation.set(0.1, 0.2, 0.3);
      const pose = randomPose(robot, random, 0.7);
      binding.writePose(pose);
      scene.updateMatrixWorld(true);
      const wanted = solverMatrices(robot, pose);
      for (const { name, index } of robot.bones) {
        const expected = loaded.matrixWorld.clone().multiply(wanted[index]);
        expect(matrixGap(links[name].matrixWorld, expected), name).toBeLessThan(1e-12);
      }
      expect(loaded.position.toArray()).toEqual([0.2, 0.1, 0]);
    }
  });
});
