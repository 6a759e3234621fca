import { readFileSync } from 'node:fs';
import { plainGlb } from '@poise/test-support/plain-glb';
import { describeWithData } from '@poise/test-support/shared-data';
import { clampToLimits, createFigure, figureToData, limitViolation } from 'poise/figure';
import { quat } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { type Character, createHuman, HEIGHTS } from '../src/character/character.js';
import { createHand } from '../src/character/made/hand.js';
import { openCharacter } from '../src/character/open-character.js';
import { blend } from '../src/posing/blend.js';
import { loadApart } from '../src/posing/constraint-loader.js';
import { jointNumbers, withNumber } from '../src/posing/joint-numbers.js';
import { copySide, mirrored, mirroredPins } from '../src/posing/mirror.js';
import { circle, RingDrag, type Sight } from '../src/scene/ring.js';
import { Session } from '../src/session/session.js';
import { session, useStudio } from '../src/session/store.js';

const FRAME = 1 / 60;

function human(height: number = HEIGHTS.usual): Character {
  return createHuman(height, () => {
    throw new Error('nothing is drawn');
  });
}

function createRandom(salt: number): () => number {
  let state = (Number(process.env.POISE_SEED ?? 19970301) ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
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
  it('turns the arm by the rings of a shoulder, and leaves the trunk', () => {
    const session = new Session(human());
    const before = Float64Array.from(session.pose);
    turn(session, 'leftShoulder', [0, 0, 1], 0.6);
    session.endDrag();
    const rotated = (name: string) =>
      session.figure.bones
        .filter((bone) => bone.name === name)
        .flatMap(({ coordinate, dof }) => Array.from({ length: dof }, (_, k) => coordinate + k))
        .reduce((most, k) => Math.max(most, Math.abs(session.pose[k] - before[k])), 0);
    expect(rotated('leftUpperArm')).toBeGreaterThan(0.4);
    for (const name of ['spine', 'chest', 'upperChest', 'leftShoulder'])
      expect(rotated(name)).toBeLessThan(0.02);
  });

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
    for (const id of ['head', 'leftHand', 'leftFoot', 'chest', 'rightShoulder', 'leftToes', 'hips']) {
      for (const [axis, angle] of [
        [[0, 1, 0], -3],
        [[0.6, 0, 0.8], 9],
      ] as const) {
        const pins = [...session.pins].filter(([pin]) => pin !== id);
        const check = () => expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-12);
        turn(session, id, axis, angle, check, 6);
        for (const [pin, { target, orientation: fixed, holds }] of pins) {
          expect(distance(session.handlePosition(pin), target), `${id} moves ${pin}`).toBeLessThan(1e-3);
          if (holds === 'both') {
            expect(quat.angleBetween(orientation(session, pin), fixed), `${id} turns ${pin}`).toBeLessThan(
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
      const rotated = quat.angleBetween(orientation(session, 'head'), before);
      if (holds === 'rotation') expect(moved).toBeGreaterThan(0.02);
      else expect(moved).toBeLessThan(1e-3);
      if (holds === 'place') expect(rotated).toBeGreaterThan(0.02);
      else expect(rotated).toBeLessThan(0.01);
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

/** Pulls a handle by (x, y, z) over some frames, then holds still for as many. */
function pull(session: Session, id: string, by: readonly number[], check: () => void = () => {}): void {
  session.beginDrag(id);
  const [x, y, z] = session.handlePosition(id);
  for (let frame = 1; frame <= 60; frame++) {
    const share = Math.min(1, frame / 30);
    session.dragTo(x + share * by[0], y + share * by[1], z + share * by[2]);
    session.step(FRAME);
    check();
  }
}

/** Centre of mass from the masses of the figure, by hand. */
function centerOfMass({ figure, state }: Session): number[] {
  const sum = [0, 0, 0];
  let total = 0;
  for (const { index, mass = 0, centerOfMass = [0, 0, 0] } of figure.bones) {
    const f = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    total += mass;
    for (let k = 0; k < 3; k++) {
      sum[k] += mass * (f[9 + k] + [0, 1, 2].reduce((x, n) => x + f[3 * k + n] * centerOfMass[n], 0));
    }
  }
  return sum.map((x) => x / total);
}

/** Whether a point is within the convex hull of others seen from above, up to a margin: no line has all of them on its far side. */
function isOver(point: readonly number[], support: readonly number[][], margin: number): boolean {
  for (let n = 0; n < 360; n++) {
    const [a, b] = [Math.cos((n * Math.PI) / 180), Math.sin((n * Math.PI) / 180)];
    const reach = Math.max(...support.map(([x, , z]) => a * x + b * z));
    if (a * point[0] + b * point[2] > reach + margin) return false;
  }
  return true;
}

function soles(session: Session): number[][] {
  return [...(session.character.contacts?.soles ?? [])].flatMap(([bone, corners]) =>
    corners.map((corner) => {
      const f = session.frameOf(bone);
      return [0, 1, 2].map((k) => f[9 + k] + [0, 1, 2].reduce((x, n) => x + f[3 * k + n] * corner[n], 0));
    }),
  );
}

describe('ground and balance', () => {
  it('are on for a human at the start, and leave its pose as it is', () => {
    for (const height of [HEIGHTS.min, HEIGHTS.usual, HEIGHTS.max]) {
      const session = new Session(human(height));
      expect([session.ground, session.balance]).toEqual([true, true]);
      session.step(FRAME);
      expect([...session.pose]).toEqual([...session.character.pose]);
      expect(session.result?.status).toBe('converged');
      expect(session.balanceLeft).toBe(0);
      expect(isOver(centerOfMass(session), soles(session), 0)).toBe(true);
    }
  });

  it('come back with a human after a character that has neither', () => {
    const session = new Session(human());
    const before = session.snapshot();
    session.setCharacter(createHand());
    expect([session.ground, session.balance]).toEqual([false, false]);
    session.restore(before);
    expect([session.ground, session.balance]).toEqual([true, true]);
  });

  it('come back with Undo and Redo, as hands that stay off the body', async () => {
    const switches = () => {
      const { ground, balance, apart } = session;
      return [ground, balance, apart];
    };
    const { setGround, setBalance, setApart, undo, redo } = useStudio.getState();
    setGround(false);
    setBalance(false);
    await loadApart();
    setApart(true);
    expect(switches()).toEqual([false, false, true]);
    undo();
    expect(switches()).toEqual([false, false, false]);
    undo();
    undo();
    expect(switches()).toEqual([true, true, false]);
    expect(useStudio.getState().view.balance).toBe(true);
    redo();
    redo();
    redo();
    expect(switches()).toEqual([false, false, true]);
    for (let n = 0; n < 3; n++) undo();
  });

  it('ask nothing of a human without masses, whatever was on before', () => {
    const { contacts, ...rest } = human();
    const massless = createFigure({
      bones: figureToData(rest.figure).bones.map(
        ({ mass: _, centerOfMass: __, inertia: ___, ...bone }) => bone,
      ),
    });
    const light: Character = {
      ...rest,
      figure: massless,
      given: massless,
      contacts: contacts && { ...contacts, massive: undefined },
    };
    const session = new Session(light);
    const before = session.snapshot();
    session.setCharacter(human());
    session.restore(before);
    expect(session.balance).toBe(false);
    expect(session.step(1 / 60)).toBe(true);
  });

  it('keep the centre of mass over the feet in a far reach, where it would fall without', () => {
    for (const by of [
      [-0.1, -0.4, 0.7],
      [0.7, 0.1, 0],
      [0, 0.2, -0.6],
    ]) {
      const reach = [true, false].map((balance) => {
        const session = new Session(human());
        session.balance = balance;
        pull(session, 'leftHand', by);
        return session;
      });
      expect(isOver(centerOfMass(reach[0]), soles(reach[0]), 0.005), `${by}`).toBe(true);
      for (const foot of ['leftFoot', 'rightFoot']) {
        expect(distance(reach[0].handlePosition(foot), reach[0].pins.get(foot)?.target ?? [])).toBeLessThan(
          1e-3,
        );
      }
    }
    const session = new Session(human());
    session.balance = false;
    pull(session, 'leftHand', [-0.1, -0.4, 0.9]);
    expect(isOver(centerOfMass(session), soles(session), 0.005)).toBe(false);
  });

  it('shift the weight to the other foot when one is lifted', () => {
    const session = new Session(human());
    pull(session, 'leftFoot', [0, 0.3, 0.1]);
    const right = session.character.humanoid?.bones.rightFoot as number;
    const corners = session.character.contacts?.soles.get(right) ?? [];
    const f = session.frameOf(right);
    const support = corners.map((corner) =>
      [0, 1, 2].map((k) => f[9 + k] + [0, 1, 2].reduce((x, n) => x + f[3 * k + n] * corner[n], 0)),
    );
    expect(isOver(centerOfMass(session), support, 0.005)).toBe(true);
    expect(session.handlePosition('leftFoot')[1]).toBeGreaterThan(0.3);
  });

  it('keep feet, knees and hands above the floor', () => {
    for (const [id, by] of [
      ['leftKnee', [0, -0.6, 0.2]],
      ['leftHand', [0, -1, 0.2]],
      ['hips', [0, -0.8, 0]],
      ['leftFoot', [0.1, -0.3, 0.2]],
    ] as const) {
      const lowest = [true, false].map((ground) => {
        const session = new Session(human());
        session.releasePins();
        session.pin('rightFoot', 'place');
        session.ground = ground;
        session.balance = false;
        let least = 0;
        pull(session, id, by, () => {
          for (const { bone, point, clearance } of session.character.contacts?.ground ?? []) {
            const f = session.frameOf(bone);
            const height = f[10] + [0, 1, 2].reduce((x, n) => x + f[3 + n] * point[n], 0);
            least = Math.min(least, height - clearance);
          }
        });
        return least;
      });
      expect(lowest[0], id).toBeGreaterThan(-2e-3);
      expect(lowest[0]).toBeGreaterThanOrEqual(lowest[1]);
    }
  });

  it('a target that five pins keep out of reach takes few iterations a frame, and rests with the pointer', () => {
    const session = new Session(human());
    for (const id of ['head', 'hips', 'rightHand']) session.togglePin(id);
    const pinned = [...session.pins.keys()];
    expect(pinned).toHaveLength(5);
    const iterations: number[] = [];
    pull(session, 'leftHand', [0.5, 0.5, 0.3], () => {
      if (session.result?.status === 'iteration-limit') iterations.push(session.result.iterations);
      for (const id of pinned) expect(session.distanceLeft(id), id).toBeLessThan(1e-3);
    });
    expect(iterations.length).toBeGreaterThan(5);
    expect(Math.max(...iterations)).toBeLessThanOrEqual(24);
    expect(['limit-blocked', 'out-of-reach']).toContain(session.result?.status);
    expect(session.step(FRAME)).toBe(false);
  });

  it('a body that barely reaches and keeps its balance stands still with the pointer', () => {
    const session = new Session(human());
    session.step(FRAME);
    pull(session, 'leftFoot', [0, 0.35, 0]);
    for (let frame = 0; frame < 60; frame++) {
      const before = session.handlePosition('hips');
      session.step(FRAME);
      expect(distance(session.handlePosition('hips'), before)).toBeLessThan(0.004);
    }
  });

  describeWithData('of a character with many free joints', 'gltf/KayKit_Knight.glb', (file) => {
    it('rests with the pointer too, and says what stops it', async () => {
      const character = await openCharacter(new File([plainGlb(readFileSync(file))], 'knight.glb'));
      for (const id of ['head', 'hips', 'leftFoot', 'rightFoot', 'leftHand']) {
        for (const by of [
          [0.3, -0.2, 0.1],
          [-0.3, 0.1, 0.3],
          [0.1, 0.3, -0.3],
        ]) {
          const session = new Session(character);
          for (const pin of ['hips', 'rightHand', 'leftFoot']) if (pin !== id) session.pin(pin, 'both');
          session.step(FRAME);
          const scaled = by.map((x) => x * character.size);
          pull(session, id, scaled);
          let frames = 0;
          while (session.result?.status !== 'converged' && session.step(FRAME)) frames++;
          expect(frames, `${id} ${by}`).toBeLessThan(20);
          expect(session.result?.status).not.toBe('iteration-limit');
        }
      }
    });
  });

  it('prints what a frame costs with five pins', () => {
    const times: number[] = [];
    const session = new Session(human());
    session.pin('head', 'rotation');
    session.pin('hips', 'place');
    session.pin('rightHand', 'place');
    for (const by of [
      [0.1, 0.4, 0.2],
      [-0.2, 0.2, 0.3],
      [0.2, 0.1, 0.1],
    ]) {
      session.step(FRAME);
      pull(session, 'leftHand', by, () => times.push(session.lastSolve?.milliseconds ?? 0));
      session.cancelDrag();
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(share * (times.length - 1))].toFixed(3);
    console.log(`five pins, ground and balance: ${at(0.5)} ms at the median, ${at(0.9)} ms at 90 %`);
    expect(times.every(Number.isFinite)).toBe(true);
  });
});

describe('poses', () => {
  const random = createRandom(7);
  const drawn = (session: Session): Float64Array => {
    const pose = Float64Array.from(session.pose, () => 3 * (2 * random() - 1));
    clampToLimits(session.figure, pose);
    return pose;
  };

  it('are mirrored twice to themselves, within the limits, each handle to the place of the other', () => {
    const session = new Session(human());
    for (let round = 0; round < 20; round++) {
      const pose = drawn(session);
      const image = mirrored(session.character, pose);
      expect(limitViolation(session.figure, image)).toBeLessThan(1e-12);
      expect(apart(mirrored(session.character, image), pose)).toBeLessThan(1e-9);
      session.follow(pose);
      const places = new Map(session.character.handles.map(({ id }) => [id, session.handlePosition(id)]));
      session.follow(image);
      for (const { id } of session.character.handles) {
        const other = id.replace(/^(left|right)/, (side) => (side === 'left' ? 'right' : 'left'));
        const [x, y, z] = places.get(other) as number[];
        expect(distance(session.handlePosition(id), [-x, y, z]), id).toBeLessThan(1e-9);
      }
    }
  });

  it('take one side from the other, and leave the middle and that side as they are', () => {
    const session = new Session(human());
    for (const from of ['left', 'right'] as const) {
      const pose = drawn(session);
      const out = copySide(session.character, pose, from);
      const image = mirrored(session.character, pose);
      for (const { name, coordinate, dof } of session.figure.bones) {
        const wanted = name.startsWith(from === 'left' ? 'right' : 'left') ? image : pose;
        for (let n = coordinate; n < coordinate + dof; n++) expect(out[n], name).toBe(wanted[n]);
      }
      expect(apart(copySide(session.character, out, from), out)).toBeLessThan(1e-9);
    }
  });

  it('blend within the limits, from the one to the other to the bit', () => {
    const session = new Session(human());
    for (let round = 0; round < 20; round++) {
      const [a, b] = [drawn(session), drawn(session)];
      expect([...blend(session.figure, a, b, 0)]).toEqual([...a]);
      expect([...blend(session.figure, a, b, 1)]).toEqual([...b]);
      for (const share of [0.1, 0.5, 0.77]) {
        expect(limitViolation(session.figure, blend(session.figure, a, b, share))).toBeLessThan(1e-12);
      }
    }
  });

  it('pin on the other side what was pinned on this one', () => {
    const session = new Session(human());
    session.releasePins();
    session.pin('leftHand', 'rotation');
    session.pin('hips', 'place');
    expect([...mirroredPins(session.character, session.pins)]).toEqual([
      ['rightHand', 'rotation'],
      ['hips', 'place'],
    ]);
  });
});

describe('the numbers of a joint', () => {
  it('are those of the pose, and are set within its limits', () => {
    const session = new Session(human());
    const { figure } = session;
    for (const { index, dof, joint } of figure.bones) {
      const numbers = jointNumbers(figure, index);
      expect(numbers).toHaveLength(joint.type === 'free' ? dof - 3 : dof);
      for (const number of numbers) {
        expect(number.label).toBeTruthy();
        for (const shown of [-400, -3, 5, 400]) {
          const pose = withNumber(figure, session.pose, number, shown);
          expect(limitViolation(figure, pose)).toBeLessThan(1e-12);
        }
        const kept = withNumber(figure, session.pose, number, number.scale * session.pose[number.coordinate]);
        expect(apart(kept, session.pose)).toBeLessThan(1e-12);
      }
    }
    const elbow = jointNumbers(figure, session.handle('leftElbow').bone);
    expect(elbow.map(({ label, unit }) => label + unit)).toEqual(['Bend°']);
    const bent = withNumber(figure, session.pose, elbow[0], 90);
    expect(bent[elbow[0].coordinate]).toBeCloseTo(Math.PI / 2, 12);
    expect(withNumber(figure, session.pose, elbow[0], 500)[elbow[0].coordinate]).toBeCloseTo(
      (150 * Math.PI) / 180,
      12,
    );
  });
});

function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i])));
}
