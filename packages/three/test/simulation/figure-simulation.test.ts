import { createActiveRagdoll, createRagdoll, stepActiveRagdoll } from 'poise/dynamics';
import { createFigure, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { Group, Object3D, Quaternion, Raycaster, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { FigureSimulation, type RagdollBinding } from '../../src/index.js';
import { bonesOf, gap, placements } from '../support.js';
import { gapToState, humanScene, run, skinOn } from './support.js';

const FORWARD = new Vector3(0, 0, -1);

/** One human that has been started, in a simulation of its own. */
function started(options: ConstructorParameters<typeof FigureSimulation>[0] = {}, height = 0.3) {
  const { root, bones, scene } = humanScene();
  root.position.y = height;
  const simulation = new FigureSimulation(options);
  const ragdoll = simulation.add(root);
  simulation.start(ragdoll);
  return { root, bones, scene, simulation, ragdoll };
}

const sizes = (values: Float64Array, from: number): number => Math.hypot(...values.subarray(from, from + 3));

describe('a character that falls', () => {
  it('has the same world pose in the scene and in the simulation, whatever the scale of root and scene', () => {
    const { height } = new FigureSimulation().add(humanScene().root).ragdoll;
    for (const [inner, outer, metersPerUnit] of [
      [1, 1, 1],
      [100, 0.01, 1],
      [100, 1, 0.01],
      [3, 0.5, 1],
    ]) {
      const { root, scene } = humanScene(inner, outer);
      scene.rotation.set(0, 0.6, 0);
      root.position.set(0.3, 0.4, -0.2).divideScalar(metersPerUnit);
      root.rotation.set(0.4, -0.7, 0.2);
      scene.updateMatrixWorld(true);
      const simulation = new FigureSimulation({ metersPerUnit });
      const ragdoll = simulation.add(root);
      expect(ragdoll.ragdoll.height / (inner * outer * metersPerUnit)).toBeCloseTo(height, 9);
      expect(gapToState(ragdoll, simulation, scene)).toBeLessThan(1e-9);
      simulation.start(ragdoll);
      run(simulation, 1.5, (frame) => {
        if (frame > 0) expect(gapToState(ragdoll, simulation, scene)).toBeLessThan(1e-9);
        // Moving an object above the bones does not move a simulated character.
        if (frame === 20) root.position.x += 0.7 / metersPerUnit;
        if (frame === 30) scene.rotation.y -= 1;
      });
      expect(ragdoll.state.worldFromBone[10]).toBeLessThan(0.6 * inner * outer * metersPerUnit);
    }
  });

  it('falls along the up of its scene onto a floor without a normal', () => {
    const fallen = (lie: boolean) => {
      const { root, scene } = humanScene();
      if (lie) scene.rotation.x = Math.PI / 2;
      root.position.y = 0.2;
      scene.updateMatrixWorld(true);
      const simulation = new FigureSimulation();
      const ragdoll = simulation.add(root);
      simulation.start(ragdoll);
      run(simulation, 0.4, () => {});
      return { simulation, height: ragdoll.state.worldFromBone[lie ? 11 : 10] };
    };
    const expected = fallen(false);
    Object3D.DEFAULT_UP.set(0, 0, 1);
    try {
      const { simulation, height } = fallen(true);
      expect([simulation.up, Array.from(simulation.gravity)]).toEqual([
        [0, 0, 1],
        [0, 0, -9.81],
      ]);
      expect(height).toBeCloseTo(expected.height, 6);
    } finally {
      Object3D.DEFAULT_UP.set(0, 1, 0);
    }
  });

  it('is shown interpolated between its last two states', () => {
    const { simulation, ragdoll, scene } = started();
    const dt = simulation.timeStep;
    for (let n = 0; n < 40; n++) simulation.update(dt);
    const [before] = [ragdoll.pose.slice()];
    simulation.update(dt);
    expect(gap(ragdoll.shownPose, before)).toBeLessThan(1e-15);
    const after = ragdoll.pose.slice();
    simulation.update(0.25 * dt);
    expect(simulation.steps).toBe(0);
    for (let i = 0; i < 3; i++) {
      expect(ragdoll.shownPose[i]).toBeCloseTo(before[i] + 0.25 * (after[i] - before[i]), 12);
    }
    expect(gapToState(ragdoll, simulation, scene)).toBeLessThan(1e-9);
  });

  it('moves the same, bit for bit, at any frame rate and in every run', () => {
    const motionOf = (frames: (n: number) => number): Float64Array => {
      const { simulation, ragdoll } = started();
      let steps = 0;
      for (let n = 0; steps < 120; n++) {
        simulation.update(Math.min(frames(n), (120 - steps) * simulation.timeStep));
        steps += simulation.steps;
      }
      expect(simulation.simulation?.time).toBeCloseTo(1, 12);
      return ragdoll.pose.slice();
    };
    const wanted = motionOf(() => 1 / 60);
    expect(
      gap(
        motionOf(() => 1 / 60),
        wanted,
      ),
    ).toBe(0);
    expect(
      gap(
        motionOf(() => 1 / 24),
        wanted,
      ),
    ).toBe(0);
    expect(
      gap(
        motionOf((n) => (n % 3 === 0 ? 0.031 : 0.004)),
        wanted,
      ),
    ).toBe(0);
  });

  it('takes at most the steps of one update after a long pause', () => {
    const { simulation, ragdoll } = started({ maxSubSteps: 6 }, 3);
    simulation.update(100);
    expect(simulation.steps).toBe(6);
    expect(simulation.simulation?.time).toBeCloseTo(6 / 120, 12);
    simulation.update(1 / 120);
    expect(simulation.steps).toBe(1);
    expect(ragdoll.active).toBe(true);
  });

  it('comes to rest on the floor, within its limits, and sleeps', () => {
    const { simulation, ragdoll } = started();
    run(simulation, 6, () => {
      expect(limitViolation(ragdoll.figure, ragdoll.pose)).toBeLessThan(1e-9);
    });
    const actor = simulation.actorOf(ragdoll);
    expect(actor?.asleep).toBe(true);
    for (const { index } of ragdoll.figure.bones) {
      expect(ragdoll.state.worldFromBone[12 * index + 10]).toBeGreaterThan(0);
    }
    simulation.gravity = [0, 2, 0];
    run(simulation, 0.5);
    expect(simulation.actorOf(ragdoll)?.asleep).toBe(false);
    expect(ragdoll.velocity[1]).toBeGreaterThan(0.5);
  });
});

describe('switching between animation and physics', () => {
  it('starts with the pose and velocity of the animation', () => {
    const { root, bones, scene } = humanScene();
    const simulation = new FigureSimulation({ gravity: [0, 0, 0], world: [] });
    const ragdoll = simulation.add(root);
    const dt = 1 / 60;
    const animate = (t: number): void => {
      root.position.set(2 * t, 1, -0.5 * t);
      root.rotation.y = 3 * t;
      bones.leftLowerArm.rotation.y = -0.3 - 2 * t;
      bones.head.rotation.x = 0.2 * Math.sin(5 * t);
    };
    for (let n = 0; n <= 10; n++) {
      animate(n * dt);
      simulation.update(dt);
    }
    scene.updateMatrixWorld(true);
    const shown = Object.values(bones).map((bone) => bone.matrixWorld.clone());
    simulation.start(ragdoll);
    simulation.update(0);
    scene.updateMatrixWorld(true);
    Object.values(bones).forEach((bone, k) => {
      expect(gap(bone.matrixWorld.elements, shown[k].elements), bone.name).toBeLessThan(1e-9);
    });
    const actor = simulation.actorOf(ragdoll);
    const hips = ragdoll.figure.bones.findIndex(({ name }) => name === 'hips');
    const { coordinate } = ragdoll.figure.bones[hips];
    // The hips stand over the root.
    expect(gap(ragdoll.velocity.subarray(coordinate, coordinate + 6), [2, 0, -0.5, 0, 3, 0])).toBeLessThan(
      1e-6,
    );
    expect(gap(actor?.velocity ?? [], ragdoll.velocity)).toBe(0);
    const elbow = ragdoll.figure.bones.find(({ name }) => name === 'leftLowerArm');
    expect(elbow?.joint.type).toBe('hinge');
    expect(Math.abs(ragdoll.velocity[elbow?.coordinate ?? 0])).toBeCloseTo(2, 6);
    const head = ragdoll.figure.bones.find(({ name }) => name === 'head')?.coordinate ?? 0;
    expect(sizes(ragdoll.velocity, head)).toBeCloseTo(0.2 * 5 * Math.cos(5 * (10 / 60 - dt / 2)), 3);
    // And drifts on.
    const center = actor?.work.energy.centerVelocity.slice() ?? [];
    run(simulation, 0.5);
    expect(gap(simulation.actorOf(ragdoll)?.work.energy.centerVelocity ?? [], center)).toBeLessThan(1e-3);
  });

  it('starts at rest where asked to, after a jump, and from one pose', () => {
    const { root } = humanScene();
    const simulation = new FigureSimulation();
    const ragdoll = simulation.add(root);
    simulation.update(1 / 60);
    root.position.set(5, 0, 0);
    simulation.update(1 / 60);
    simulation.start(ragdoll, { momentum: false });
    expect(sizes(ragdoll.velocity, 0)).toBe(0);
    const other = simulation.add(humanScene().root);
    simulation.start(other);
    expect(Math.max(...other.velocity)).toBe(0);
  });

  it('returns the objects to the animation, bit for bit', () => {
    const { simulation, ragdoll, bones } = started();
    const before = placements(Object.values(bones));
    run(simulation, 0.4);
    expect(gap(placements(Object.values(bones)), before)).toBeGreaterThan(0.1);
    simulation.stop(ragdoll);
    expect(placements(Object.values(bones))).toEqual(before);
    expect(simulation.simulation).toBeUndefined();
    expect(simulation.update(1 / 60)).toBeUndefined();
    simulation.start(ragdoll);
    run(simulation, 0.4);
    // An animation that goes on meanwhile is what is given back.
    bones.leftHand.quaternion.set(0, 0.6, 0, 0.8);
    simulation.update(1 / 60);
    simulation.remove(ragdoll);
    expect(bones.leftHand.quaternion.toArray()).toEqual([0, 0.6, 0, 0.8]);
    expect(simulation.ragdolls).toEqual([]);
    simulation.dispose();
  });

  it('is written by weight, for all and for each bone', () => {
    const { simulation, ragdoll, bones } = started();
    const index = (name: string) => ragdoll.figure.bones.findIndex((bone) => bone.name === name);
    const rest = bones.head.quaternion.clone();
    ragdoll.weights[index('head')] = 0;
    ragdoll.weights[index('leftUpperArm')] = 0.5;
    run(simulation, 0.5);
    expect(bones.head.quaternion.toArray()).toEqual(rest.toArray());
    const half = bones.leftUpperArm.quaternion.clone();
    const { shownPose } = ragdoll;
    ragdoll.weights.fill(1);
    simulation.update(0);
    expect(gap(ragdoll.shownPose, shownPose)).toBe(0);
    const full = bones.leftUpperArm.quaternion.clone();
    const animated = new Quaternion();
    expect(half.angleTo(animated)).toBeCloseTo(0.5 * full.angleTo(animated), 9);
    ragdoll.weight = 0;
    simulation.update(0);
    expect(bones.hips.position.toArray()).toEqual(humanScene().bones.hips.position.toArray());
    ragdoll.weight = 1.5;
    expect(() => simulation.update(0)).toThrow(expect.objectContaining({ code: 'out-of-range' }));
  });

  it('leaves motionless bones such as fingers to the animation', () => {
    const { root, bones } = humanScene();
    const finger = bones.leftHand.clone();
    finger.name = 'leftIndexProximal';
    finger.position.set(0.08, 0, 0);
    finger.quaternion.identity();
    bones.leftHand.add(finger);
    const simulation = new FigureSimulation();
    const ragdoll = simulation.add(root);
    expect(ragdoll.figure.bones.find(({ name }) => name === finger.name)?.dof).toBe(0);
    simulation.start(ragdoll);
    run(simulation, 0.2, () => finger.quaternion.set(0, 0, 0.6, 0.8));
    expect(finger.quaternion.toArray()).toEqual([0, 0, 0.6, 0.8]);
  });
});

describe('an active ragdoll', () => {
  it('follows the animation by torques, read below the output of physics', () => {
    const { root, bones } = humanScene();
    let doll: ReturnType<typeof createActiveRagdoll> | undefined;
    const simulation: FigureSimulation = new FigureSimulation({
      beforeStep: (_, dt) => {
        if (doll) stepActiveRagdoll(doll, ragdoll.animatedPose, dt);
      },
    });
    const ragdoll = simulation.add(root);
    simulation.update(1 / 60);
    simulation.start(ragdoll);
    if (!simulation.simulation) throw new Error('nothing started');
    doll = createActiveRagdoll(simulation.simulation, ragdoll.index);
    const elbow = ragdoll.figure.bones.find(({ name }) => name === 'leftLowerArm');
    const bent = new Quaternion().setFromAxisAngle(new Vector3(0, -1, 0), 0.8);
    // As a mixer does: what has changed is written.
    run(simulation, 1.5, (frame) => {
      if (frame === 10) bones.leftLowerArm.quaternion.copy(bent);
    });
    const { coordinate } = elbow ?? { coordinate: -1 };
    expect(Math.abs(ragdoll.animatedPose[coordinate])).toBeCloseTo(0.8, 9);
    expect(Math.abs(ragdoll.pose[coordinate])).toBeCloseTo(0.8, 1);
    // It stands.
    const head = ragdoll.figure.bones.findIndex(({ name }) => name === 'head');
    expect(ragdoll.state.worldFromBone[12 * head + 10]).toBeGreaterThan(1.4);
    simulation.stop(ragdoll);
    expect(bones.leftLowerArm.quaternion.toArray()).toEqual(bent.toArray());
  });
});

describe('impulses and grabs', () => {
  const ray = (x: number, y: number): Raycaster => new Raycaster(new Vector3(x, y, 5), FORWARD);

  it('applies the impulse to the bone of the skin that a ray hits, and starts the character', () => {
    const { root, bones, scene } = humanScene();
    const skin = skinOn(root, bones.leftLowerArm, new Vector3(0.2, 0, 0), 0.05);
    const simulation = new FigureSimulation({ gravity: [0, 0, 0], world: [] });
    const ragdoll = simulation.add(root);
    scene.updateMatrixWorld(true);
    const at = bones.leftLowerArm.localToWorld(new Vector3(0.1, 0, 0));
    const [hit] = ray(at.x, at.y).intersectObject(skin);
    const found = simulation.boneAt(hit);
    expect(found?.ragdoll).toBe(ragdoll);
    expect(ragdoll.figure.bones[found?.bone ?? -1].name).toBe('leftLowerArm');
    expect(ragdoll.active).toBe(false);
    expect(simulation.applyImpulseAt(hit, new Vector3(3, 4, -12))).toBe(true);
    expect(ragdoll.active).toBe(true);
    simulation.update(1 / 60);
    const centerVelocity = simulation.actorOf(ragdoll)?.work.energy.centerVelocity ?? [];
    const { mass } = ragdoll.ragdoll;
    expect(gap(centerVelocity, [3 / mass, 4 / mass, -12 / mass])).toBeLessThan(1e-3 / mass);
    expect(simulation.applyImpulseAt(undefined, new Vector3(1, 0, 0))).toBe(false);
    const stranger = new Object3D();
    expect(simulation.applyImpulseAt({ ...hit, object: stranger }, new Vector3(1, 0, 0))).toBe(false);
  });

  it('finds the bone above an object', () => {
    const { simulation, bones, ragdoll } = started();
    const hat = new Group();
    const feather = new Object3D();
    hat.add(feather);
    bones.head.add(hat);
    const found = simulation.boneAt({ object: feather, distance: 1, point: new Vector3() });
    expect(ragdoll.figure.bones[found?.bone ?? -1].name).toBe('head');
  });

  it('drags a bone to a position within the maximum force, and releases it', () => {
    const { simulation, ragdoll, bones, scene } = started();
    run(simulation, 2);
    scene.updateMatrixWorld(true);
    const point = bones.head.getWorldPosition(new Vector3());
    const grab = simulation.grab({ object: bones.head, distance: 1, point });
    if (!grab) throw new Error('nothing held');
    expect(grab.ragdoll).toBe(ragdoll);
    grab.target.set(0.2, 1.8, 0.1);
    run(simulation, 4);
    scene.updateMatrixWorld(true);
    const grabbed = bones.head.localToWorld(new Vector3(...grab.point));
    expect(grabbed.distanceTo(grab.target)).toBeLessThan(5e-3);
    grab.maxForce = 1;
    run(simulation, 2);
    scene.updateMatrixWorld(true);
    expect(bones.head.getWorldPosition(new Vector3()).y).toBeLessThan(0.6);
    grab.release();
    grab.release();
    run(simulation, 0.1);
    const again = simulation.grab({ object: bones.head, distance: 1, point });
    simulation.remove(ragdoll);
    expect(() => again?.release()).not.toThrow();
    expect(simulation.grab({ object: bones.head, distance: 1, point })).toBeUndefined();
  });

  it('keeps its grabs while characters are added and removed', () => {
    const { simulation, bones, scene } = started();
    const grab = simulation.grab({ object: bones.head, distance: 1, point: new Vector3(0, 1.9, 0) });
    grab?.target.set(0, 2.2, 0);
    run(simulation, 1);
    const others: RagdollBinding[] = [];
    for (let k = 0; k < 3; k++) {
      const other = humanScene();
      other.root.position.set(2 * k - 2, 0.2, 2);
      others.push(simulation.add(other.root));
      simulation.start(others[k]);
      run(simulation, 0.2);
    }
    simulation.remove(others[0]);
    run(simulation, 2);
    expect(simulation.simulation?.actors).toHaveLength(3);
    scene.updateMatrixWorld(true);
    const grabbed = bones.head.localToWorld(new Vector3(...(grab?.point ?? [])));
    expect(grabbed.distanceTo(grab?.target ?? new Vector3())).toBeLessThan(5e-3);
  });
});

describe('shapes around skins', () => {
  it('are fitted to the vertices in bone frames, at any scale', () => {
    for (const [inner, outer, metersPerUnit] of [
      [1, 1, 1],
      [100, 0.01, 1],
      [100, 1, 0.01],
    ]) {
      const { root, bones, scene } = humanScene(inner, outer);
      scene.position.set(3, 0, 1).divideScalar(metersPerUnit);
      scene.updateMatrixWorld(true);
      // Ends of the capsule's axis in its bone.
      skinOn(root, bones.leftLowerArm, new Vector3(0.25 * inner, 0, 0), 0.055 * inner);
      const { ragdoll } = new FigureSimulation({ metersPerUnit }).add(root);
      const arm = ragdoll.shapes.find(({ bone }) => bone === 'leftLowerArm');
      if (arm?.type !== 'capsule') throw new Error(`the arm is a ${arm?.type}`);
      expect(arm.radius).toBeCloseTo(0.055, 2);
      expect(gap(arm.from.slice(1), [0, 0])).toBeLessThan(2e-3);
      expect(gap(arm.to.slice(1), [0, 0])).toBeLessThan(2e-3);
      expect(arm.to[0]).toBeGreaterThan(0.2);
      expect(arm.to[0]).toBeLessThan(0.31);
    }
  });
});

describe('a first frame that is stamped before the clock was started', () => {
  it('takes no step, and does not count against the next frame', () => {
    const run = (...seconds: number[]) => {
      const { root } = humanScene();
      const simulation = new FigureSimulation();
      const ragdoll = simulation.add(root);
      simulation.update(0.01);
      simulation.start(ragdoll);
      for (const s of seconds) simulation.update(s);
      return { steps: simulation.steps, pose: simulation.actorOf(ragdoll)?.pose };
    };
    expect(run(-0.007).steps).toBe(0);
    const late = run(-0.007, 1 / 60);
    expect(late.steps).toBeGreaterThan(0);
    expect(late).toEqual(run(1 / 60));
  });
});

describe('what cannot be simulated', () => {
  it('is refused with the path of the fault', () => {
    const code = (wanted: string) => expect.objectContaining({ code: wanted });
    expect(() => new FigureSimulation({ timeStep: 0 })).toThrow(code('out-of-range'));
    expect(() => new FigureSimulation({ metersPerUnit: Number.NaN })).toThrow(code('out-of-range'));
    expect(() => new FigureSimulation({ gravty: [0, 0, 0] } as object)).toThrow(/gravity/);
    const simulation = new FigureSimulation();
    expect(() => simulation.update(Number.NaN)).toThrow(code('out-of-range'));
    expect(() => simulation.update(Number.NEGATIVE_INFINITY)).toThrow(code('out-of-range'));
    const { root } = humanScene();
    expect(() => simulation.add(root, { ragdol: {} } as object)).toThrow(/ragdoll/);
    const fixed = createFigure({
      bones: createHumanFigure().bones.map(({ name, parent, rest, joint }) => ({
        name,
        parent: parent < 0 ? null : createHumanFigure().bones[parent].name,
        rest,
        joint: parent < 0 ? { type: 'ball' as const } : joint,
      })),
    });
    expect(() => simulation.add(root, { figure: fixed })).toThrow(code('unsupported'));
    const giant = bonesOf(createHumanFigure(), 2);
    expect(() => simulation.add(giant.root, { figure: createHumanFigure() })).toThrow(/2.*of its size/);
    const mirrored = humanScene();
    mirrored.root.scale.x = -1;
    mirrored.scene.updateMatrixWorld(true);
    expect(() => simulation.add(mirrored.root)).toThrow(code('out-of-range'));
    const ball = createRagdoll(
      createFigure({ bones: [{ name: 'x', joint: { type: 'free' }, tip: [0, 1, 0] }] }),
    );
    expect(() => simulation.add(root, { ragdoll: ball })).toThrow(code('wrong-size'));
    expect(simulation.ragdolls).toEqual([]);
    const ragdoll = simulation.add(root, { ragdoll: { mass: 50 } });
    expect(ragdoll.ragdoll.mass).toBe(50);
  });
});
