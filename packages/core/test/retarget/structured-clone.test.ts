import { createHumanFigure } from 'poise/humanoid';
import { motionFromPoses } from 'poise/motion';
import { createRetargeter, retargetMotion } from 'poise/retarget';
import { expect, test } from 'vitest';

test('a retargeter and a clip survive postMessage: the result is equal to the bit', () => {
  const source = createHumanFigure({ height: 1.8 });
  const target = createHumanFigure({ height: 1.1 });
  const poses = Array.from({ length: 31 }, (_, f) =>
    Float64Array.from({ length: source.dof }, (_, i) => 0.05 * Math.sin(0.2 * f + i)),
  );
  const motion = motionFromPoses(
    source,
    poses.map((_, f) => f / 30),
    poses,
  );
  const retargeter = createRetargeter(source, target);
  const here = retargetMotion(retargeter, motion);
  const sent = structuredClone({ retargeter, motion });
  const there = structuredClone(retargetMotion(sent.retargeter, sent.motion));
  expect(there).toEqual(here);
});
