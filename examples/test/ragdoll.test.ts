import { FigureSimulation } from '@poise/three';
import { Group } from 'three';
import { describe, expect, it } from 'vitest';
import { Cast, fitToStairs } from '../ragdoll/cast.js';
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
