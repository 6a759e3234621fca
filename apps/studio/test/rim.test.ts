import { boneIndex, createFigure, type Figure, type LimitData, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { createHuman } from '../src/character/character.js';
import { changedLimits, withLimits } from '../src/character/limits.js';
import { jointEnds } from '../src/posing/joint-numbers.js';
import { jointsOf } from '../src/posing/joints.js';
import { limitDraggedTo, OPENING, rimsOf, roomOf, withEnd, withOpening } from '../src/posing/rim.js';
import { Session } from '../src/session/session.js';
import { session, useStudio } from '../src/session/store.js';
import { endWords, jointWords } from '../src/session/words.js';

const DEGREE = Math.PI / 180;
const human = () =>
  createHuman(1.75, () => {
    throw new Error('nothing is drawn');
  });
const figure = createHumanFigure();
const componentsOf = (of: Figure, name: string) =>
  of.limitComponents.filter(({ bone }) => bone === boneIndex(of, name));

describe('the room of a joint', () => {
  it('is what is left to its nearest end', () => {
    const pose = new Float64Array(figure.dof);
    const [knee] = componentsOf(figure, 'leftLowerLeg');
    pose[knee.coordinate] = 130 * DEGREE;
    expect(roomOf(knee, pose).room / DEGREE).toBeCloseTo(10, 9);
    expect(roomOf(knee, pose).share).toBe(1);
    const [swing, twist] = componentsOf(figure, 'leftUpperArm');
    // At rest 60 degrees back, 115 forward, 110 down, 60 up.
    expect(roomOf(swing, pose).room / DEGREE).toBeCloseTo(60, 6);
    expect(roomOf(twist, pose).room / DEGREE).toBeCloseTo(70, 9);
    pose[swing.coordinate] = 115 * DEGREE;
    expect(roomOf(swing, pose).room).toBeLessThan(1e-6);
  });
});

describe('the rim of a limit', () => {
  it('is dragged to where the pointer is, and nowhere else', () => {
    const pose = new Float64Array(figure.dof);
    for (const [name, grip, expected] of [
      ['leftLowerArm', { end: 'max' }, 90],
      ['leftUpperArm', { angle: 0 }, 80],
      ['leftUpperArm', { angle: 1.5 * Math.PI }, 40],
      ['leftFoot', { angle: Math.PI / 2 }, 12],
      ['spine', { angle: Math.PI }, 30],
    ] as const) {
      const [component] = componentsOf(figure, name);
      // Seen from the side that shows it best: across the plane of motion.
      const wanted = rimAt(component, grip, expected * DEGREE);
      const toScreen = viewFrom(wanted.across, wanted.center);
      const target = toScreen(wanted.point);
      const limit = limitDraggedTo(figure, pose, component, grip, 0.2, target, toScreen);
      expect(limit, name).toBeDefined();
      const changed = withNewLimit(name, limit as LimitData);
      const after = componentsOf(changed, name)[0].parameters;
      const degrees = (x: number) => Math.abs(x) / DEGREE;
      const k =
        'end' in grip
          ? 1
          : Math.round(grip.angle / (Math.PI / 2)) === 2
            ? 0
            : ([1, 3, 0, 2] as const)[Math.round(grip.angle / (Math.PI / 2))];
      expect(degrees(after[k]), name).toBeCloseTo(expected, 0);
      after.forEach((x, n) => {
        if (n !== k) expect(x, `${name} ${n}`).toBeCloseTo(component.parameters[n], 9);
      });
    }

    /** Where a rim would be at an angle, and the direction across its plane of motion. */
    function rimAt(
      component: (typeof figure.limitComponents)[number],
      grip: { readonly end: 'max' } | { readonly angle: number },
      angle: number,
    ) {
      const bone = figure.bones[component.bone];
      const limit =
        'end' in grip
          ? withEnd(bone.limit as LimitData, 0, 'max', angle)
          : withOpening(bone.limit as LimitData, grip.angle, angle);
      const changed = withNewLimit(bone.name, limit as LimitData);
      const [rim] = rimsOf(changed, pose, component.bone, () => 0.2);
      const share = 'end' in grip ? 1 : grip.angle / (2 * Math.PI);
      const count = rim.points.length;
      const point = rim.points[Math.round(share * (rim.isLoop ? count : count - 1)) % count];
      const [still] = rimsOf(figure, pose, component.bone, () => 1e-9);
      const center = still.points[0];
      const across = vec3.normalize(
        vec3.cross(vec3.subtract(rim.current, center), vec3.subtract(point, center)),
      );
      return { point, center, across };
    }
  });

  it('opens an ellipse in the direction in which it is pulled, and keeps its other quarters', () => {
    const limit: LimitData = { type: 'quad-ellipse', s: [-0.5, 1], t: [-0.4, 0.8] };
    const opened = withOpening(limit, Math.PI / 4, 1.2);
    expect(opened?.type).toBe('quad-ellipse');
    if (opened?.type !== 'quad-ellipse') return;
    const [a, b] = [opened.s[1], opened.t[1]];
    const x = 1.2 * Math.SQRT1_2;
    expect((x / a) ** 2 + (x / b) ** 2).toBeCloseTo(1, 6);
    expect([opened.s[0], opened.t[0]]).toEqual([-0.5, -0.4]);
    expect(b / 0.8).toBeCloseTo(a / 1, 6);
  });

  it('stays within what the figure takes, wherever it is pulled', () => {
    for (let n = 0; n < 400; n++) {
      const opening = (((n * 37) % 101) - 30) / 10;
      const angle = (2 * Math.PI * ((n * 13) % 67)) / 67;
      for (const limit of [
        { type: 'cone', halfAngle: 0.4 },
        { type: 'ellipse', halfAngles: [0.3, 2] },
        { type: 'quad-ellipse', s: [-0.02, 3], t: [-2, 0.1] },
      ] as const) {
        const opened = withOpening(limit, angle, opening) as LimitData;
        const made = createFigure({
          bones: [{ name: 'bone', joint: { type: 'swing', axis: [0, 1, 0] }, limit: opened }],
        });
        for (const x of made.limitComponents[0].parameters) {
          expect(Math.abs(x)).toBeGreaterThanOrEqual(OPENING.min - 1e-12);
          expect(Math.abs(x)).toBeLessThanOrEqual(OPENING.max + 1e-12);
        }
      }
    }
  });

  it('has ends by number, that are set one by one', () => {
    const [component] = componentsOf(figure, 'leftUpperLeg');
    const ends = jointEnds(figure, component, 'leftUpperLeg');
    expect(ends.map(({ label, value }) => `${label} ${value.toFixed(0)}`)).toEqual([
      'Back -30',
      'Bent 125',
      'Crossed -25',
      'Spread 45',
    ]);
    const changed = withNewLimit('leftUpperLeg', ends[3].set(70) as LimitData);
    expect(componentsOf(changed, 'leftUpperLeg')[0].parameters.map((x) => Math.round(x / DEGREE))).toEqual([
      -30, 125, -25, 70,
    ]);
    const [knee] = componentsOf(figure, 'leftLowerLeg');
    const [least] = jointEnds(figure, knee, 'leftLowerLeg');
    const locked = withNewLimit('leftLowerLeg', least.set(500) as LimitData);
    const [min, max] = componentsOf(locked, 'leftLowerLeg')[0].parameters;
    expect((max - min) / DEGREE).toBeCloseTo(1, 9);
  });
});

describe('limits of one’s own', () => {
  it('keep the pose within them, the pins where they were, and are undone with the character', () => {
    const session = new Session(human());
    const before = session.snapshot();
    const prior = session.pins.get('leftFoot');
    const limit: LimitData = { type: 'interval', min: 0, max: 5 * DEGREE };
    session.setLimits(changedLimits(session.character, 'leftLowerLeg', limit));
    session.step(1 / 60);
    expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-12);
    expect(
      session.pose[session.figure.bones[boneIndex(session.figure, 'leftLowerLeg')].coordinate],
    ).toBeLessThanOrEqual(5 * DEGREE);
    expect(session.pins.get('leftFoot')).toEqual(prior);
    expect(session.character.createModel).toBe(before.character.createModel);
    expect(session.character.contacts?.massive?.limitComponents).toEqual(session.figure.limitComponents);
    session.restore(before);
    expect(session.pose).toEqual(Float64Array.from(before.pose));
    expect(
      withLimits(withLimits(before.character, new Map([['leftLowerLeg', limit]])), new Map()).figure,
    ).toBe(before.character.figure);
  });
});

describe('words for ends', () => {
  it('are those of who animates', () => {
    const pose = new Float64Array(figure.dof);
    const [knee] = componentsOf(figure, 'leftLowerLeg');
    pose[knee.coordinate] = 140 * DEGREE;
    expect(endWords(figure, knee, pose, 'leftLowerLeg')).toBe('bent 140°');
    pose[knee.coordinate] = 0;
    expect(endWords(figure, knee, pose, 'leftLowerLeg')).toBe('straight 0°');
    const [swing, twist] = componentsOf(figure, 'rightUpperArm');
    pose[swing.coordinate + 1] = -110 * DEGREE;
    expect(endWords(figure, swing, pose, 'rightUpperArm')).toBe('lowered 110°');
    pose[twist.coordinate] = 90 * DEGREE;
    expect(endWords(figure, twist, pose, 'rightUpperArm')).toBe('turned out 90°');
    expect(endWords(figure, knee, pose, undefined)).toBe('bend 0°');
    expect(jointWords('leftMiddleIntermediate')).toBe('Left middle finger, middle joint');
    expect(jointWords('leftIndexProximal')).toBe('Left index finger, knuckle');
    expect(jointWords('rightThumbDistal')).toBe('Right thumb end joint');
    expect(jointWords('rightThumbMetacarpal')).toBe('Right thumb base');
  });

  it('name every joint of a human', () => {
    const character = human();
    expect(jointsOf(character).map(({ label }) => label)).toContain('Left shoulder');
    expect(jointsOf(character)).toHaveLength(21);
  });
});

function withNewLimit(name: string, limit: LimitData): Figure {
  return withLimits(human(), new Map([[name, limit]])).figure;
}

/** Parallel projection along a direction, px. */
function viewFrom(across: ArrayLike<number>, center: ArrayLike<number>) {
  const u = vec3.normalize(vec3.perpendicular(across));
  const v = vec3.cross(across, u);
  return (point: ArrayLike<number>) => {
    const arm = vec3.subtract(point, center);
    return { x: 1000 * vec3.dot(arm, u), y: 1000 * vec3.dot(arm, v) };
  };
}

describe('a limit that is dragged', () => {
  it('is put back by Escape, and kept as one step when it is let go', () => {
    const { dragLimits, endLimitDrag, cancelDrag, undo } = useStudio.getState();
    const before = useStudio.getState().document;
    const limitsOf = (degrees: number) =>
      changedLimits(session.character, 'leftLowerArm', { type: 'interval', min: 0, max: degrees * DEGREE });
    session.look(undefined);
    dragLimits(limitsOf(90));
    dragLimits(limitsOf(40));
    expect(session.character).not.toBe(before.character);
    cancelDrag();
    expect(session.character).toBe(before.character);
    expect([...session.pose]).toEqual(before.pose);
    expect(useStudio.getState().document).toBe(before);
    // Neither what was put back nor what was undone is kept as the pointer is let go.
    endLimitDrag('Set the limit of the left elbow');
    expect(useStudio.getState().document).toBe(before);
    dragLimits(limitsOf(90));
    undo();
    endLimitDrag('Set the limit of the left elbow');
    expect(useStudio.getState().document).toBe(before);
    // Where it is let go decides, not the way there.
    dragLimits(limitsOf(1));
    dragLimits(limitsOf(120));
    expect([...session.pose]).toEqual(before.pose);
    endLimitDrag('Set the limit of the left elbow');
    expect(useStudio.getState().steps.undo).toBe('Set the limit of the left elbow');
    undo();
    expect(session.character).toBe(before.character);
    expect(useStudio.getState().steps.undo).toBeUndefined();
  });
});
