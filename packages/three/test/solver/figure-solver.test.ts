import { FigureError, GoalError } from 'poise';
import { limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { missedGoals, positionGoal } from 'poise/ik';
import { quat } from 'poise/math';
import {
  type AnimationAction,
  AnimationClip,
  AnimationMixer,
  type Bone,
  Euler,
  Group,
  Object3D,
  Quaternion,
  QuaternionKeyframeTrack,
  Vector3,
  VectorKeyframeTrack,
} from 'three';
import { describe, expect, it } from 'vitest';
import {
  bindFigure,
  FigureSolver,
  FigureSolverWith,
  figureFromObject3D,
  type PointTarget,
  type SceneGoal,
} from '../../src/index.js';
import { bonesOf, createRandom, gap, placements, randomQuaternion, skinnedMesh, within } from '../support.js';

/** 64 frames a second: binary fractions, so that a clip of one second comes round to the same bit. */
const FRAME = 1 / 64;

const figure = createHumanFigure();

function rotate(x: number, y: number, z: number): number[] {
  return new Quaternion().setFromEuler(new Euler(x, y, z)).toArray();
}

/** One second of a body that sways and lowers its left arm; no track for elbow, hand, legs and head. */
function swaying(): AnimationClip {
  return new AnimationClip('sway', 1, [
    new VectorKeyframeTrack('hips.position', [0, 0.5, 1], [0, 0.91, 0, 0.03, 0.9, 0.02, 0, 0.91, 0]),
    new QuaternionKeyframeTrack(
      'spine.quaternion',
      [0, 0.5, 1],
      [rotate(0, 0, 0), rotate(0.2, 0, 0.05), rotate(0, 0, 0)].flat(),
    ),
    new QuaternionKeyframeTrack(
      'leftUpperArm.quaternion',
      [0, 0.5, 1],
      [rotate(0, 0, -0.9), rotate(0.3, 0.2, -1.1), rotate(0, 0, -0.9)].flat(),
    ),
  ]);
}

interface Stage {
  readonly root: Group;
  readonly bones: Record<string, Bone>;
  readonly mixer: AnimationMixer;
  readonly play: () => AnimationAction;
}

function stage(scale = 1): Stage {
  const { root, bones } = bonesOf(figure, scale);
  const mixer = new AnimationMixer(root);
  return { root, bones, mixer, play: () => mixer.clipAction(swaying()).play() };
}

/** Angle between two orientations; three's own angleTo goes by the arc cosine, which loses half the digits. */
function angle(a: Quaternion, b: Quaternion): number {
  return quat.angleBetween(a.toArray(), b.toArray());
}

function worldOf(object: Object3D): Vector3 {
  return object.getWorldPosition(new Vector3());
}

const reach = (target: PointTarget): SceneGoal<'position'> => ({
  type: 'position',
  bone: 'leftHand',
  target,
  tolerance: 1e-6,
});

describe('a solver over an animation', () => {
  it('keeps its pose bit for bit over 10,000 frames of a paused mixer', () => {
    for (const weight of [1, 0.4]) {
      const { root, bones, mixer, play } = stage();
      const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.45, 1.2, 0.35))], {
        weight,
      });
      play();
      mixer.update(0.3);
      solver.update(FRAME);
      const first = placements(Object.values(bones));
      mixer.timeScale = 0;
      for (let n = 0; n < 10_000; n++) {
        mixer.update(FRAME);
        solver.update(FRAME);
      }
      expect(placements(Object.values(bones))).toEqual(first);
    }
  });

  it('solve() leaves the objects unchanged, also between writes of the animation', () => {
    const { root, bones, mixer, play } = stage();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.45, 1.2, 0.35))]);
    play();
    for (let n = 0; n < 8; n++) {
      mixer.update(0.1);
      const written = placements(Object.values(bones));
      expect(solver.solve(FRAME).residuals[0].satisfied).toBe(true);
      expect(placements(Object.values(bones))).toEqual(written);
      if (n % 3 === 2) solver.update(FRAME);
    }
    solver.dispose();
    const left = placements(Object.values(bones));
    solver.restore();
    expect(placements(Object.values(bones))).toEqual(left);
  });

  it('returns to the same pose in each loop of a clip without tracks for the bones it moves', () => {
    for (const memory of [0, 0.25]) {
      const { root, bones, mixer, play } = stage();
      const target = new Vector3(0.4, 1.25, 0.4);
      const solver = new FigureSolver(bindFigure(figure, root), [reach(target)], { memory, weight: 0.7 });
      play();
      const rounds: number[][] = [];
      for (let n = 0; n < 10_048; n++) {
        mixer.update(FRAME);
        solver.update(FRAME);
        if (n % 64 === 20) rounds.push(placements(Object.values(bones)));
      }
      // With memory it takes some rounds until the beginning is forgotten.
      const settled = rounds.slice(12);
      for (const one of settled) expect(gap(one, settled[0])).toBeLessThan(memory === 0 ? 1e-300 : 1e-9);
    }
  });

  it('would not, if it read the objects as the animation', () => {
    const { root, bones, mixer, play } = stage();
    const binding = bindFigure(figure, root);
    const target = new Vector3(0.4, 1.25, 0.4);
    const goals = [reach(target)];
    play();
    mixer.update(0.3);
    mixer.timeScale = 0;
    root.updateMatrixWorld(true);
    const whole = worldOf(bones.leftHand).distanceTo(target);
    for (let n = 0; n < 40; n++) {
      mixer.update(FRAME);
      // A new solver takes what it finds for the animation.
      new FigureSolver(binding, goals, { weight: 0.3 }).update();
    }
    root.updateMatrixWorld(true);
    expect(whole).toBeGreaterThan(0.3);
    expect(worldOf(bones.leftHand).distanceTo(target)).toBeLessThan(0.01 * whole);
  });

  it('leaves the animation unchanged bit for bit at weight 0, and animatedPose at any weight', () => {
    const plain = stage();
    const solved = stage();
    const solver = new FigureSolver(bindFigure(figure, solved.root), [reach(new Vector3(0.4, 1.25, 0.4))], {
      weight: 0,
    });
    plain.play();
    solved.play();
    for (let n = 0; n < 200; n++) {
      solver.weight = n < 100 || n >= 150 ? 0 : 0.8;
      plain.mixer.update(FRAME);
      solved.mixer.update(FRAME);
      const { status } = solver.update(FRAME);
      expect(status).toBe('converged');
      const same = placements(Object.values(solved.bones)).every(
        (value, i) => value === placements(Object.values(plain.bones))[i],
      );
      expect(same).toBe(solver.weight === 0);
    }
  });

  it('reaches at weight 1, in a character of any size', () => {
    for (const scale of [1, 0.01, 3]) {
      const { root, bones, mixer, play } = stage(scale);
      const target = new Object3D();
      target.position.set(0.35, 1.3, 0.35).multiplyScalar(scale);
      const solver = new FigureSolver(bindFigure(figure, root), [reach(target)]);
      play();
      for (let n = 0; n < 100; n++) {
        mixer.update(FRAME);
        expect(solver.update(FRAME).status).toBe('converged');
        root.updateMatrixWorld(true);
        expect(worldOf(bones.leftHand).distanceTo(worldOf(target))).toBeLessThan(1.001e-6 * scale);
      }
    }
  });

  it('rotates each joint from the animation to the solution in proportion to the weight', () => {
    const { root, bones, mixer, play } = stage();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.2, 1.5, 0.4))]);
    play();
    mixer.update(0.3);
    mixer.timeScale = 0;
    solver.update();
    const moved = Object.values(bones);
    const solution = moved.map(({ quaternion }) => quaternion.clone());
    solver.weight = 0;
    solver.update();
    const animated = moved.map(({ quaternion }) => quaternion.clone());
    for (let step = 0; step <= 10; step++) {
      solver.weight = step / 10;
      mixer.update(FRAME);
      solver.update();
      moved.forEach(({ quaternion }, n) => {
        const whole = angle(animated[n], solution[n]);
        expect(angle(animated[n], quaternion)).toBeCloseTo(solver.weight * whole, 12);
        expect(angle(quaternion, solution[n])).toBeCloseTo((1 - solver.weight) * whole, 12);
      });
    }
  });

  it('keeps the animation of bones that no goal moves, even beyond their limits', () => {
    const { root, bones } = stage();
    // A left elbow turned about the wrong axis, and a knee bent the wrong way.
    bones.rightLowerArm.quaternion.setFromEuler(new Euler(0.4, 0.3, 0.2));
    bones.rightLowerLeg.quaternion.setFromEuler(new Euler(-0.5, 0, 0));
    const before = placements([bones.rightLowerArm, bones.rightLowerLeg, bones.head]);
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.4, 1.25, 0.4))]);
    expect(solver.update().status).toBe('converged');
    expect(placements([bones.rightLowerArm, bones.rightLowerLeg, bones.head])).toEqual(before);
    // The left arm moved, within its limits.
    const arm = solver.pose.slice();
    for (const bone of figure.bones) {
      if (!bone.name.startsWith('left')) arm.fill(0, bone.coordinate, bone.coordinate + bone.dof);
    }
    expect(limitViolation(figure, arm)).toBeLessThan(1e-12);
  });

  it('reads transforms written to an object at any time, by any code', () => {
    const { root, bones } = stage();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.4, 1.25, 0.4))], {
      weight: 0.5,
    });
    solver.update();
    const pose = new Quaternion().setFromEuler(new Euler(0.1, -0.2, 0.3));
    bones.leftUpperArm.quaternion.copy(pose);
    solver.update();
    solver.restore();
    expect(bones.leftUpperArm.quaternion.toArray()).toEqual(pose.toArray());
    expect(bones.leftLowerArm.quaternion.equals(new Quaternion())).toBe(true);
  });

  it('works on objects with matrixAutoUpdate false', () => {
    const { root, bones } = stage();
    for (const bone of Object.values(bones)) {
      bone.matrixAutoUpdate = false;
      bone.updateMatrix();
    }
    const animated = bones.leftUpperArm.matrix.clone();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.4, 1.25, 0.4))], {
      weight: 0.5,
    });
    solver.update();
    const first = bones.leftUpperArm.matrix.clone();
    for (let n = 0; n < 100; n++) {
      root.updateMatrixWorld(true);
      solver.update();
    }
    expect(bones.leftUpperArm.matrix.equals(first)).toBe(true);
    expect(first.equals(animated)).toBe(false);
    bones.leftUpperArm.matrix.makeRotationZ(-0.5);
    solver.update();
    solver.weight = 0;
    solver.update();
    expect(
      bones.leftUpperArm.quaternion.angleTo(new Quaternion().setFromEuler(new Euler(0, 0, -0.5))),
    ).toBeLessThan(1e-7);
  });

  it('gives the same bits for the same frames', () => {
    const run = () => {
      const { root, bones, mixer, play } = stage();
      const target = new Vector3();
      const solver = new FigureSolver(bindFigure(figure, root), [reach(target)], { weight: 0.9 });
      play();
      for (let n = 0; n < 200; n++) {
        target.set(0.3 + 0.1 * Math.sin(0.05 * n), 1.3, 0.3 + 0.1 * Math.cos(0.07 * n));
        mixer.update(FRAME);
        solver.update(FRAME);
      }
      return placements(Object.values(bones));
    };
    expect(run()).toEqual(run());
  });
});

describe('after an error', () => {
  it('a solver continues from the animation', () => {
    const { root, bones, mixer, play } = stage();
    const target = new Vector3(0.4, 1.25, 0.4);
    const solver = new FigureSolver(bindFigure(figure, root), [reach(target)], { weight: 0.5, memory: 0 });
    play();
    mixer.update(0.3);
    mixer.timeScale = 0;
    solver.update();
    const first = placements(Object.values(bones));
    for (let n = 0; n < 5; n++) {
      target.x = Number.NaN;
      mixer.update(FRAME);
      expect(() => solver.update()).toThrow(GoalError);
      target.x = 0.4;
      mixer.update(FRAME);
      solver.update();
      expect(placements(Object.values(bones))).toEqual(first);
    }
    // A bone that is not finite is named, and heals.
    const before = bones.spine.quaternion.clone();
    bones.spine.quaternion.set(Number.NaN, 0, 0, 1);
    expect(() => solver.update()).toThrow(
      expect.objectContaining({ code: 'not-finite', path: "Bone 'spine'" }),
    );
    bones.spine.quaternion.copy(before);
    expect(solver.update().status).toBe('converged');
    for (const value of placements(Object.values(bones))) expect(value).not.toBeNaN();
  });
});

describe('two solvers on one character', () => {
  it("stack: the second reads the first's output, and neither drifts", () => {
    const { root, bones, mixer, play } = stage();
    const binding = bindFigure(figure, root);
    const hand = new FigureSolver(binding, [reach(new Vector3(0.4, 1.25, 0.4))], {
      locked: ['hips', 'spine'],
    });
    const head: SceneGoal = {
      type: 'points-at',
      bone: 'head',
      axis: [0, 0, 1],
      target: new Vector3(1, 1.4, 1),
    };
    const look = new FigureSolver(binding, [head], { weight: 0.5, locked: ['hips'] });
    play();
    mixer.update(0.3);
    hand.update();
    look.update();
    const first = placements(Object.values(bones));
    mixer.timeScale = 0;
    for (let n = 0; n < 1000; n++) {
      mixer.update(FRAME);
      hand.update();
      look.update();
    }
    expect(placements(Object.values(bones))).toEqual(first);
    look.dispose();
    root.updateMatrixWorld(true);
    expect(worldOf(bones.leftHand).distanceTo(new Vector3(0.4, 1.25, 0.4))).toBeLessThan(1e-6);
    hand.dispose();
    const plain = stage();
    plain.play();
    plain.mixer.update(0.3);
    expect(placements(Object.values(bones))).toEqual(placements(Object.values(plain.bones)));
  });
});

describe('goals in the scene', () => {
  it('follow an object under parents that move, rotate and scale, in a character that does', () => {
    const random = createRandom(51);
    const { root, bones } = stage();
    const scene = new Group();
    const carrier = new Group();
    const target = new Object3D();
    scene.add(root, carrier);
    carrier.add(target);
    target.position.set(0.2, 0.1, 0);
    const solver = new FigureSolver(
      bindFigure(figure, root),
      [reach(target), { type: 'orientation', bone: 'leftHand', target, tolerance: 1e-6 }],
      { locked: ['hips'], memory: 0, restarts: 30 },
    );
    let reached = 0;
    for (let n = 0; n < 40; n++) {
      root.position.set(within(random, 2), within(random, 2), within(random, 2));
      root.quaternion.copy(randomQuaternion(random));
      root.scale.setScalar(0.5 + random());
      // Where the hand can be, by way of the carrier and not of the target.
      root.updateMatrixWorld(true);
      carrier.scale.setScalar(0.3 + random());
      carrier.quaternion.copy(randomQuaternion(random));
      carrier.position.set(0, 0, 0);
      carrier.updateMatrixWorld(true);
      const wanted = new Vector3(0.35 + within(random, 0.1), 1.3 + within(random, 0.15), 0.3).applyMatrix4(
        root.matrixWorld,
      );
      carrier.position.copy(wanted.sub(worldOf(target)));
      const rotation = new Quaternion().setFromEuler(
        new Euler(within(random, 0.2), -0.8 + within(random, 0.2), within(random, 0.2)),
      );
      target.quaternion.copy(carrier.quaternion).invert().multiply(root.quaternion).multiply(rotation);
      const { status } = solver.update();
      scene.updateMatrixWorld(true);
      if (status !== 'converged') continue;
      reached++;
      expect(worldOf(bones.leftHand).distanceTo(worldOf(target))).toBeLessThan(2e-6);
      const [a, b] = [bones.leftHand, target].map((object) => object.getWorldQuaternion(new Quaternion()));
      expect(a.angleTo(b)).toBeLessThan(2e-6);
    }
    // A hand has not every orientation everywhere.
    expect(reached).toBeGreaterThan(30);
  });

  it('are the same for every form of a target', () => {
    const object = new Object3D();
    object.position.set(0.35, 1.3, 0.35);
    object.quaternion.setFromEuler(new Euler(0.1, 0.2, -0.3));
    const points = [
      object,
      object.position,
      { position: object.position },
      object.position.toArray(),
      Float64Array.of(0.35, 1.3, 0.35),
    ];
    const rotations = [
      object,
      object.quaternion,
      { quaternion: object.quaternion },
      object.quaternion.toArray(),
      object.quaternion.toArray(),
    ];
    const poses = points.map((point, n) => {
      const { root, bones } = stage();
      const solver = new FigureSolver(bindFigure(figure, root), [
        { type: 'position', bone: n % 2 === 0 ? 'leftHand' : bones.leftHand, target: point },
        { type: 'orientation', bone: 'leftHand', target: rotations[n] },
      ]);
      solver.update();
      return solver.pose;
    });
    for (const pose of poses) expect(gap(pose, poses[0])).toBeLessThan(1e-12);
  });

  it('take an object below a bone of the figure as a point of that bone', () => {
    const { root, bones } = stage();
    const knee = new Object3D();
    bones.rightLowerLeg.add(knee);
    knee.position.set(0, 0.02, 0.07);
    // The leg stands bent when the solver is made.
    bones.rightUpperLeg.quaternion.setFromEuler(new Euler(-1.4, 0, 0));
    const solver = new FigureSolver(bindFigure(figure, root), [{ ...reach(knee), bone: bones.rightHand }], {
      restarts: 16,
    });
    for (let n = 0; n < 5; n++) {
      bones.rightUpperLeg.quaternion.setFromEuler(new Euler(-1.4 + 0.05 * n, 0, 0.02 * n));
      expect(solver.update().status).toBe('converged');
      root.updateMatrixWorld(true);
      expect(worldOf(bones.rightHand).distanceTo(worldOf(knee))).toBeLessThan(1e-5);
    }
  });

  it('may have their target replaced while the solver runs', () => {
    const { root, bones } = stage();
    const goal = reach(new Vector3(0.35, 1.3, 0.35));
    const solver = new FigureSolver(bindFigure(figure, root), [goal]);
    solver.update();
    const other = new Object3D();
    other.position.set(0.3, 1.1, 0.4);
    goal.target = other;
    solver.update();
    root.updateMatrixWorld(true);
    expect(worldOf(bones.leftHand).distanceTo(other.position)).toBeLessThan(1e-5);
  });

  it('reach through mirrored and scaled bones', () => {
    const { scene, armature, bones } = skinnedMesh();
    armature.scale.set(0.01, 0.01, -0.01);
    bones.Spine.scale.setScalar(1.3);
    bones.Shoulder.scale.set(-0.9, 0.9, 0.9);
    scene.updateMatrixWorld(true);
    const { figure: own } = figureFromObject3D(scene);
    const target = worldOf(bones.Shoulder).add(new Vector3(0.1, 0.15, -0.2));
    const solver = new FigureSolver(
      bindFigure(own, scene),
      [{ type: 'position', bone: 'Hand', target, tolerance: 1e-7 }],
      {
        locked: ['Hips'],
      },
    );
    expect(solver.update().status).toBe('converged');
    scene.updateMatrixWorld(true);
    expect(worldOf(bones.Hand).distanceTo(target)).toBeLessThan(2e-7);
    solver.weight = 0;
    const before = placements(Object.values(bones));
    solver.update();
    expect(placements(Object.values(bones))).not.toEqual(before);
  });
});

describe('a goal with a blend below 1', () => {
  const handOf = (blend: number, goals: readonly SceneGoal[] = []) => {
    const { root, bones } = stage();
    const target = new Vector3(0.3, 1.55, 0.3);
    const solver = new FigureSolver(bindFigure(figure, root), [...goals, { ...reach(target), blend }], {
      locked: ['hips'],
    });
    for (let n = 0; n < 3; n++) expect(solver.update().status).toBe('converged');
    root.updateMatrixWorld(true);
    return worldOf(bones.leftHand);
  };

  it('moves the hand by that fraction, in every frame', () => {
    const [from, to] = [handOf(0), handOf(1)];
    for (const blend of [1e-6, 0.1, 0.5, 0.9, 1 - 1e-6]) {
      expect(handOf(blend).distanceTo(from.clone().lerp(to, blend))).toBeLessThan(1e-5);
    }
  });

  it('starts from the solution of the other goals', () => {
    const rotation = new Quaternion().setFromEuler(new Euler(0.2, 0.3, 0));
    const lean: SceneGoal = { type: 'orientation', bone: 'upperChest', target: rotation, tolerance: 1e-7 };
    const [alone, leaning] = [handOf(0), handOf(0, [lean])];
    expect(alone.distanceTo(leaning)).toBeGreaterThan(0.03);
    expect(handOf(1e-6, [lean]).distanceTo(leaning)).toBeLessThan(1e-4);
    const half = leaning.clone().lerp(new Vector3(0.3, 1.55, 0.3), 0.5);
    expect(handOf(0.5, [lean]).distanceTo(half)).toBeLessThan(1e-5);
  });

  it('rotates an orientation and a line of sight by the same fraction', () => {
    const target = new Quaternion().setFromEuler(new Euler(0.2, 0.5, 0.1));
    const aim = new Vector3(1.2, 1.7, 1.1);
    for (const blend of [0, 0.25, 0.5, 1]) {
      const { root, bones } = stage();
      const solver = new FigureSolver(
        bindFigure(figure, root),
        [
          { type: 'orientation', bone: 'head', target, blend, tolerance: 1e-9 },
          { type: 'points-at', bone: 'leftUpperArm', axis: [1, 0, 0], target: aim, blend, tolerance: 1e-9 },
        ],
        { locked: ['hips', 'spine', 'chest', 'upperChest', 'leftShoulder'] },
      );
      root.updateMatrixWorld(true);
      const start = worldOf(bones.leftUpperArm);
      solver.update();
      root.updateMatrixWorld(true);
      const rotation = bones.head.getWorldQuaternion(new Quaternion());
      expect(rotation.angleTo(new Quaternion())).toBeCloseTo(blend * target.angleTo(new Quaternion()), 6);
      const sight = new Vector3(1, 0, 0).transformDirection(bones.leftUpperArm.matrixWorld);
      const wanted = aim
        .clone()
        .sub(start)
        .angleTo(new Vector3(1, 0, 0));
      expect(sight.angleTo(new Vector3(1, 0, 0))).toBeCloseTo(blend * wanted, 6);
    }
  });

  it('gives the index of the goal of each residual', () => {
    const { root } = stage();
    const goals: SceneGoal[] = [
      { ...reach(new Vector3(0.3, 1.3, 0.3)), blend: 0 },
      { ...reach(new Vector3(-9, 1, 0)), bone: 'rightHand' },
    ];
    const solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'] });
    const { residuals, status } = solver.update();
    expect(residuals.map(({ index, bone }) => [index, bone])).toEqual([[1, 'rightHand']]);
    expect(['limit-blocked', 'out-of-reach']).toContain(status);
    goals[1].blend = 0;
    expect(solver.update()).toMatchObject({ status: 'converged', residuals: [] });
    expect(solver.pose).toEqual(solver.animatedPose);
  });
});

describe('what is missed beside an animation at the limits', () => {
  it('is not converged by less than anybody sees, and missedGoals names what is more', () => {
    const { root, bones, mixer, play } = stage();
    play();
    // A target beyond the straight arm by half a millimetre, then by 8 cm.
    const reachOf = figure.bones
      .filter(({ name }) => name === 'rightLowerArm' || name === 'rightHand')
      .reduce((sum, { rest }) => sum + Math.hypot(...rest.position), 0);
    const target = new Vector3();
    const solver = new FigureSolver(
      bindFigure(figure, root),
      [{ type: 'position', bone: 'rightHand', target }],
      { locked: ['hips', 'spine', 'chest', 'upperChest', 'rightShoulder'] },
    );
    for (const [beyond, seen] of [
      [0.0005, 0],
      [0.08, 1],
    ]) {
      let misses = 0;
      for (let n = 0; n < 64; n++) {
        mixer.update(FRAME);
        root.updateMatrixWorld(true);
        target.copy(worldOf(bones.rightUpperArm)).add(new Vector3(-reachOf - beyond, 0, 0));
        const result = solver.update(FRAME);
        if (result.status !== 'converged') misses++;
        const missed = missedGoals(result, { distance: 0.002 });
        expect(missed.map(({ bone }) => bone)).toEqual(seen === 0 ? [] : ['rightHand']);
        expect(missedGoals(result)[0].value).toBeCloseTo(beyond, 4);
        if (seen > 0) expect(missed[0].text).toBe('rightHand, position: 80 mm');
      }
      expect(misses).toBe(64);
    }
  });
});

describe('the end of a solver', () => {
  it('returns the objects to the animation and leaves no layers', () => {
    const { root, bones } = stage();
    const before = placements(Object.values(bones));
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.3, 1.3, 0.3))]);
    solver.update();
    expect(placements(Object.values(bones))).not.toEqual(before);
    solver.dispose();
    solver.dispose();
    expect(placements(Object.values(bones))).toEqual(before);
    expect(() => solver.update()).toThrow(GoalError);
  });

  it('leaves objects unchanged if the constructor throws', () => {
    const { root, bones } = stage();
    const before = placements(Object.values(bones));
    const wrong = { ...reach(new Vector3()), target: 'ball' } as unknown as SceneGoal;
    expect(() => new FigureSolver(bindFigure(figure, root), [wrong])).toThrow(GoalError);
    expect(placements(Object.values(bones))).toEqual(before);
  });

  it('lets a mixer fade in from the animation, not from the solution, after restore()', () => {
    const { root, bones, mixer, play } = stage();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.3, 1.3, 0.3))]);
    solver.update();
    solver.restore();
    play().setEffectiveWeight(0.5);
    mixer.update(0);
    const half = new Quaternion().slerp(new Quaternion().fromArray(rotate(0, 0, -0.9)), 0.5);
    expect(bones.leftUpperArm.quaternion.angleTo(half)).toBeLessThan(1e-7);
  });
});

describe('invalid arguments', () => {
  const make = (goal: object, options = {}) => {
    const { root } = stage();
    return () => new FigureSolver(bindFigure(figure, root), [goal as SceneGoal], options);
  };

  it('are errors with the path and the nearest name', () => {
    expect(make({ ...reach(new Vector3()), bone: 'leftHnd' })).toThrow(
      /goals\[0\]\.bone.*Did you mean 'leftHand'/,
    );
    expect(make(reach(new Vector3()), { locked: ['hip'] })).toThrow(/options\.locked\[0\].*'hips'/);
    const { root, bones } = stage();
    bones.leftHand.name = 'left_hand_01';
    expect(() => bindFigure(figure, root)).toThrow(FigureError);
    expect(() => bindFigure(figure, root)).toThrow(/'leftHand'.*Did you mean 'left_hand_01'/);
    expect(make({ ...reach(new Vector3()), bone: new Object3D() })).toThrow(/goals\[0\]\.bone/);
  });

  it('in fields name the nearest one, blend among them', () => {
    expect(make({ ...reach(new Vector3()), blned: 0.5 })).toThrow(
      "goals[0].blned: is not a known field. Did you mean 'blend'?",
    );
    expect(make({ ...reach(new Vector3()), opacity: 0.5 })).toThrow(/The fields are type, .*blend/);
  });

  it('in targets list the valid forms', () => {
    for (const target of [undefined, null, 'ball', {}, [1, 2], { position: 3 }]) {
      expect(make({ ...reach(new Vector3()), target })).toThrow(/goals\[0\]\.target/);
      expect(make({ ...reach(new Vector3()), target })).toThrow(GoalError);
    }
    expect(make({ type: 'orientation', bone: 'head', target: new Vector3() })).toThrow(/Quaternion/);
    const lost = make(reach(new Vector3(Number.NaN)))();
    expect(() => lost.update()).toThrow(/goals\[0\]\.target/);
    expect(make(null as unknown as object)).toThrow(GoalError);
  });

  it('in weights, blends and times are typed errors; small overshoots are clamped', () => {
    const { root } = stage();
    const goal = reach(new Vector3(0.3, 1.3, 0.3));
    const solver = new FigureSolver(bindFigure(figure, root), [goal], { weight: 1.001 });
    solver.update();
    goal.blend = -1e-9;
    solver.update();
    goal.blend = Number.NaN;
    expect(() => solver.update()).toThrow(/goals\[0\]\.blend/);
    goal.blend = 1;
    solver.weight = Number.NaN;
    expect(() => solver.update()).toThrow(/weight/);
    solver.weight = 1;
    expect(() => solver.update(Number.NaN)).toThrow(GoalError);
    expect(() => solver.update('1' as unknown as number)).toThrow(GoalError);
    solver.memory = Number.NaN;
    expect(() => solver.update()).toThrow(/memory/);
  });
});

describe('negative time steps', () => {
  it('count like positive ones', () => {
    const run = (sign: number) => {
      const { root, bones, mixer, play } = stage();
      const target = new Vector3();
      const solver = new FigureSolver(bindFigure(figure, root), [reach(target)]);
      play();
      mixer.update(0.5);
      for (let n = 0; n < 20; n++) {
        target.set(0.3 + 0.01 * n, 1.3, 0.4);
        // A clip that is played there and back is the same on both sides of its middle.
        mixer.update(sign * FRAME);
        expect(solver.update(sign * FRAME).status).toBe('converged');
      }
      return placements(Object.values(bones));
    };
    expect(gap(run(-1), run(1))).toBeLessThan(1e-9);
    const { root } = stage();
    const solver = new FigureSolver(bindFigure(figure, root), [reach(new Vector3(0.3, 1.3, 0.4))]);
    for (const seconds of [-0.001, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      solver.memory = seconds === 0 ? 0 : Number.POSITIVE_INFINITY;
      expect(solver.update(seconds).status).toBe('converged');
    }
  });
});

describe('a solver with some goal types only', () => {
  it('solves like FigureSolver, and refuses other goal types', () => {
    const made = { goalTypes: { position: positionGoal } };
    const poses = [0, 1].map((kind) => {
      const { root } = stage();
      const goals = [reach(new Vector3(0.4, 1.25, 0.4))];
      const binding = bindFigure(figure, root);
      const solver =
        kind === 0 ? new FigureSolver(binding, goals) : new FigureSolverWith(binding, goals, made);
      expect(solver.update().status).toBe('converged');
      return solver.pose;
    });
    expect(poses[0]).toEqual(poses[1]);
    const { root } = stage();
    const goal: SceneGoal = { type: 'orientation', bone: 'head', target: [0, 0, 0, 1] };
    expect(() => new FigureSolverWith(bindFigure(figure, root), [goal], made)).toThrow(/goals\[0\]\.type/);
  });
});
