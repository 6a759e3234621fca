/** What the user of a web page does to a character with the mouse. */
import type { WorldShape } from 'poise/dynamics';
import { limitViolation } from 'poise/figure';
import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { FigureSimulation, type Grab } from '../../src/index.js';
import { humanScene } from './support.js';

/** Radius of a wrist, m: what is deeper in a shape may come out on the other side. */
const WRIST = 0.03;

/** Stairs of four steps down along x, and a floor. */
const STAIRS: readonly WorldShape[] = [
  { type: 'plane' },
  ...[0, 1, 2, 3].map(
    (k): WorldShape => ({
      type: 'box',
      halfSizes: [0.15, 0.4 - 0.1 * k, 1],
      placement: { position: [0.6 + 0.3 * k, 0.4 - 0.1 * k, 0] },
    }),
  ),
];

/** A human with its feet at a height, and a grip on each hand. */
function gripped(height: number, options: ConstructorParameters<typeof FigureSimulation>[0] = {}) {
  const { root, bones, scene } = humanScene();
  root.position.y = height;
  scene.updateMatrixWorld(true);
  const simulation = new FigureSimulation(options);
  const ragdoll = simulation.add(root);
  simulation.start(ragdoll);
  const grip = (object = bones.rightHand, force?: { readonly drag?: number }): Grab => {
    scene.updateMatrixWorld(true);
    const grab = simulation.grab(
      { object, distance: 1, point: object.getWorldPosition(new Vector3()) },
      force,
    );
    if (!grab) throw new Error('nothing is grabbed');
    return grab;
  };
  const gapOf = ({ bone, point, target }: Grab): number => {
    scene.updateMatrixWorld(true);
    return (
      ragdoll.binding.objects[bone]?.localToWorld(new Vector3(...point)).distanceTo(target) ?? Number.NaN
    );
  };
  return { simulation, ragdoll, bones, grip, gapOf };
}

type Gripped = ReturnType<typeof gripped>;

/** Frames of equal time until it sleeps; after each it is finite, within its limits and out of all shapes. */
function play(
  { simulation, ragdoll }: Gripped,
  seconds: number,
  rate: number,
  each?: (t: number) => void,
): void {
  for (let frame = 0; frame < Math.round(seconds * rate); frame++) {
    each?.(frame / rate);
    const report = simulation.update(1 / rate);
    expect(report?.status).toBe('done');
    expect(report?.depth).toBeLessThan(WRIST);
    expect(limitViolation(ragdoll.figure, ragdoll.pose)).toBeLessThan(1e-9);
    if (!each && report?.asleep === 1) return;
  }
}

/** A pointer that jumps by metres between two frames, then goes round and round. */
const shake =
  ({ target }: Grab) =>
  (t: number): void => {
    if (t < 1) target.set(3 * Math.sin(70 * t), 1.5 + 1.5 * Math.sin(90 * t), 2 * Math.sin(110 * t));
    else target.set(Math.cos(8 * t), 2.5, Math.sin(8 * t));
  };

describe('a character that is grabbed by a hand', () => {
  it.each([10, 60, 240])('is shaken, and then hangs still, at %i frames a second', (rate) => {
    const scene = gripped(0.05);
    const { simulation, ragdoll } = scene;
    const grab = scene.grip();
    play(scene, 3, rate, shake(grab));
    expect(simulation.simulation?.report.kinetic).toBeGreaterThan(100);
    grab.target.set(0.2, 2.5, 0.1);
    play(scene, 25, rate);
    expect(simulation.actorOf(ragdoll)?.asleep).toBe(true);
    expect(scene.gapOf(grab)).toBeLessThan(5e-3);
  });

  it.each([10, 24, 60, 144, 240])(
    'is dragged through stairs and the floor, at %i frames a second',
    (rate) => {
      const scene = gripped(0.05, { world: STAIRS });
      const { target } = scene.grip();
      play(scene, 2.5, rate, (t) => {
        target.set(0.8 - 1.5 * Math.cos(5 * t), 0.5 + 0.8 * Math.sin(9 * t), Math.sin(3 * t));
      });
    },
  );

  it('continues after a minute without a frame as after its longest update', () => {
    const after = (seconds: number) => {
      const scene = gripped(0.05);
      const { simulation, ragdoll } = scene;
      const grab = scene.grip();
      play(scene, 1.5, 60, shake(grab));
      simulation.update(seconds);
      expect(simulation.steps).toBe(simulation.maxSubSteps);
      play(scene, 0.2, 60, shake(grab));
      return ragdoll.pose.slice();
    };
    expect(after(60)).toEqual(after(0.1));
  });

  it('falls freely when it is let go, whatever the drag was', () => {
    const scene = gripped(6);
    const { simulation, ragdoll } = scene;
    const velocity = () => [...(simulation.actorOf(ragdoll)?.work.energy.centerVelocity ?? [])];
    const grabs = [scene.grip(), scene.grip(scene.bones.leftHand, { drag: 5 })];
    grabs[0].target.y += 1;
    play(scene, 0.5, 60, () => {});
    expect(simulation.actorOf(ragdoll)?.damping[0]).toBeCloseTo(5 * ragdoll.ragdoll.mass, 6);
    grabs[1].release();
    play(scene, 0.2, 60, () => {});
    expect(simulation.actorOf(ragdoll)?.damping[0]).toBeCloseTo(ragdoll.ragdoll.mass, 6);
    grabs[0].release();
    play(scene, 0.1, 60, () => {});
    const [before, ,] = [velocity()];
    play(scene, 0.2, 60, () => {});
    const after = velocity();
    expect(after[1] - before[1]).toBeCloseTo(-9.81 * 0.2, 3);
    expect(after[0] - before[0]).toBeCloseTo(0, 3);
    expect(() => scene.grip(scene.bones.head, { drag: -1 })).toThrow(/options.drag/);
  });
});

describe('a character', () => {
  it('is pulled apart by both hands, and hangs still between them', () => {
    const scene = gripped(0.3);
    const { simulation } = scene;
    const [right, left] = [scene.grip(), scene.grip(scene.bones.leftHand)];
    for (const [y, z] of [
      [1.9, 2],
      [-2, 0.2],
      [1.9, 0.6],
    ]) {
      right.target.set(0, y, -z);
      left.target.set(0, y, z);
      play(scene, 4, 60);
    }
    expect(simulation.simulation?.report.kinetic).toBeLessThan(1);
  });

  it('falls from 50 m, and lies still', () => {
    const scene = gripped(50);
    play(scene, 10, 60);
    expect(scene.simulation.simulation?.report.asleep).toBe(1);
  });
});
