import {
  externalUris,
  jointMatrices,
  parseGltf,
  readGltfRig,
  summarizeGltf,
  worldMatrices,
  writePosedGltf,
} from '@poise/formats';
import fc from 'fast-check';
import { PoiseError } from 'poise';
import { describe, expect, test } from 'vitest';
import { build, buildGlb, buildGltf, glb } from './support/build.js';
import { randomPose } from './support/compare.js';
import * as rigs from './support/rigs.js';

describe('any damage gives a PoiseError or a rig that works', () => {
  const files = [
    rigs.centimetreArmature,
    rigs.nonUniformSpine,
    rigs.matrixNodes,
    rigs.severalRootsAndSkins,
    {
      nodes: rigs.chain([{ name: 'a' }, { name: 'b' }]),
      skins: [{ joints: [0, 1], inverseBinds: [rigs.moved(1, 2, 3), rigs.moved(1, 2, 3)], sparse: [1] }],
    },
  ];
  const file = fc.constantFrom(...files);

  /** Reads and writes; finite matrices or a PoiseError. Returns whether it was read. */
  function survives(bytes: Uint8Array): boolean {
    try {
      externalUris(bytes);
      const rig = readGltfRig(bytes);
      summarizeGltf(rig);
      const pose = randomPose(rig, 1);
      const written = writePosedGltf(rig, pose);
      const again = parseGltf(written);
      expect(again.json.nodes).toHaveLength(rig.binding.nodes.length);
      for (const value of worldMatrices(rig, pose)) expect(Number.isNaN(value)).toBe(false);
      for (const skin of rig.binding.skins) jointMatrices(rig, pose, skin.index);
      writePosedGltf(rig, pose, { kind: 'gltf' });
      writePosedGltf(rig, pose, { kind: 'glb', externals: 'embed' });
      return true;
    } catch (error) {
      if (!(error instanceof PoiseError)) throw error;
      expect(error.path).not.toBe('');
      expect(error.remedy).not.toBe('');
      return false;
    }
  }

  test('bytes changed, removed, cut', () => {
    const damage = fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.nat(255),
        fc.constantFrom('set', 'remove', 'cut'),
      ),
      { minLength: 1, maxLength: 6 },
    );
    const make = fc.constantFrom(buildGlb, buildGltf);
    fc.assert(
      fc.property(file, make, damage, (which, builder, hits) => {
        let bytes: Uint8Array = Buffer.from(builder(which));
        for (const [where, value, kind] of hits) {
          const i = Math.floor(where * bytes.length);
          if (kind === 'set') bytes[i] = value;
          else if (kind === 'remove') bytes = Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)]);
          else if (value < 40) bytes = bytes.subarray(0, i);
        }
        survives(bytes);
      }),
      { numRuns: 1500 },
    );
  });

  test('values of the JSON replaced by others: types, sizes, indices, counts', () => {
    const values = fc.oneof(
      fc.constantFrom<unknown>(null, '', 'x', true, {}, [], -1, 0, 1, 0.5, 3, 99, 1e9, 1e15, 1e300, -0),
      fc.constantFrom<unknown>([0, 0, 0], [0, 0, 0, 0], [1, 1, 1], [1e200, 1, 1], [1e-200, 1, 1], [[]], [{}]),
      fc.double(),
    );
    const edits = fc.array(fc.tuple(fc.nat(100_000), values), { minLength: 1, maxLength: 4 });
    let read = 0;
    let runs = 0;
    fc.assert(
      fc.property(file, edits, (which, changes) => {
        const { json, binary } = structuredClone(build(which));
        const paths = collect(json);
        for (const [n, value] of changes) {
          const [holder, key] = paths[n % paths.length];
          holder[key] = structuredClone(value);
        }
        runs++;
        if (survives(glb(json, binary))) read++;
      }),
      { numRuns: 3000 },
    );
    // Both outcomes occur, or the damage is too mild or too wild to test anything.
    expect(read / runs).toBeGreaterThan(0.02);
    expect(read / runs).toBeLessThan(0.8);
  });

  /** Every place in a JSON value that holds another. */
  function collect(value: unknown): [Record<string, unknown>, string][] {
    if (typeof value !== 'object' || value === null) return [];
    const holder = value as Record<string, unknown>;
    return Object.keys(holder).flatMap((key) => [
      [holder, key] as [typeof holder, string],
      ...collect(holder[key]),
    ]);
  }
});
