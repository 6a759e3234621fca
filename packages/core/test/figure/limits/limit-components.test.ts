import { describe, expect, test } from 'vitest';
import {
  createFigure,
  type JointData,
  type LimitComponent,
  type LimitData,
} from '../../../src/figure/index.js';

/** Components of a limit on a joint whose coordinates start at 6 of the pose. */
function componentsOf(joint: JointData, limit: LimitData): readonly LimitComponent[] {
  return createFigure({
    bones: [
      { name: 'root', joint: { type: 'free' } },
      { name: 'limited', parent: 'root', joint, limit },
    ],
  }).limitComponents;
}

const hinge: JointData = { type: 'hinge', axis: [1, 0, 0] };
const slider: JointData = { type: 'slider', axis: [1, 0, 0] };
const swing: JointData = { type: 'swing', axis: [1, 0, 0] };
const socket: JointData = { type: 'ball-and-socket', axis: [1, 0, 0] };
const interval = { bone: 1, size: 1, kind: 'interval' };
const ofSwing = { bone: 1, coordinate: 6, size: 2, role: 'swing' };

describe('a limit becomes convex components over the pose', () => {
  test('hinge and slider: one interval, in rad or m', () => {
    expect(componentsOf(hinge, { type: 'interval', min: -1, max: 2 })).toEqual([
      { ...interval, coordinate: 6, role: 'angle', parameters: [-1, 2] },
    ]);
    expect(componentsOf(slider, { type: 'interval', min: null, max: 2 })).toEqual([
      { ...interval, coordinate: 6, role: 'distance', parameters: [Number.NEGATIVE_INFINITY, 2] },
    ]);
  });

  test('an interval open on both sides is no limit', () => {
    expect(componentsOf(hinge, { type: 'interval', min: null, max: null })).toEqual([]);
  });

  test('a point is an interval', () => {
    expect(componentsOf(hinge, { type: 'interval', min: 0.5, max: 0.5 })).toHaveLength(1);
  });

  test('Euler and free: an interval for each limited coordinate', () => {
    const euler: JointData = { type: 'euler', order: 'ZXY' };
    expect(componentsOf(euler, { type: 'box', min: [-1, null, 0], max: [1, null, null] })).toEqual([
      { ...interval, coordinate: 6, role: 'angle', parameters: [-1, 1] },
      { ...interval, coordinate: 8, role: 'angle', parameters: [0, Infinity] },
    ]);
    const box: LimitData = {
      type: 'box',
      min: [null, 0, null, null, null, null],
      max: [null, 2, 3, null, null, null],
    };
    expect(componentsOf({ type: 'free' }, box)).toEqual([
      { ...interval, coordinate: 7, role: 'position', parameters: [0, 2] },
      { ...interval, coordinate: 8, role: 'position', parameters: [Number.NEGATIVE_INFINITY, 3] },
    ]);
  });

  test('ball: a disk of three coordinates below pi', () => {
    expect(componentsOf({ type: 'ball' }, { type: 'angle', max: 3.1 })).toEqual([
      { bone: 1, coordinate: 6, size: 3, kind: 'disk', role: 'angle', parameters: [3.1] },
    ]);
    expect(componentsOf({ type: 'ball' }, { type: 'angle', max: Math.PI })).toEqual([]);
  });

  test('swing: disk, ellipse or quad-ellipse of two coordinates', () => {
    expect(componentsOf(swing, { type: 'cone', halfAngle: 3.14 })).toEqual([
      { ...ofSwing, kind: 'disk', parameters: [3.14] },
    ]);
    expect(componentsOf(swing, { type: 'ellipse', halfAngles: [1, 2] })).toEqual([
      { ...ofSwing, kind: 'ellipse', parameters: [1, 2] },
    ]);
    expect(componentsOf(swing, { type: 'quad-ellipse', s: [-0.1, 1], t: [-0.2, 2] })).toEqual([
      { ...ofSwing, kind: 'quad-ellipse', parameters: [-0.1, 1, -0.2, 2] },
    ]);
  });

  test('ball-and-socket: swing, twist or both', () => {
    const cone = { type: 'cone', halfAngle: 1 } as const;
    const twist = { min: -0.5, max: 0.7 };
    const swingComponent = { ...ofSwing, kind: 'disk', parameters: [1] };
    const twistComponent = { ...interval, coordinate: 8, role: 'twist', parameters: [-0.5, 0.7] };
    expect(componentsOf(socket, { type: 'swing-twist', swing: cone, twist })).toEqual([
      swingComponent,
      twistComponent,
    ]);
    expect(componentsOf(socket, { type: 'swing-twist', swing: cone })).toEqual([swingComponent]);
    expect(componentsOf(socket, { type: 'swing-twist', twist })).toEqual([twistComponent]);
    expect(componentsOf(socket, { type: 'swing-twist' })).toEqual([]);
  });
});
