import { createFigure, type Figure, humanFigure, type LimitPart } from 'poise/figure';
import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { type LimitPicture, limitPicture } from '../src/scene/limit-picture.js';

function picture(figure: Figure, bone: string, pose: ArrayLike<number>, role?: string): LimitPicture {
  const index = figure.bones.findIndex(({ name }) => name === bone);
  const part = figure.limitParts.find(
    (one) => one.bone === index && (role === undefined || one.role === role),
  );
  return limitPicture(figure, part as LimitPart, pose) as LimitPicture;
}

function directions({ boundary }: LimitPicture): Vector3[] {
  return Array.from({ length: boundary.length / 3 }, (_, k) => new Vector3().fromArray(boundary, 3 * k));
}

const degrees = Math.PI / 180;

describe('the picture of a limit', () => {
  it('of a cone is the circle at its half-angle', () => {
    const figure = createFigure({
      bones: [
        { name: 'base' },
        {
          name: 'limb',
          parent: 'base',
          tip: [0, 0.3, 0],
          joint: { type: 'swing', axis: [0, 1, 0] },
          limit: { type: 'cone', halfAngle: 0.7 },
        },
      ],
    });
    const drawn = picture(figure, 'limb', [0, 0]);
    expect(drawn.closed).toBe(true);
    for (const direction of directions(drawn)) {
      expect(direction.angleTo(new Vector3(0, 1, 0))).toBeCloseTo(0.7, 6);
    }
    expect(drawn.current).toEqual([0, 1, 0]);
  });

  it('of an elbow is the arc that the forearm can take', () => {
    const figure = humanFigure();
    const drawn = picture(figure, 'leftLowerArm', new Float64Array(figure.dof));
    const arc = directions(drawn);
    expect(drawn.closed).toBe(false);
    expect(arc[0].angleTo(new Vector3(1, 0, 0))).toBeLessThan(1e-6);
    expect(arc[arc.length - 1].angleTo(arc[0])).toBeCloseTo(150 * degrees, 6);
    for (const direction of arc) expect(direction.y).toBeCloseTo(0, 6);
  });

  it('of a twist turns across the limb, from least to greatest', () => {
    const figure = humanFigure();
    const drawn = picture(figure, 'leftUpperArm', new Float64Array(figure.dof), 'twist');
    const arc = directions(drawn);
    const turned = arc.slice(1).reduce((sum, direction, k) => sum + direction.angleTo(arc[k]), 0);
    expect(turned).toBeCloseTo(160 * degrees, 4);
    for (const direction of arc) expect(direction.x).toBeCloseTo(0, 6);
  });

  it('has the marker on its edge when the pose is on the limit', () => {
    const figure = humanFigure();
    for (const part of figure.limitParts) {
      if (part.size !== 1 || part.role === 'position') continue;
      const pose = new Float64Array(figure.dof);
      pose[part.coordinate] = part.parameters[1];
      const drawn = limitPicture(figure, part, pose) as LimitPicture;
      const arc = directions(drawn);
      expect(arc[arc.length - 1].distanceTo(new Vector3(...drawn.current))).toBeLessThan(1e-6);
    }
  });

  it('is of finite unit directions for every limit of the human', () => {
    const figure = humanFigure();
    const pose = Float64Array.from({ length: figure.dof }, (_, i) => 0.1 * Math.sin(i));
    for (const part of figure.limitParts) {
      const drawn = limitPicture(figure, part, pose) as LimitPicture;
      for (const direction of directions(drawn)) expect(direction.length()).toBeCloseTo(1, 6);
    }
  });
});
