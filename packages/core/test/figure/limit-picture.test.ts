import {
  createFigure,
  createLimitPicture,
  createState,
  type Figure,
  forwardKinematics,
  type LimitComponent,
  type LimitPicture,
  limitShapes,
  updateLimitPicture,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { quat } from 'poise/math';
import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

function componentOf(figure: Figure, bone: string, role?: string): LimitComponent {
  const index = figure.bones.findIndex(({ name }) => name === bone);
  return figure.limitComponents.find(
    (one) => one.bone === index && (role ?? one.role) === one.role,
  ) as LimitComponent;
}

function drawn(figure: Figure, component: LimitComponent, pose: ArrayLike<number>): LimitPicture {
  const picture = createLimitPicture(figure, component) as LimitPicture;
  updateLimitPicture(picture, pose);
  return picture;
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
    const picture = drawn(figure, componentOf(figure, 'limb'), [0, 0]);
    expect(picture.closed).toBe(true);
    for (const direction of directions(picture)) {
      expect(direction.angleTo(new Vector3(0, 1, 0))).toBeCloseTo(0.7, 6);
    }
    expect([...picture.current]).toEqual([0, 1, 0]);
  });

  it("of a ball's angle is the cone that the limb can reach", () => {
    const figure = createFigure({
      bones: [
        { name: 'limb', tip: [0.3, 0, 0], joint: { type: 'ball' }, limit: { type: 'angle', max: 0.9 } },
      ],
    });
    const picture = drawn(figure, figure.limitComponents[0], [0, 0.4, 0]);
    expect(picture.closed).toBe(true);
    for (const direction of directions(picture)) {
      expect(direction.angleTo(new Vector3(1, 0, 0))).toBeCloseTo(0.9, 6);
    }
    expect(new Vector3(...picture.current).angleTo(new Vector3(1, 0, 0))).toBeCloseTo(0.4, 6);
  });

  it('of a slider is its range, in metres', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'lift',
          joint: { type: 'slider', axis: [0, 1, 0] },
          limit: { type: 'interval', min: 0.1, max: 0.6 },
        },
      ],
    });
    const picture = drawn(figure, figure.limitComponents[0], [0.25]);
    expect(picture.shape).toBe('positions');
    const positions = directions(picture);
    expect(positions[0].distanceTo(new Vector3(0, 0.1, 0))).toBeLessThan(1e-7);
    expect(positions[positions.length - 1].distanceTo(new Vector3(0, 0.6, 0))).toBeLessThan(1e-7);
    expect(picture.current[1]).toBeCloseTo(0.25, 7);
  });

  it('does not exist for an interval without one of its bounds', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'wheel',
          joint: { type: 'hinge', axis: [0, 1, 0] },
          limit: { type: 'interval', min: 0, max: null },
        },
      ],
    });
    expect(createLimitPicture(figure, figure.limitComponents[0])).toBeUndefined();
  });

  it('of an elbow is the arc of the forearm', () => {
    const figure = createHumanFigure();
    const picture = drawn(figure, componentOf(figure, 'leftLowerArm'), new Float64Array(figure.dof));
    const arc = directions(picture);
    expect(picture.closed).toBe(false);
    expect(arc[0].angleTo(new Vector3(1, 0, 0))).toBeLessThan(1e-6);
    expect(arc[arc.length - 1].angleTo(arc[0])).toBeCloseTo(150 * degrees, 6);
    for (const direction of arc) expect(direction.y).toBeCloseTo(0, 6);
  });

  it('of a twist is an arc perpendicular to the limb, from minimum to maximum', () => {
    const figure = createHumanFigure();
    const picture = drawn(figure, componentOf(figure, 'leftUpperArm', 'twist'), new Float64Array(figure.dof));
    const arc = directions(picture);
    const angle = arc.slice(1).reduce((sum, direction, k) => sum + direction.angleTo(arc[k]), 0);
    expect(angle).toBeCloseTo(160 * degrees, 4);
    for (const direction of arc) expect(direction.x).toBeCloseTo(0, 6);
  });

  it("of a swing is the boundary of the clamp's own set: g = 0 at any twist", () => {
    const figure = createHumanFigure();
    const component = componentOf(figure, 'rightUpperLeg', 'swing');
    const pose = new Float64Array(figure.dof);
    pose[component.coordinate + 2] = 0.3;
    const picture = drawn(figure, component, pose);
    const { joint } = figure.bones[component.bone];
    const single = createFigure({ bones: [{ name: 'bone', joint }] });
    const state = createState(single);
    // Back from directions of the limb to coordinates: the shortest swing, which is how the joint is made.
    const limb = new Vector3(0, -1, 0);
    for (const direction of directions(picture)) {
      const axis = limb.clone().cross(direction);
      const swing = axis.setLength(limb.angleTo(direction));
      // Coordinates of a swing vector on the pair (s, t) of the joint, found by the joint itself.
      const [s, t] = [
        [1e-6, 0, 0],
        [0, 1e-6, 0],
      ].map((q) => {
        forwardKinematics(state, Float64Array.from(q));
        const [x, y, z] = quat.fromMatrix(state.worldFromBone);
        return new Vector3(x, y, z).normalize();
      });
      const q = [swing.dot(s), swing.dot(t)];
      expect(limitShapes[component.kind].value(component.parameters, q, 0, 2)).toBeCloseTo(0, 4);
    }
  });

  it('has the marker on its edge for a pose on the limit', () => {
    const figure = createHumanFigure();
    for (const component of figure.limitComponents) {
      if (component.size !== 1 || component.role === 'position') continue;
      const pose = new Float64Array(figure.dof);
      pose[component.coordinate] = component.parameters[1];
      const picture = drawn(figure, component, pose);
      const arc = directions(picture);
      expect(arc[arc.length - 1].distanceTo(new Vector3(...picture.current))).toBeLessThan(1e-6);
    }
  });

  it('is of finite unit directions for every limit of the human', () => {
    const figure = createHumanFigure();
    const pose = Float64Array.from({ length: figure.dof }, (_, i) => 0.1 * Math.sin(i));
    for (const component of figure.limitComponents) {
      for (const direction of directions(drawn(figure, component, pose)))
        expect(direction.length()).toBeCloseTo(1, 6);
    }
  });

  it('is updated only if its joint has moved', () => {
    const figure = createHumanFigure();
    const component = componentOf(figure, 'leftLowerArm');
    const pose = new Float64Array(figure.dof);
    const picture = drawn(figure, component, pose);
    expect(updateLimitPicture(picture, pose)).toBe(false);
    pose[0] = 1;
    expect(updateLimitPicture(picture, pose)).toBe(false);
    pose[component.coordinate] = 1;
    expect(updateLimitPicture(picture, pose)).toBe(true);
  });
});
