import { type BoneData, createFigure } from 'poise/figure';
import { expect, test } from 'vitest';
import { jointText, limitComponentText, limitTexts, limitValueText } from '../../src/io/format-limit.js';

const rad = (degrees: number) => (degrees * Math.PI) / 180;

test.each([
  [{ joint: { type: 'hinge', axis: [1, 0, 0] } }, 'hinge about x', ''],
  [
    { joint: { type: 'hinge', axis: [0, -2, 0] }, limit: { type: 'interval', min: 0, max: rad(150) } },
    'hinge about -y',
    '0..150°',
  ],
  [
    { joint: { type: 'hinge', axis: [3, 4, 0] }, limit: { type: 'interval', min: null, max: rad(20) } },
    'hinge about (0.6, 0.8, 0)',
    'up to 20°',
  ],
  [
    { joint: { type: 'slider', axis: [0, 0, 1] }, limit: { type: 'interval', min: 0.1, max: null } },
    'slider along z',
    'from 0.1 m',
  ],
  [{ joint: { type: 'ball' }, limit: { type: 'angle', max: rad(60) } }, 'ball', 'up to 60°'],
  [
    { joint: { type: 'swing', axis: [0, 1, 0] }, limit: { type: 'cone', halfAngle: rad(45) } },
    'swing about y',
    'swing up to 45°',
  ],
  [
    {
      joint: { type: 'swing', axis: [0, 1, 0] },
      limit: { type: 'ellipse', halfAngles: [rad(40), rad(20)] },
    },
    'swing about y',
    'swing ±40 x ±20°',
  ],
  [
    {
      joint: { type: 'ball-and-socket', axis: [0, 1, 0] },
      limit: {
        type: 'swing-twist',
        swing: { type: 'quad-ellipse', s: [rad(-14), rad(45)], t: [rad(-15), rad(15)] },
        twist: { min: rad(-8), max: rad(8) },
      },
    },
    'ball-and-socket about y',
    'swing -14..45 x ±15°, twist ±8°',
  ],
  [
    {
      joint: { type: 'euler', order: 'XZY' },
      limit: { type: 'box', min: [rad(-80), null, rad(-20)], max: [rad(80), null, rad(30)] },
    },
    'euler XZY',
    'X ±80°, Y -20..30°',
  ],
  [
    {
      joint: { type: 'free' },
      limit: { type: 'box', min: [null, 0, -2, null, null, null], max: [null, null, 3, null, null, null] },
    },
    'free',
    'y from 0 m, z -2..3 m',
  ],
] as [Partial<BoneData>, string, string][])('%j reads %s, %j', (data, joint, limit) => {
  const figure = createFigure({ bones: [{ name: 'b', ...data }] });
  expect(jointText(figure.bones[0])).toBe(joint);
  expect(limitTexts(figure)).toEqual([limit]);
});

test('a limit component is shown with its value in the pose', () => {
  const figure = createFigure({
    bones: [
      {
        name: 'b',
        joint: { type: 'ball-and-socket', axis: [0, 1, 0] },
        limit: {
          type: 'swing-twist',
          swing: { type: 'cone', halfAngle: rad(30) },
          twist: { min: rad(-5), max: rad(10) },
        },
      },
      { name: 's', joint: { type: 'slider', axis: [1, 0, 0] }, limit: { type: 'interval', min: -1, max: 2 } },
    ],
  });
  const pose = [rad(12), rad(-20.04), rad(10), 1.25];
  expect(
    figure.limitComponents.map(
      (component) => `${limitComponentText(figure, component)} at ${limitValueText(component, pose)}`,
    ),
  ).toEqual(['swing up to 30° at (12, -20)°', 'twist -5..10° at 10°', '-1..2 m at 1.25 m']);
});
