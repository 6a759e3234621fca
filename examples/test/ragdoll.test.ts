import { FigureSimulation } from '@poise/three';
import { Group, type Intersection, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Cast, fitToStairs } from '../ragdoll/cast.js';
import { followHit } from '../ragdoll/pointer.js';
import { LANDING, world } from '../ragdoll/stairs.js';
import { createCharacter } from '../shared/character.js';

function fallen(count: number, seconds: number) {
  const simulation = new FigureSimulation({ world });
  const cast = new Cast(simulation, new Group(), createCharacter().root);
  cast.drop(count);
  let depth = 0;
  for (let n = 0; n < 60 * seconds; n++) depth = Math.max(depth, simulation.update(1 / 60)?.depth ?? 0);
  return { simulation, cast, depth };
}

describe('ragdolls on stairs', () => {
  it('fall down them, no deeper into them than a centimetre, and lie still in the end', () => {
    const { simulation, cast, depth } = fallen(1, 10);
    expect(depth).toBeLessThan(0.01);
    expect(simulation.simulation?.report.asleep).toBe(1);
    const [{ ragdoll }] = cast.members;
    const head = ragdoll.figure.bones.findIndex(({ name }) => name === 'head');
    expect(ragdoll.state.worldFromBone[12 * head + 10]).toBeLessThan(LANDING);
    // A chest does not lie on its head, and nothing is below the floor.
    for (const { index } of ragdoll.figure.bones) {
      expect(ragdoll.state.worldFromBone[12 * index + 10]).toBeGreaterThan(0);
    }
  });

  it('fall the same way every time, and when dropped again', () => {
    const { simulation, cast } = fallen(3, 1);
    const [first, second] = [fallen(3, 1), { simulation, cast }].map(({ cast: { members } }) =>
      members.map(({ ragdoll }) => ragdoll.pose.slice()),
    );
    expect(first).toEqual(second);
    cast.drop(3);
    for (let n = 0; n < 60; n++) simulation.update(1 / 60);
    expect(cast.members.map(({ ragdoll }) => ragdoll.pose)).toEqual(first);
    cast.drop(1);
    expect(simulation.ragdolls).toHaveLength(1);
  });

  it('are grabbed where they were pressed, however far they have fallen since', () => {
    const { simulation, cast } = fallen(1, 0.3);
    const [{ ragdoll, skins }] = cast.members;
    const vertex = (): Vector3 => {
      cast.bound();
      return skins[0].getVertexPosition(0, new Vector3()).applyMatrix4(skins[0].matrixWorld);
    };
    const point = vertex();
    const hit: Intersection = { object: skins[0], point, distance: 1, face: { a: 0, b: 0, c: 0 } as never };
    const pressed = followHit(simulation, hit);
    for (let n = 0; n < 18; n++) simulation.update(1 / 60);
    const now = vertex();
    expect(now.distanceTo(point)).toBeGreaterThan(0.1);
    // But for the weights of the skin.
    expect(pressed?.().point.distanceTo(now)).toBeLessThan(0.02);
    expect(simulation.grab(pressed?.())?.ragdoll).toBe(ragdoll);
    expect(followHit(simulation, { ...hit, object: new Group() })).toBeUndefined();
  });

  it('are brought to the size of the stairs', () => {
    const { root } = createCharacter();
    fitToStairs(root);
    expect(root.scale.x).toBe(1);
    root.scale.setScalar(100);
    fitToStairs(root);
    expect(root.scale.x).toBeGreaterThan(0.9);
    expect(root.scale.x).toBeLessThan(1.1);
  });
});
