import { describeWithData } from '@poise/test-support/shared-data';
import { clampToLimits } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Group,
  InstancedMesh,
  Line,
  Matrix4,
  Mesh,
  Object3D,
  PlaneGeometry,
  Points,
  Skeleton,
  SkinnedMesh,
  Sprite,
  Vector3,
} from 'three';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import { describe, expect, test } from 'vitest';
import { bindFigure, FigureSolver, FootPlanter, object3DFromFigure } from '../../src/index.js';
import { bonesOf } from '../support.js';
import { FRAME, GROUNDS, humanWalker, transforms, type Walker, walk, walkerFromFile } from './support.js';

/** Rigs with their walks; without a name a walk is made. */
const RIGS = [
  ['gltf/KayKit_Knight.glb', 'Walking_A'],
  ['gltf/KayKit_Knight.glb', 'Walking_C'],
  ['gltf/CesiumMan.gltf', 'animation_0'],
  ['gltf/RobotExpressive.glb', 'Robot_Walking'],
  ['vrm/cryptovoxels.vrm', undefined],
] as const;

/** Of an adult's leg of 0.85 m: a millimetre; 4 mm; 1.3 mm. */
const MILLIMETRE = 1 / 850;
const DEPTH = 0.005;
const SLIDE = 0.0015;

function check(name: string, make: () => Promise<Walker>): void {
  describe(name, () => {
    test('at weight 0 is the clip to the bit', async () => {
      const [planted, clip] = [await make(), await make()];
      walk(planted, clip, {
        heightAt: GROUNDS['stairs up'],
        weight: 0,
        seconds: 2,
        eachFrame: () => expect(transforms(planted)).toEqual(transforms(clip)),
      });
    });

    test('on flat ground feet are as high as in the clip, and stand within a millimetre of where it puts them', async () => {
      const [planted, clip] = [await make(), await make()];
      // Frames in the air.
      const free = [0, 0];
      const { lift, slide, pop, clipPop } = walk(planted, clip, {
        heightAt: GROUNDS.flat,
        eachFrame: (_, __, { feet }) => {
          feet.forEach(({ locked }, n) => {
            if (locked && free[n] > 15) {
              const [a, b] = [planted, clip].map(({ legs }) =>
                legs[n].ball.clone().applyMatrix4(legs[n].foot.matrixWorld),
              );
              expect(a.distanceTo(b)).toBeLessThan(MILLIMETRE * planted.length);
            }
            free[n] = locked ? 0 : free[n] + 1;
          });
        },
      });
      expect(lift).toBeLessThan(MILLIMETRE);
      expect(slide).toBeLessThan(MILLIMETRE);
      expect(pop).toBeLessThan(1.1 * clipPop);
    });

    test.each(Object.keys(GROUNDS).slice(1))(
      'on %s no sole goes deeper than in the clip, nothing slides or pops, and knees bend as they do',
      async (ground) => {
        const { pop, clipPop, hipsPop, depth, clipDepth, slide, lockedFrames, bend } = walk(
          await make(),
          await make(),
          {
            heightAt: GROUNDS[ground],
          },
        );
        expect(depth).toBeLessThan(clipDepth + DEPTH);
        expect(slide).toBeLessThan(SLIDE);
        expect(pop).toBeLessThan(2.1 * clipPop);
        expect(hipsPop).toBeLessThan(0.09);
        expect(bend).toBeGreaterThan(0.5);
        expect(lockedFrames).toBeGreaterThan(40);
      },
    );

    test('does the same a hundred times as large', async () => {
      const one = walk(await make(), await make(), { heightAt: GROUNDS['stairs up'], seconds: 3 });
      const [large, beside] = [await make(), await make()].map((walker) => {
        walker.root.scale.setScalar(100);
        walker.root.updateMatrixWorld(true);
        return { ...walker, length: 100 * walker.length };
      });
      const hundred = walk(large, beside, { heightAt: GROUNDS['stairs up'], seconds: 3 });
      one.places.forEach((place, k) => {
        const error = hundred.places[k].clone().divideScalar(100).distanceTo(place);
        expect(error).toBeLessThan(1e-6 * large.length);
      });
    });
  });
}

describeWithData('characters from files', '', (folder) => {
  for (const [file, clip] of RIGS)
    check(`${file} ${clip ?? ''}`, () => walkerFromFile(`${folder}/${file}`, clip));

  test('each foot says its object, of a rig with feet at its root too', async () => {
    for (const [file, names] of [
      ['KayKit_Knight.glb', ['footl', 'footr']],
      ['RobotExpressive.glb', ['FootL', 'FootR']],
    ] as const) {
      const { character } = await walkerFromFile(`${folder}/gltf/${file}`, undefined);
      const { feet } = new FootPlanter(character, { ground: () => 0 });
      expect(feet.map(({ object }) => object.name)).toEqual(names);
      expect(feet.map(({ object }) => character.getObjectByName(object.name))).toEqual(
        feet.map(({ object }) => object),
      );
    }
  });

  test('a fox is refused, with what to do', async () => {
    const fox = await import('../load-rig.js').then(async ({ loadRig }) => {
      const { readFile } = await import('node:fs/promises');
      return loadRig(await readFile(`${folder}/gltf/Fox.glb`));
    });
    expect(() => new FootPlanter(fox.scene, { ground: () => 0 })).toThrow(
      expect.objectContaining({ code: 'unsupported', remedy: expect.stringContaining('options.humanoid') }),
    );
  });
});

check('the built-in human', async () => humanWalker());

/** Heights of the ground under both feet of a character that stands on it for a second. */
function standingHeights({ character, mixer }: Walker, ground: Object3D): number[] {
  mixer.stopAllAction();
  const planter = new FootPlanter(character, { ground });
  for (let k = 0; k < 60; k++) planter.update(FRAME);
  planter.dispose();
  return planter.feet.map(({ position }) => position.y);
}

describe('grounds', () => {
  const slope = 0.25;
  const onRamp = (ground: FootPlanter['ground']) =>
    walk(humanWalker(), humanWalker(), { heightAt: (_, z) => slope * z, ground, seconds: 2 });

  test('a function with or without normals and a mesh give the same', () => {
    const plane = new Mesh(new PlaneGeometry(40, 40).rotateX(-Math.PI / 2 - Math.atan(slope)));
    const bare = onRamp((_, z) => slope * z);
    const withNormal = onRamp((_, z, normal) => {
      normal.set(0, 1, -slope);
      return slope * z;
    });
    const mesh = onRamp(plane);
    const list = onRamp([new Object3D(), new Group().add(plane)]);
    for (const other of [withNormal, mesh, list]) {
      bare.places.forEach((place, k) => {
        expect(other.places[k].distanceTo(place)).toBeLessThan(1e-6);
      });
    }
  });

  test('instances are ground, the character itself is not, and what is overhead is not met', () => {
    const walker = humanWalker();
    const steps = new InstancedMesh(new BoxGeometry(2, 1, 0.5), undefined, 2);
    steps.setMatrixAt(0, new Matrix4().setPosition(0, -0.4, 0));
    steps.setMatrixAt(1, new Matrix4().setPosition(0, 3, 0));
    const scene = new Group().add(steps, walker.root);
    const shoe = new Mesh(new BoxGeometry(0.4, 0.4, 0.4));
    walker.legs[0].foot.add(shoe);
    const planter = new FootPlanter(walker.character, { ground: scene });
    scene.updateMatrixWorld(true);
    for (let k = 0; k < 60; k++) planter.update(FRAME);
    for (const { position, normal } of planter.feet) {
      expect(position.y).toBeCloseTo(0.1, 6);
      expect(normal.y).toBeCloseTo(1, 12);
    }
  });

  test('sprites, lines, points and what is hidden below the ground are no ground', () => {
    const walker = humanWalker();
    const box = (height: number) => new Mesh(new BoxGeometry(4, 2 * height, 4));
    const hidden = box(0.3);
    hidden.visible = false;
    const below = box(0.35);
    const closet = new Group().add(below);
    closet.visible = false;
    const sign = new Sprite();
    sign.scale.setScalar(3);
    const path = new Line(
      new BufferGeometry().setFromPoints([new Vector3(-1, 0.2, 0), new Vector3(1, 0.2, 0)]),
    );
    const dust = new Points(new BoxGeometry(1, 0.4, 1, 40, 1, 40));
    const curb = new LineSegments2(new LineSegmentsGeometry().setPositions([-1, 0.2, 0, 1, 0.2, 0]));
    const clickThrough = Object.assign(box(0.4), { raycast: null });
    const scene = new Group().add(
      walker.root,
      hidden,
      closet,
      sign,
      path,
      dust,
      curb,
      clickThrough,
      box(0.1),
    );
    expect(standingHeights(walker, scene)).toEqual([expect.closeTo(0.1, 6), expect.closeTo(0.1, 6)]);
    // A mesh to collide with that is not drawn is given itself.
    expect(standingHeights(walker, hidden)).toEqual([expect.closeTo(0.3, 6), expect.closeTo(0.3, 6)]);
  });

  test('ground that is moved is where it is now, not where it was drawn', () => {
    const walker = humanWalker();
    const lift = new Group();
    const platform = new Mesh(new BoxGeometry(4, 0.2, 4));
    platform.position.y = -0.1;
    const tower = new Group().add(lift.add(platform));
    tower.add(walker.root);
    walker.mixer.stopAllAction();
    const planter = new FootPlanter(walker.character, { ground: lift });
    for (let k = 1; k <= 60; k++) {
      lift.position.y = 0.003 * k;
      if (k === 30) platform.position.y += 0.02;
      planter.update(FRAME);
      if (k > 2 && k !== 30) {
        for (const { position } of planter.feet)
          expect(position.y).toBeCloseTo(0.003 * k + (k > 30 ? 0.02 : 0), 6);
      }
    }
  });

  test('a skin of the character beside its bones is no ground, and what lies beside the bones is where it is given', () => {
    const { root, bones } = bonesOf(createHumanFigure());
    const geometry = new BoxGeometry(2, 0.6, 2);
    const { count } = geometry.attributes.position;
    geometry.setAttribute('skinIndex', new BufferAttribute(new Uint16Array(4 * count), 4));
    const weights = Float32Array.from({ length: 4 * count }, (_, k) => (k % 4 === 0 ? 1 : 0));
    geometry.setAttribute('skinWeight', new BufferAttribute(weights, 4));
    const skin = new SkinnedMesh(geometry);
    skin.bind(new Skeleton(Object.values(bones)));
    const floor = new Mesh(new BoxGeometry(4, 0.2, 4));
    floor.position.y = -0.05;
    const scene = new Group().add(root, skin, floor);
    const heights = (character: Object3D, ground: Object3D) => {
      const planter = new FootPlanter(character, { ground });
      for (let k = 0; k < 60; k++) planter.update(FRAME);
      planter.dispose();
      return planter.feet.map(({ position }) => position.y);
    };
    const onFloor = [expect.closeTo(0.05, 6), expect.closeTo(0.05, 6)];
    expect(heights(root, scene)).toEqual(onFloor);
    // The scene is the frame of the figure of the skin.
    root.remove(bones.hips);
    scene.add(bones.hips);
    expect(heights(skin, floor)).toEqual(onFloor);
    expect(heights(skin, scene)).toEqual(onFloor);
  });

  test('up is any axis: +Z up walks as +Y up does', () => {
    const heightAt = GROUNDS.bumps;
    const upright = walk(humanWalker(), humanWalker(), { heightAt, seconds: 2 });
    const lying = humanWalker();
    const { length } = lying;
    const lyingRoot = new Group().add(lying.root);
    lyingRoot.rotation.x = Math.PI / 2;
    lyingRoot.updateMatrixWorld(true);
    const places: Vector3[] = [];
    walk(lying, humanWalker(), {
      heightAt,
      seconds: 2,
      up: [0, 0, 1],
      // (x, y, z) is (x, -z, y) here.
      ground: (x, y) => length * heightAt(x / length, -y / length),
      eachFrame: () => {
        lyingRoot.updateMatrixWorld(true);
        for (const { foot, lower } of lying.legs) {
          for (const object of [foot, lower]) {
            const { x, y, z } = new Vector3().setFromMatrixPosition(object.matrixWorld);
            places.push(new Vector3(x, z, -y));
          }
        }
      },
    });
    upright.places.forEach((place, k) => {
      expect(places[k].distanceTo(place)).toBeLessThan(1e-9);
    });
  });

  test('ground farther off than stepHeight leaves the animation', () => {
    const { lift } = walk(humanWalker(), humanWalker(), { heightAt: () => 0, ground: () => -2, seconds: 1 });
    expect(lift).toBeLessThan(1e-9);
    const missing = walk(humanWalker(), humanWalker(), {
      heightAt: () => 0,
      ground: () => undefined,
      seconds: 1,
    });
    expect(missing.lift).toBeLessThan(1e-9);
    const low = walk(humanWalker(), humanWalker(), {
      heightAt: () => 0,
      ground: () => -0.3,
      stepHeight: 0.2,
      seconds: 1,
    });
    expect(low.lift).toBeLessThan(1e-9);
  });
});

describe('a character that stands', () => {
  test('keeps its feet while it is moved a little, and lets go without a jump', () => {
    const walker = humanWalker();
    walker.mixer.stopAllAction();
    const planter = new FootPlanter(walker.character, { ground: () => 0 });
    const start: Vector3[] = [];
    let before: Vector3[] = [];
    let hasLetGo = false;
    for (let k = 0; k < 240; k++) {
      walker.root.position.x = Math.max(0, 0.002 * (k - 60));
      planter.update(FRAME);
      walker.root.updateMatrixWorld(true);
      const feet = walker.legs.map(({ foot, ball }) => ball.clone().applyMatrix4(foot.matrixWorld));
      if (k === 1) start.push(...feet);
      feet.forEach((at, n) => {
        if (k > 1 && planter.feet[n].locked) expect(at.distanceTo(start[n])).toBeLessThan(1e-3);
        else if (k > 1) hasLetGo = true;
        if (k > 1) expect(at.distanceTo(before[n])).toBeLessThan(0.04);
      });
      before = feet;
    }
    expect(hasLetGo).toBe(true);
  });

  test('reset() takes the new place at once; restore() and dispose() return the animation', () => {
    const walker = humanWalker();
    walker.mixer.stopAllAction();
    walker.root.updateMatrixWorld(true);
    const animated = transforms(walker);
    const planter = new FootPlanter(walker.character, { ground: (x) => 0.1 * x });
    for (let k = 0; k < 10; k++) planter.update(FRAME);
    walker.root.position.set(2, 0.2, 0);
    planter.reset();
    planter.update(FRAME);
    for (const { position } of planter.feet) expect(position.y).toBeCloseTo(0.1 * position.x, 2);
    expect(transforms(walker)).not.toEqual(animated);
    planter.restore();
    expect(transforms(walker)).toEqual(animated);
    planter.update(FRAME);
    planter.dispose();
    expect(transforms(walker)).toEqual(animated);
    expect(() => planter.update(FRAME)).toThrow('disposed');
  });

  test('gives the same bits again, at any weight between', () => {
    const run = () => {
      const walker = humanWalker();
      return walk(walker, humanWalker(), { heightAt: GROUNDS.bumps, weight: 0.6, seconds: 1 }).places.map(
        (v) => v.toArray(),
      );
    };
    expect(run()).toEqual(run());
  });
});

test('limits of the figure are respected, where the ground asks for more', () => {
  const figure = createHumanFigure();
  const { root } = object3DFromFigure(figure, { shapes: 'none' });
  const binding = bindFigure(figure, root);
  const scene = new Group().add(root);
  // A slope of 35 degrees: more than an ankle bends.
  const planter = new FootPlanter(binding, { ground: (_, z) => 0.7 * z });
  for (let k = 0; k < 60; k++) planter.update(FRAME);
  scene.updateMatrixWorld(true);
  const pose = binding.readPose(new Float64Array(figure.dof));
  const clamped = Float64Array.from(pose);
  clampToLimits(figure, clamped);
  pose.forEach((x, i) => {
    expect(Math.abs(x - clamped[i])).toBeLessThan(1e-9);
  });
  expect(Math.max(...pose.map(Math.abs))).toBeGreaterThan(0.2);
});

test('stands beside a FigureSolver that is made later: the feet on the ground, the hand at its target', () => {
  const figure = createHumanFigure();
  const { root } = object3DFromFigure(figure, { shapes: 'none' });
  const target = new Vector3(0.3, 1.2, 0.4);
  const binding = bindFigure(figure, root);
  const planter = new FootPlanter(binding, { ground: () => 0.1 });
  const solver = new FigureSolver(binding, [{ type: 'position', bone: 'leftHand', target }], {
    locked: ['hips'],
  });
  for (let k = 0; k < 90; k++) {
    planter.update(FRAME);
    solver.update(FRAME);
  }
  root.updateMatrixWorld(true);
  const place = (bone: string): Vector3 =>
    (binding.objects[figure.bones.findIndex(({ name }) => name === bone)] as Object3D).getWorldPosition(
      new Vector3(),
    );
  expect(planter.bodyOffset).toBeCloseTo(0.1, 3);
  expect(place('leftFoot').y).toBeCloseTo(0.168, 3);
  expect(place('leftHand').distanceTo(target)).toBeLessThan(2e-4);
});

test('a normal that points down is that of the other side; a step height that is no number is refused', () => {
  const figure = createHumanFigure();
  const { root } = object3DFromFigure(figure, { shapes: 'none' });
  const planter = new FootPlanter(root, {
    ground: (_x, _z, normal) => {
      normal?.set(0, -1, 0);
      return 0.05;
    },
  });
  for (let k = 0; k < 60; k++) planter.update(FRAME);
  expect(planter.feet[0].normal.y).toBeCloseTo(1, 9);
  planter.stepHeight = Number.NaN;
  expect(() => planter.update(FRAME)).toThrow('stepHeight');
});

describe('refused with what to do', () => {
  const { root } = object3DFromFigure(createHumanFigure(), { shapes: 'none' });
  test.each<[string, object, string]>([
    ['no ground', {}, 'options.ground'],
    ['a ground that is none', { ground: 5 }, 'ground'],
    ['an unknown option', { ground: () => 0, wieght: 1 }, 'options.wieght'],
    ['a weight that is no number', { ground: () => 0, weight: Number.NaN }, 'options.weight'],
    ['a step height of 0', { ground: () => 0, stepHeight: 0 }, 'options.stepHeight'],
    ['up without length', { ground: () => 0, up: [0, 0, 0] }, 'options.up'],
    ['a function across a leaning up', { ground: () => 0, up: [0, 1, 1] }, 'ground'],
    ['an unknown bone', { ground: () => 0, humanoid: { hips: 'hip' } }, 'options.bones.hips'],
  ])('%s', (_, options, path) => {
    expect(() => new FootPlanter(root, options as never)).toThrow(expect.objectContaining({ path }));
  });

  test('heights and times that are no numbers', () => {
    const planter = new FootPlanter(root, { ground: () => Number.NaN });
    expect(() => planter.update(FRAME)).toThrow(
      expect.objectContaining({ code: 'not-finite', path: 'ground' }),
    );
    planter.ground = () => 0;
    expect(() => planter.update(Number.NaN)).toThrow(expect.objectContaining({ path: 'update(seconds)' }));
    planter.update(FRAME);
  });
});
