import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import {
  boneIndex,
  clampToLimits,
  createPose,
  createState,
  type FigureState,
  forwardKinematics,
  limitViolation,
  pointJacobianQ,
  updateMotionSubspaceQ,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { createRandom, expectClose, expectSameBits, randomPose } from '../figure/support.js';
import {
  angleAbout,
  bothSides,
  DEGREE,
  directionOf,
  driven,
  frameOf,
  type HumanPose,
  mirroredPose,
  pointOf,
  poseOf,
} from '../figure/support-human.js';

const human = createHumanFigure();
const BOUND = 720;

function stateAt(named: HumanPose): FigureState {
  const state = createState(human);
  forwardKinematics(state, poseOf(human, named));
  return state;
}

describe('createHumanFigure at rest', () => {
  test('has the VRM humanoid bones, parents as VRM has them, 53 coordinates', () => {
    const side = (s: string) => [
      [`${s}Shoulder`, 'upperChest'],
      [`${s}UpperArm`, `${s}Shoulder`],
      [`${s}LowerArm`, `${s}UpperArm`],
      [`${s}Hand`, `${s}LowerArm`],
      [`${s}UpperLeg`, 'hips'],
      [`${s}LowerLeg`, `${s}UpperLeg`],
      [`${s}Foot`, `${s}LowerLeg`],
      [`${s}Toes`, `${s}Foot`],
    ];
    const expected = [
      ['hips', undefined],
      ['spine', 'hips'],
      ['chest', 'spine'],
      ['upperChest', 'chest'],
      ['neck', 'upperChest'],
      ['head', 'neck'],
      ...side('left'),
      ...side('right'),
    ];
    expect(human.bones.map((bone) => [bone.name, human.bones[bone.parent]?.name])).toEqual(expected);
    expect(human.dof).toBe(53);
    expect(human.bones.every((bone) => bone.tip !== undefined)).toBe(true);
  });

  test('stands on y = 0, is exactly as tall as asked, faces +Z, its left is +X, arms along x', () => {
    for (const height of [0.5, 1.2, 1.75, 2.1]) {
      const figure = createHumanFigure({ height });
      const state = createState(figure);
      forwardKinematics(state, createPose(figure));
      expect(pointOf(state, 'head')[1]).toBeCloseTo(height, 14);
      for (const side of ['left', 'right']) {
        const sign = side === 'left' ? 1 : -1;
        expect(pointOf(state, `${side}Toes`)[1]).toBeCloseTo(0, 15);
        expect(pointOf(state, `${side}Toes`)[2]).toBeGreaterThan(frameOf(state, `${side}Foot`)[11]);
        const [x, y, z] = pointOf(state, `${side}Hand`);
        expect(sign * x).toBeGreaterThan(0.5 * height);
        expect(y).toBeCloseTo(frameOf(state, `${side}UpperArm`)[10], 15);
        expect(z).toBe(0);
      }
      const lowest = Math.min(...figure.bones.map((bone) => pointOf(state, bone.name)[1]));
      expect(lowest).toBeGreaterThanOrEqual(-1e-15);
    }
  });

  test('every frame is parallel to the world, and each bone starts at the tip of the one it continues', () => {
    const state = createState(human);
    forwardKinematics(state, createPose(human));
    for (const bone of human.bones) {
      expectSameBits(frameOf(state, bone.name).slice(0, 9), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
      const parent = human.bones[bone.parent];
      const branches = ['leftUpperLeg', 'rightUpperLeg', 'leftShoulder', 'rightShoulder'];
      if (parent === undefined || branches.includes(bone.name)) continue;
      expect(bone.rest.position).toEqual(parent.tip);
    }
  });

  test('proportions: joint heights and span are those of adults (Drillis & Contini), within 2 % of stature', () => {
    const state = createState(human);
    forwardKinematics(state, createPose(human));
    const height = (name: string) => frameOf(state, name)[10] / 1.75;
    expect(Math.abs(height('leftFoot') - 0.039)).toBeLessThan(0.001);
    expect(Math.abs(height('leftLowerLeg') - 0.285)).toBeLessThan(0.02);
    expect(Math.abs(height('leftUpperLeg') - 0.53)).toBeLessThan(0.02);
    expect(Math.abs(height('leftUpperArm') - 0.818)).toBeLessThan(0.02);
    const span = (pointOf(state, 'leftHand')[0] - pointOf(state, 'rightHand')[0]) / 1.75;
    expect(span).toBeGreaterThan(1);
    expect(span).toBeLessThan(1.08);
  });

  test('rest is allowed, and everything scales with height', () => {
    expect(limitViolation(human, new Float64Array(53))).toBe(0);
    const double = createHumanFigure({ height: 3.5 });
    for (const bone of human.bones) {
      const other = double.bones[bone.index];
      expectClose(
        other.rest.position,
        bone.rest.position.map((x) => 2 * x),
        1e-15,
      );
      expect(other.limit).toEqual(bone.limit);
    }
  });

  test('a height or mass that is not a positive number is refused', () => {
    for (const bad of [0, -1, Number.NaN, Infinity, '1.8' as unknown as number]) {
      for (const path of ['height', 'mass']) {
        expect(() => createHumanFigure({ [path]: bad })).toThrow(
          expect.objectContaining({ name: 'FigureError', code: 'out-of-range', path: `options.${path}` }),
        );
      }
    }
    expect(createHumanFigure({ name: 'Ada' }).name).toBe('Ada');
  });
});

describe('masses of the human', () => {
  const massOf = (names: string[], figure = human) =>
    names.reduce((sum, name) => sum + (figure.bones[boneIndex(figure, name)].mass ?? 0), 0);

  test('add up to the mass asked for; the default build is that of the people measured', () => {
    for (const [options, total] of [
      [{ mass: 60 }, 60],
      [{ height: 1.5, mass: 90 }, 90],
      [{ height: 1.741 }, 73],
    ] as const) {
      const figure = createHumanFigure(options);
      const sum = figure.bones.reduce((all, bone) => all + (bone.mass ?? 0), 0);
      expect(Math.abs(sum / total - 1)).toBeLessThan(1e-14);
    }
  });

  test('of segments are de Leva`s percentages', () => {
    const figure = createHumanFigure({ mass: 100 });
    const table: [string[], number][] = [
      [['neck', 'head'], 6.94],
      [['chest', 'upperChest'], 15.96],
      [['spine'], 16.33],
      [['hips'], 11.17],
      [['leftUpperArm'], 2.71],
      [['rightLowerArm'], 1.62],
      [['leftHand'], 0.61],
      [['rightUpperLeg'], 14.16],
      [['leftLowerLeg'], 4.33],
      [['rightFoot', 'rightToes'], 1.37],
    ];
    for (const [names, percent] of table) expect(massOf(names, figure)).toBeCloseTo(percent, 12);
  });

  /** de Leva, male: mm, centre from the bone's origin over length, radii over length about x, y, z of the T-pose. */
  test.each([
    ['hips', 145.7, [0, 1 - 0.6115, 0], [0.551, 0.587, 0.615]],
    ['spine', 215.5, [0, 1 - 0.4502, 0], [0.383, 0.468, 0.482]],
    ['leftUpperArm', 281.7, [0.5772, 0, 0], [0.158, 0.269, 0.285]],
    ['leftLowerArm', 268.9, [0.4574, 0, 0], [0.121, 0.265, 0.276]],
    // Palm down: the sagittal axis, across the palm's face, stands upright.
    ['leftHand', 187.9, [0.3624, 0, 0], [0.184, 0.288, 0.235]],
    ['leftUpperLeg', 422.2, [0, -0.4095, 0], [0.329, 0.149, 0.329]],
    ['leftLowerLeg', 440.3, [0, -0.4395, 0], [0.246, 0.102, 0.251]],
  ])('centre and radii of gyration of %s are de Leva`s', (name, mm, center, radii) => {
    const figure = createHumanFigure({ height: 1.741, mass: 73 });
    const bone = figure.bones[boneIndex(figure, name)];
    const length = mm / 1000;
    // Centres of trunk segments move with the 4 % that the trunk is shortened by.
    const along = Math.hypot(...Array.from(bone.tip as Numbers));
    expect(along / length).toBeGreaterThan(0.95);
    expect(along / length).toBeLessThan(1 + 1e-12);
    expectClose(
      bone.centerOfMass as Numbers,
      center.map((c) => c * along),
      1e-15,
    );
    const ours = [0, 1, 2].map((k) => Math.sqrt((bone.inertia as Numbers)[k] / (bone.mass as number)));
    expectClose(
      ours,
      radii.map((k) => k * length),
      1e-15,
    );
  });

  test('parts of a segment put together again have its mass centre and inertia', () => {
    const figure = createHumanFigure({ height: 1.741, mass: 73 });
    const state = createState(figure);
    forwardKinematics(state, createPose(figure));
    const together = (names: string[]) => {
      const bones = names.map((name) => figure.bones[boneIndex(figure, name)]);
      const mass = massOf(names, figure);
      const centers = bones.map((bone) => pointOf(state, bone.name, bone.centerOfMass));
      const center = [0, 1, 2].map((k) =>
        bones.reduce((sum, bone, n) => sum + ((bone.mass as number) * centers[n][k]) / mass, 0),
      );
      const diagonal = [0, 1, 2].map((k) =>
        bones.reduce((sum, bone, n) => {
          const d = centers[n].map((x, i) => x - center[i]);
          const across = d.reduce((all, x, i) => all + (i === k ? 0 : x * x), 0);
          return sum + (bone.inertia as Numbers)[k] + (bone.mass as number) * across;
        }, 0),
      );
      return { center, radii: diagonal.map((i) => Math.sqrt(i / mass)) };
    };
    // Radii of gyration over length, [transverse, long, sagittal] = about x, y, z for upright segments.
    const chest = together(['chest', 'upperChest']);
    expectClose(
      chest.radii,
      [0.32, 0.465, 0.505].map((k) => k * 0.2421),
      1e-12,
    );
    const head = together(['neck', 'head']);
    expectClose(
      head.radii,
      [0.315, 0.261, 0.303].map((k) => k * 0.2429),
      1e-12,
    );
    // The foot lies along z and its sagittal axis stands upright.
    const foot = together(['leftFoot', 'leftToes']);
    expectClose(
      foot.radii,
      [0.245, 0.257, 0.124].map((k) => k * 0.2581),
      1e-12,
    );
    const heel = frameOf(state, 'leftFoot')[11] - 0.19 * 0.2581;
    expect(foot.center[2] - heel).toBeCloseTo(0.4415 * 0.2581, 12);
  });

  test('are physically possible: principal moments are positive and no one exceeds the sum of the others', () => {
    for (const height of [1, 1.75, 2.2]) {
      for (const { name, mass, inertia } of createHumanFigure({ height }).bones) {
        if (name.endsWith('Shoulder')) {
          expect(mass).toBeUndefined();
          continue;
        }
        const [a, b, c] = principalMoments(inertia as Numbers);
        expect(a).toBeGreaterThan(0);
        expect(c).toBeLessThanOrEqual((a + b) * (1 + 1e-12));
      }
    }
  });

  test('arms down, the centre of mass is at 0.55 to 0.58 of stature, in the middle', () => {
    const state = stateAt(bothSides({ UpperArm: [0, -88, 0] }));
    let mass = 0;
    const center = [0, 0, 0];
    for (const bone of human.bones) {
      if (bone.mass === undefined) continue;
      mass += bone.mass;
      const at = pointOf(state, bone.name, bone.centerOfMass);
      for (let k = 0; k < 3; k++) center[k] += bone.mass * at[k];
    }
    expect(center[0] / mass).toBeCloseTo(0, 14);
    expect(center[1] / mass / 1.75).toBeGreaterThan(0.55);
    expect(center[1] / mass / 1.75).toBeLessThan(0.58);
  });
});

/** Eigenvalues, ascending, of [xx, yy, zz, xy, xz, yz] with at most one product: what this figure has. */
function principalMoments(inertia: Numbers): number[] {
  const [xx, yy, zz, xy, xz, yz] = Array.from(inertia);
  expect(xy === 0 && xz === 0).toBe(true);
  const middle = (yy + zz) / 2;
  const half = Math.hypot((yy - zz) / 2, yz);
  return [xx, middle - half, middle + half].sort((a, b) => a - b);
}

describe('left and right', () => {
  test('a mirrored pose puts every bone where the mirror image is', () => {
    const random = createRandom(700);
    const [state, mirror] = [createState(human), createState(human)];
    for (let n = 0; n < 100; n++) {
      const pose = randomPose(human, random, 2);
      forwardKinematics(state, pose);
      forwardKinematics(mirror, mirroredPose(human, pose));
      for (const { name } of human.bones) {
        const other = name.startsWith('left') ? name.replace('left', 'right') : name.replace('right', 'left');
        const m = frameOf(state, name);
        // diag(-1, 1, 1) R diag(-1, 1, 1), diag(-1, 1, 1) p
        const image = [m[0], -m[1], -m[2], -m[3], m[4], m[5], -m[6], m[7], m[8], -m[9], m[10], m[11]];
        expectClose(frameOf(mirror, other), image, 1e-14);
      }
    }
  });

  test('limits mirror too: the violation of the mirror image is the same', () => {
    const random = createRandom(701);
    for (let n = 0; n < 200; n++) {
      const pose = randomPose(human, random);
      const mirrored = mirroredPose(human, pose);
      expect(limitViolation(human, mirrored)).toBe(limitViolation(human, pose));
      clampToLimits(human, pose);
      clampToLimits(human, mirrored);
      expectClose(mirrored, mirroredPose(human, pose), 0);
    }
  });

  test('masses and inertias mirror', () => {
    for (const bone of human.bones.filter(({ name }) => name.startsWith('left'))) {
      const other = human.bones[boneIndex(human, bone.name.replace('left', 'right'))];
      expect(other.mass).toBe(bone.mass);
      if (bone.centerOfMass === undefined) continue;
      const [x, y, z] = bone.centerOfMass;
      expectClose(other.centerOfMass as Numbers, [-x, y, z], 0);
      const [xx, yy, zz, xy, xz, yz] = Array.from(bone.inertia as Numbers);
      expectClose(other.inertia as Numbers, [xx, yy, zz, -xy, -xz, yz], 0);
    }
  });
});

const RIGHT = [1, 0, 0];
const UP = [0, 1, 0];
const FRONT = [0, 0, 1];
const DOWN = [0, -1, 0];

/**
 * Clinical extremes: drive the coordinates to their limits, measure the angle on the body. `sign` is 1 on the left;
 * rotations about y and z are counted with it, so that both sides read the same.
 */
const EXTREMES: readonly {
  readonly joint: string;
  readonly motion: string;
  readonly source: string;
  readonly measure: (side: 'left' | 'right', sign: number) => number;
}[] = [
  ...(['flexion', 'extension'] as const).map((motion) => ({
    joint: 'elbow',
    motion,
    source: 'AAOS',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}LowerArm`]: [motion === 'flexion' ? BOUND : -BOUND] });
      // The forearm swings forward from the line of the arm.
      return angleAbout([0, -sign, 0], [sign, 0, 0], directionOf(state, `${side}LowerArm`, [sign, 0, 0]));
    },
  })),
  ...(
    [
      ['supination', -BOUND, 1],
      ['pronation', BOUND, -1],
    ] as const
  ).map(([motion, drive, sign]) => ({
    joint: 'forearm',
    motion,
    source: 'AAOS',
    measure: (side: string) => {
      const state = driven(human, { [`${side}Hand`]: [drive, 0, 0] });
      // Supination turns the palm from down to the front.
      return sign * angleAbout([-1, 0, 0], DOWN, directionOf(state, `${side}Hand`, DOWN));
    },
  })),
  ...(
    [
      ['flexion', [0, -BOUND, 0], -1],
      ['extension', [0, BOUND, 0], 1],
    ] as const
  ).map(([motion, drive, turn]) => ({
    joint: 'wrist',
    motion,
    source: 'AAOS',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}Hand`]: drive.map((x) => sign * x) });
      return turn * angleAbout([0, 0, sign], [sign, 0, 0], directionOf(state, `${side}Hand`, [sign, 0, 0]));
    },
  })),
  ...(
    [
      ['radial_deviation', -BOUND, -1],
      ['ulnar_deviation', BOUND, 1],
    ] as const
  ).map(([motion, drive, turn]) => ({
    joint: 'wrist',
    motion,
    source: 'AAOS',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}Hand`]: [0, 0, sign * drive] });
      return turn * angleAbout([0, sign, 0], [sign, 0, 0], directionOf(state, `${side}Hand`, [sign, 0, 0]));
    },
  })),
  ...(
    [
      ['medial_rotation', -BOUND, 1],
      ['lateral_rotation', BOUND, -1],
    ] as const
  ).map(([motion, drive, sign]) => ({
    joint: 'shoulder',
    motion,
    source: 'AAOS',
    measure: (side: string) => {
      // Arm out, elbow at 90: the forearm points to the front and turns down or up.
      const state = driven(human, { [`${side}UpperArm`]: [0, 0, drive], [`${side}LowerArm`]: [90] });
      const forearm = directionOf(state, `${side}LowerArm`, [side === 'left' ? 1 : -1, 0, 0]);
      return sign * angleAbout(RIGHT, FRONT, forearm);
    },
  })),
  ...(['flexion', 'abduction'] as const).map((motion) => ({
    // Both end overhead, clavicle and arm together.
    joint: 'shoulder',
    motion,
    source: 'AAOS',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}Shoulder`]: [0, BOUND], [`${side}UpperArm`]: [0, BOUND, 0] });
      return angleAbout([0, 0, sign], DOWN, directionOf(state, `${side}UpperArm`, [sign, 0, 0]));
    },
  })),
  ...(
    [
      ['flexion', [BOUND, 0, 0], -1],
      ['extension', [-BOUND, 0, 0], 1],
    ] as const
  ).map(([motion, drive, sign]) => ({
    joint: 'hip',
    motion,
    source: 'exam_sheet',
    measure: (side: string) => {
      const state = driven(human, { [`${side}UpperLeg`]: drive });
      return sign * angleAbout(RIGHT, DOWN, directionOf(state, `${side}UpperLeg`, DOWN));
    },
  })),
  ...(
    [
      ['abduction', [0, BOUND, 0], 1],
      ['adduction', [0, -BOUND, 0], -1],
    ] as const
  ).map(([motion, drive, turn]) => ({
    joint: 'hip',
    motion,
    source: 'exam_sheet',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}UpperLeg`]: drive });
      return turn * angleAbout([0, 0, sign], DOWN, directionOf(state, `${side}UpperLeg`, DOWN));
    },
  })),
  ...(
    [
      ['external_rotation', [0, 0, BOUND], 1],
      ['internal_rotation', [0, 0, -BOUND], -1],
    ] as const
  ).map(([motion, drive, turn]) => ({
    joint: 'hip',
    motion,
    source: 'exam_sheet',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}UpperLeg`]: drive });
      return turn * angleAbout([0, sign, 0], FRONT, directionOf(state, `${side}UpperLeg`, FRONT));
    },
  })),
  {
    joint: 'knee',
    motion: 'flexion',
    source: 'exam_sheet',
    measure: (side) => {
      const state = driven(human, { [`${side}LowerLeg`]: [BOUND] });
      // The heel goes back.
      return angleAbout(RIGHT, DOWN, directionOf(state, `${side}LowerLeg`, DOWN));
    },
  },
  ...(
    [
      // Of a foot that bears weight; the sheet's 20 degrees are without.
      ['dorsiflexion', [BOUND, 0], -1, 'Rajagopal_2015.osim'],
      ['plantar_flexion', [-BOUND, 0], 1, 'exam_sheet'],
    ] as const
  ).map(([motion, drive, sign, source]) => ({
    joint: 'ankle',
    motion,
    source,
    measure: (side: string) => {
      const state = driven(human, { [`${side}Foot`]: drive });
      return sign * angleAbout(RIGHT, FRONT, directionOf(state, `${side}Foot`, FRONT));
    },
  })),
  ...(
    [
      ['eversion', [0, BOUND], 1],
      ['inversion', [0, -BOUND], -1],
    ] as const
  ).map(([motion, drive, turn]) => ({
    joint: 'foot',
    motion,
    source: 'MerckManual_table1',
    measure: (side: string, sign: number) => {
      const state = driven(human, { [`${side}Foot`]: drive });
      // Eversion turns the sole outwards.
      return turn * angleAbout([0, 0, sign], DOWN, directionOf(state, `${side}Foot`, DOWN));
    },
  })),
  ...(
    [
      ['extension', [BOUND], -1],
      ['flexion', [-BOUND], 1],
    ] as const
  ).map(([motion, drive, sign]) => ({
    joint: 'toe_MTP',
    motion,
    source: 'MerckManual_table1',
    measure: (side: string) => {
      const state = driven(human, { [`${side}Toes`]: drive });
      return sign * angleAbout(RIGHT, FRONT, directionOf(state, `${side}Toes`, FRONT));
    },
  })),
];

describeWithData('ranges of motion of the human', 'rom/human_rom.csv', (path) => {
  const rows = () => [
    ...readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [joint, motion, value, , upper, source] = line.split(',');
        return { joint, motion, source, degrees: Number(value || upper) };
      }),
    {
      joint: 'ankle',
      motion: 'dorsiflexion',
      source: 'Rajagopal_2015.osim',
      degrees: JSON.parse(readFileSync(join(dirname(path), 'opensim_coordinate_ranges.json'), 'utf8')).models[
        'Rajagopal_2015.osim'
      ].ankle_angle_r.range[1],
    },
  ];

  test.each(EXTREMES)('$joint $motion is that of $source, both sides, to 1e-9 degrees', (extreme) => {
    const row = rows().find(
      ({ joint, motion, source }) =>
        joint === extreme.joint && motion === extreme.motion && source === extreme.source,
    );
    expect(row).toBeDefined();
    expect(extreme.measure('left', 1)).toBeCloseTo(row?.degrees as number, 9);
    expect(extreme.measure('right', -1)).toBeCloseTo(row?.degrees as number, 9);
  });

  test('every adult motion of the shoulder, arm and leg in the table is measured, shoulder extension apart', () => {
    const measured = new Set(EXTREMES.map(({ joint, motion }) => `${joint} ${motion}`));
    // The same motions under other names; fingers are not modelled; extension of the shoulder is a compromise.
    const known = [
      /^finger/,
      /^thumb/,
      /^shoulder (extension|external_rotation|internal_rotation)$/,
      /^knee extension$/,
    ];
    for (const { joint, motion } of rows()) {
      const name = `${joint} ${motion}`;
      if (!known.some((pattern) => pattern.test(name))) expect(measured).toContain(name);
    }
  });
});

describe('spine and neck', () => {
  test('add up to the norms of the AAOS: trunk 80, 25, 35, 45; neck 45, 45, 45, 60 degrees', () => {
    const trunk = ['spine', 'chest', 'upperChest'];
    const neck = [...trunk, 'neck', 'head'];
    const all = (names: string[], drive: number[]) =>
      driven(human, Object.fromEntries(names.map((name) => [name, drive])));
    const flexion = (names: string[], by: number) =>
      angleAbout(RIGHT, UP, directionOf(all(names, [by, 0, 0]), 'head', UP));
    const bend = (names: string[]) =>
      angleAbout([0, 0, -1], UP, directionOf(all(names, [0, BOUND, 0]), 'head', UP));
    const rotate = (names: string[]) =>
      angleAbout(UP, FRONT, directionOf(all(names, [0, 0, BOUND]), 'head', FRONT));
    expect(flexion(trunk, BOUND)).toBeCloseTo(80, 9);
    expect(flexion(trunk, -BOUND)).toBeCloseTo(-25, 9);
    expect(bend(trunk)).toBeCloseTo(35, 9);
    expect(rotate(trunk)).toBeCloseTo(45, 9);
    expect(flexion(neck, BOUND) - 80).toBeCloseTo(45, 9);
    expect(flexion(neck, -BOUND) + 25).toBeCloseTo(-45, 9);
    expect(bend(neck) - 35).toBeCloseTo(45, 9);
    expect(rotate(neck) - 45).toBeCloseTo(60, 9);
  });
});

/** Moves an allowed pose towards goals by projected gradient steps; the largest distance left. */
function reach(
  named: HumanPose,
  goals: readonly { bone: string; point?: readonly number[]; target: (state: FigureState) => number[] }[],
): { pose: Float64Array; distance: number } {
  const pose = poseOf(human, named);
  clampToLimits(human, pose);
  const state = createState(human);
  let distance = Infinity;
  for (let step = 0; step < 20000 && distance > 5e-3; step++) {
    forwardKinematics(state, pose);
    updateMotionSubspaceQ(state, pose);
    distance = 0;
    const gradient = new Float64Array(human.dof);
    for (const { bone, point, target } of goals) {
      const at = pointOf(state, bone, point);
      const error = target(state).map((x, k) => x - at[k]);
      distance = Math.max(distance, Math.hypot(...error));
      const jacobian = new Float64Array(3 * human.dof);
      pointJacobianQ(state, boneIndex(human, bone), at, jacobian);
      for (let i = 6; i < human.dof; i++) {
        for (let k = 0; k < 3; k++) gradient[i] += jacobian[k * human.dof + i] * error[k];
      }
    }
    for (let i = 6; i < human.dof; i++) pose[i] += 0.4 * gradient[i];
    clampToLimits(human, pose);
  }
  return { pose, distance };
}

describe('natural poses are allowed', () => {
  const allowed = (named: HumanPose) => {
    expect(limitViolation(human, poseOf(human, named))).toBe(0);
    return stateAt(named);
  };

  test('arms down at the sides, palms to the thighs', () => {
    const state = allowed(bothSides({ UpperArm: [0, -88, 0] }));
    const [x, y, z] = pointOf(state, 'leftHand');
    expect(x).toBeGreaterThan(0.15);
    expect(x).toBeLessThan(0.25);
    expect(y).toBeLessThan(0.75);
    expect(z).toBeCloseTo(0, 14);
    // Palm down at T becomes palm inwards.
    expect(directionOf(state, 'leftHand', DOWN)[0]).toBeLessThan(-0.99);
  });

  test('hands overhead, arms upright beside the ears', () => {
    const state = allowed(bothSides({ Shoulder: [0, 30], UpperArm: [0, 60, 90] }));
    expectClose(directionOf(state, 'leftUpperArm', [1, 0, 0]), UP, 1e-12);
    expect(pointOf(state, 'leftHand')[1]).toBeGreaterThan(2);
  });

  test('arms straight ahead, elbows bent up, hands turned to the face', () => {
    allowed(bothSides({ UpperArm: [90, 0, 0], LowerArm: [120] }));
    allowed(bothSides({ UpperArm: [60, -60, 40], LowerArm: [140], Hand: [-60, 0, 0] }));
  });

  test('sitting upright with feet flat', () => {
    const state = allowed(bothSides({ UpperLeg: [90, 0, 0], LowerLeg: [90] }));
    expectClose(directionOf(state, 'leftUpperLeg', DOWN), FRONT, 1e-12);
    expectClose(directionOf(state, 'leftFoot', UP), UP, 1e-12);
  });

  test('a deep squat with feet flat on the floor, trunk leaning forward', () => {
    const state = allowed({
      hips: [0, -0.45, 0, 20, 0, 0],
      spine: [20, 0, 0],
      ...bothSides({ UpperLeg: [118, 8, 0], LowerLeg: [118], Foot: [19, -8] }),
    });
    for (const side of ['left', 'right']) {
      expect(directionOf(state, `${side}Foot`, UP)[1]).toBeGreaterThan(0.97);
      // Thighs below level: hips under the knees.
      expect(frameOf(state, `${side}UpperLeg`)[10]).toBeLessThan(frameOf(state, `${side}LowerLeg`)[10] + 0.1);
    }
  });

  test('a long step, arms swinging against the legs', () => {
    const state = allowed({
      leftUpperLeg: [30, 0, 0],
      leftLowerLeg: [5],
      leftFoot: [5, 0],
      rightUpperLeg: [-20, 0, 0],
      rightLowerLeg: [35],
      rightFoot: [-15, 0],
      rightToes: [40],
      leftUpperArm: [-25, -85, 0],
      rightUpperArm: [30, -80, 0],
      leftLowerArm: [20],
      rightLowerArm: [30],
      spine: [3, 0, -3],
    });
    expect(frameOf(state, 'leftFoot')[11]).toBeGreaterThan(0.3);
    expect(frameOf(state, 'rightFoot')[11]).toBeLessThan(-0.3);
  });

  // Palm a hand's breadth from the wrist; mouth and ears in the frame of the head, for 1.75 m.
  const PALM = 0.08;
  const MOUTH = [0, 0.02, 0.11];
  test.each([
    ['mouth', 'head', MOUTH],
    ['top of the head', 'head', [0, 0.17, 0]],
    ['back of the head', 'head', [0.03, 0.05, -0.1]],
    ['own ear', 'head', [0.08, 0.04, 0]],
    ['other ear', 'head', [-0.08, 0.04, 0.03]],
    ['other shoulder', 'rightUpperArm', [-0.02, 0.05, 0.03]],
    ['other elbow', 'rightLowerArm', [0, 0, 0.05]],
    ['navel', 'spine', [0, 0, 0.13]],
    ['small of the back', 'spine', [0.05, 0, -0.13]],
    ['own knee', 'leftLowerLeg', [0, 0, 0.07]],
  ])('the left hand reaches the %s', (_what, bone, point) => {
    const knee = bone === 'leftLowerLeg';
    const start: HumanPose = {
      leftUpperArm: [20, -50, 0],
      leftLowerArm: [60],
      ...(knee ? { spine: [30, 0, 0], ...bothSides({ UpperLeg: [60, 0, 0], LowerLeg: [60] }) } : {}),
      ...(bone === 'rightLowerArm' ? { rightUpperArm: [30, -70, 0] } : {}),
    };
    const { pose, distance } = reach(start, [
      { bone: 'leftHand', point: [PALM, 0, 0], target: (state) => pointOf(state, bone, point) },
    ]);
    expect(distance).toBeLessThan(0.01);
    expect(limitViolation(human, pose)).toBe(0);
  });

  test('hands meet in front of the chest, and above the head', () => {
    for (const target of [
      [0, 1.3, 0.35],
      [0, 1.98, 0.05],
    ]) {
      const goal = (side: string, sign: number) => ({
        bone: `${side}Hand`,
        point: [sign * PALM, 0, 0],
        target: () => target,
      });
      const { distance } = reach({}, [goal('left', 1), goal('right', -1)]);
      expect(distance).toBeLessThan(0.01);
    }
  });
});

describe('impossible poses are not', () => {
  test('a knee bent backwards is straightened, an elbow too', () => {
    const pose = poseOf(human, { leftLowerLeg: [-30], rightLowerArm: [-20] });
    expect(limitViolation(human, pose)).toBeCloseTo(30 * DEGREE, 15);
    clampToLimits(human, pose);
    expect(Array.from(pose).every((x) => x === 0)).toBe(true);
  });

  test('the foot never comes in front of the line of the thigh, whatever the allowed pose', () => {
    const random = createRandom(720);
    const state = createState(human);
    for (let n = 0; n < 500; n++) {
      const pose = randomPose(human, random, 4);
      clampToLimits(human, pose);
      forwardKinematics(state, pose);
      const thigh = frameOf(state, 'leftUpperLeg');
      const [x, y, z] = directionOf(state, 'leftLowerLeg', DOWN);
      // Along the front of the thigh.
      expect(thigh[2] * x + thigh[5] * y + thigh[8] * z).toBeLessThanOrEqual(1e-14);
    }
  });

  test('the head does not turn round: 105 degrees against the hips at most, and never to face the back', () => {
    const names = ['spine', 'chest', 'upperChest', 'neck', 'head'];
    const rotated = driven(human, Object.fromEntries(names.map((name) => [name, [0, 0, 180]])));
    expect(angleAbout(UP, FRONT, directionOf(rotated, 'head', FRONT))).toBeCloseTo(105, 9);
    const neck = driven(human, { neck: [0, 0, 180], head: [0, 0, 180] });
    expect(angleAbout(UP, FRONT, directionOf(neck, 'head', FRONT))).toBeCloseTo(60, 9);
  });

  test('the thigh does not go back past 30 degrees nor the arm through the back of the chest', () => {
    const leg = driven(human, { leftUpperLeg: [-90, 0, 0] });
    expect(angleAbout(RIGHT, DOWN, directionOf(leg, 'leftUpperLeg', DOWN))).toBeCloseTo(30, 9);
    const arm = driven(human, { leftShoulder: [-90, 0], leftUpperArm: [-180, 0, 0] });
    expect(angleAbout(UP, RIGHT, directionOf(arm, 'leftUpperArm', [1, 0, 0]))).toBeCloseTo(80, 9);
  });

  test('the arm swings 135 degrees to the front and across, and 30 past hanging, clavicle helping', () => {
    const across = driven(human, { leftShoulder: [90, 0], leftUpperArm: [180, 0, 0] });
    expect(angleAbout(DOWN, RIGHT, directionOf(across, 'leftUpperArm', [1, 0, 0]))).toBeCloseTo(135, 9);
    const down = driven(human, { leftShoulder: [0, -90], leftUpperArm: [0, -180, 0] });
    expect(angleAbout([0, 0, -1], RIGHT, directionOf(down, 'leftUpperArm', [1, 0, 0]))).toBeCloseTo(120, 9);
  });

  test('shoulder extension reaches 47 degrees of the norm`s 60, as docs/figure.md says', () => {
    const greatest = greatestExtension();
    expect(greatest).toBeGreaterThan(46);
    expect(greatest).toBeLessThan(48.5);
  });
});

/**
 * The farthest straight-back lift of a hanging left arm: over all positions of the clavicle, the greatest angle at which
 * the swing that points the arm straight back is still allowed.
 */
function greatestExtension(): number {
  const state = createState(human);
  const arm = human.bones[boneIndex(human, 'leftUpperArm')].coordinate;
  let greatest = 0;
  for (let forward = -20; forward <= 20; forward++) {
    for (let up = -10; up <= 30; up++) {
      const pose = poseOf(human, { leftShoulder: [forward, up] });
      if (limitViolation(human, pose) > 0) continue;
      forwardKinematics(state, pose);
      for (let angle = greatest; angle < 90; angle += 0.25) {
        const back = [0, -Math.cos(angle * DEGREE), -Math.sin(angle * DEGREE)];
        const m = frameOf(state, 'leftShoulder');
        const [x, y, z] = [0, 1, 2].map((k) => m[k] * back[0] + m[k + 3] * back[1] + m[k + 6] * back[2]);
        // x times the unit axis across: forward about -y, up about z.
        const swing = Math.acos(x) / Math.hypot(y, z);
        pose[arm] = swing * z;
        pose[arm + 1] = swing * y;
        if (limitViolation(human, pose) > 0) break;
        greatest = angle;
      }
    }
  }
  return greatest;
}
