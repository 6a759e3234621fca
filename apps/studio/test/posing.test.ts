import { limitViolation } from 'poise/figure';
import { quat } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { type Character, createHuman, HEIGHTS } from '../src/character/character.js';
import { circle, RingDrag, type Sight } from '../src/posing/ring.js';
import { Session } from '../src/session/session.js';

const FRAME = 1 / 60;

function human(height: number = HEIGHTS.usual): Character {
  return createHuman(height, () => {
    throw new Error('nothing is drawn');
  });
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function orientation(session: Session, id: string): number[] {
  return quat.fromMatrix(session.frameOf(session.handle(id).bone).slice(0, 9));
}

function joint(session: Session, id: string): number[] {
  return Array.from(session.frameOf(session.handle(id).bone).slice(9, 12));
}

/** Turns a handle by an angle over some frames, then holds still for as many; checks every frame. */
function turn(
  session: Session,
  id: string,
  axis: readonly number[],
  angle: number,
  check: () => void = () => {},
  frames = 30,
): void {
  session.beginTurn(id);
  for (let frame = 1; frame <= 2 * frames; frame++) {
    session.turnTo(axis, angle * Math.min(1, frame / frames));
    session.step(FRAME);
    check();
  }
}

describe('turning', () => {
  it('turns each bone by a little to where it is asked, its joint and the pinned feet in place', () => {
    for (const id of ['leftHand', 'rightHand', 'head', 'chest', 'hips']) {
      for (const axis of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ]) {
        const session = new Session(human());
        session.step(FRAME);
        const before = orientation(session, id);
        const feet = ['leftFoot', 'rightFoot'].map((foot) => session.handlePosition(foot));
        const place = joint(session, id);
        turn(session, id, axis, 0.15);
        const wanted = quat.multiply(quat.fromAxisAngle(axis, 0.15), before);
        expect(quat.angleBetween(orientation(session, id), wanted), `${id} ${axis}`).toBeLessThan(0.02);
        expect(distance(joint(session, id), place), `${id} ${axis}`).toBeLessThan(0.01);
        feet.forEach((foot, k) => {
          expect(distance(session.handlePosition(['leftFoot', 'rightFoot'][k]), foot)).toBeLessThan(1e-3);
        });
      }
    }
  });

  it('holds limits and other pins, whatever is turned how far', () => {
    const session = new Session(human());
    session.pin('leftHand', 'both');
    for (const { id, rotates } of session.character.handles) {
      expect(rotates).toBe(true);
      for (const [axis, angle] of [
        [[1, 0, 0], 2],
        [[0, 1, 0], -3],
        [[0, 0, 1], 9],
      ] as const) {
        const pins = [...session.pins].filter(([pin]) => pin !== id);
        const check = () => expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-12);
        turn(session, id, axis, angle, check, 6);
        for (const [pin, { target, orientation: held, holds }] of pins) {
          expect(distance(session.handlePosition(pin), target), `${id} moves ${pin}`).toBeLessThan(1e-3);
          if (holds === 'both') {
            expect(quat.angleBetween(orientation(session, pin), held), `${id} turns ${pin}`).toBeLessThan(
              0.02,
            );
          }
        }
        session.cancelDrag();
        session.step(FRAME);
      }
    }
  });

  it('turns a pinned foot in place, and the pin with it', () => {
    const session = new Session(human());
    session.step(FRAME);
    const place = session.handlePosition('leftFoot');
    const before = orientation(session, 'leftFoot');
    turn(session, 'leftFoot', [0, 1, 0], 0.3);
    session.endDrag();
    session.step(FRAME);
    expect(quat.angleBetween(orientation(session, 'leftFoot'), before)).toBeCloseTo(0.3, 1);
    expect(distance(session.handlePosition('leftFoot'), place)).toBeLessThan(1e-3);
    expect(session.pins.get('leftFoot')?.holds).toBe('both');
    expect(session.result?.status).toBe('converged');
  });

  it('goes back on cancel, to the bit', () => {
    const session = new Session(human());
    session.step(FRAME);
    const before = [...session.pose];
    turn(session, 'head', [0, 1, 0], 0.5);
    expect([...session.pose]).not.toEqual(before);
    session.cancelDrag();
    session.step(FRAME);
    expect([...session.pose]).toEqual(before);
  });

  it('is the same for the same turns', () => {
    const poses = [0, 1].map(() => {
      const session = new Session(human());
      turn(session, 'leftHand', [0, 0, 1], 0.8);
      return [...session.pose];
    });
    expect(poses[0]).toEqual(poses[1]);
  });
});

describe('pins', () => {
  it('hold place, rotation or both, as they say', () => {
    for (const holds of ['place', 'rotation', 'both'] as const) {
      const session = new Session(human());
      session.pin('head', holds);
      session.step(FRAME);
      const [place, before] = [session.handlePosition('head'), orientation(session, 'head')];
      session.beginDrag('leftHand');
      const [x, y, z] = session.handlePosition('leftHand');
      for (let frame = 0; frame < 60; frame++) {
        session.dragTo(x + 0.1, y + 0.2, z + 0.7);
        session.step(FRAME);
      }
      const moved = distance(session.handlePosition('head'), place);
      const turned = quat.angleBetween(orientation(session, 'head'), before);
      if (holds === 'rotation') expect(moved).toBeGreaterThan(0.02);
      else expect(moved).toBeLessThan(1e-3);
      if (holds === 'place') expect(turned).toBeGreaterThan(0.02);
      else expect(turned).toBeLessThan(0.01);
      expect(session.distanceLeft('head') === undefined).toBe(holds === 'rotation');
      expect(session.angleLeft('head') === undefined).toBe(holds === 'place');
    }
  });

  it('keep what they hold when the pose is set, and through undo', () => {
    const session = new Session(human());
    session.pin('leftHand', 'both');
    const before = session.snapshot();
    session.setPose(session.character, session.pose, [...session.pins.keys()]);
    expect(session.pins.get('leftHand')?.holds).toBe('both');
    session.pin('leftHand', 'rotation');
    session.restore(before);
    expect(session.pins.get('leftHand')?.holds).toBe('both');
  });
});

describe('a point of the skin', () => {
  it('follows the pointer as a handle does, and takes the pin on its bone along', () => {
    const session = new Session(human());
    const arm = session.character.humanoid?.bones.leftLowerArm as number;
    session.beginDrag({ bone: arm, point: [0.12, 0.02, 0] });
    const [x, y, z] = session.dragPosition() as number[];
    for (let frame = 0; frame < 40; frame++) {
      session.dragTo(x + 0.1, y + 0.2, z + 0.2);
      session.step(FRAME);
    }
    expect(session.result?.status).toBe('converged');
    expect(distance(session.dragPosition() as number[], [x + 0.1, y + 0.2, z + 0.2])).toBeLessThan(2e-3);
    session.endDrag();

    const foot = session.handle('leftFoot').bone;
    const pinned = session.pins.get('leftFoot')?.target as number[];
    session.beginDrag({ bone: foot, point: [0, 0, 0] });
    const [a, b, c] = session.dragPosition() as number[];
    for (let frame = 0; frame < 40; frame++) {
      session.dragTo(a + 0.15, b + 0.1, c);
      session.step(FRAME);
    }
    session.endDrag();
    expect(distance(session.pins.get('leftFoot')?.target as number[], pinned)).toBeGreaterThan(0.1);
  });
});

describe('rings', () => {
  /** An orthographic camera along -z, 100 px a metre. */
  const sight: Sight = {
    back: [0, 0, 1],
    onPlane: (point, normal, x, y) => {
      const [px, py] = [x / 100, -y / 100];
      if (Math.abs(normal[2]) < 1e-9) return undefined;
      return [px, py, point[2] - (normal[0] * (px - point[0]) + normal[1] * (py - point[1])) / normal[2]];
    },
    toScreen: (point) => ({ x: 100 * point[0], y: -100 * point[1] }),
  };

  it('are circles about their axis', () => {
    const [center, axis] = [
      [1, 2, 3],
      [0.6, 0, 0.8],
    ];
    const points = circle(center, axis, 0.5);
    for (const point of points) {
      expect(distance(point, center)).toBeCloseTo(0.5, 12);
      expect(axis.reduce((sum, x, k) => sum + x * (point[k] - center[k]), 0)).toBeCloseTo(0, 12);
    }
    expect(distance(points[0], points.at(-1) as number[])).toBeCloseTo(0, 12);
  });

  it('follow the pointer round, more than once', () => {
    for (const axis of [
      [0, 0, 1],
      [0, 0.6, 0.8],
      [0, 0, -1],
    ]) {
      const ring = new RingDrag([0, 0, 0], axis, 1, sight, 100, 0);
      let angle = 0;
      for (let n = 1; n <= 100; n++) {
        const phi = (2 * Math.PI * 1.5 * n) / 100;
        // A point of the ring, from above: u = x, v = axis x u.
        const [x, y] = [Math.cos(phi), axis[2] * Math.sin(phi)];
        angle = ring.to(100 * x, -100 * y);
      }
      expect(angle).toBeCloseTo(3 * Math.PI, 6);
    }
  });

  it('that are seen from the side follow the pointer along their line', () => {
    const ring = new RingDrag([0, 0, 0], [1, 0, 0], 0.5, sight, 0, 0);
    // The near side moves down by a radius a radian.
    expect(ring.to(0, 50)).toBeCloseTo(1, 3);
    expect(ring.to(30, -25)).toBeCloseTo(-0.5, 3);
  });
});
