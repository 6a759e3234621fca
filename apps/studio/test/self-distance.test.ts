import { readFileSync } from 'node:fs';
import { plainGlb } from '@poise/test-support/plain-glb';
import { describeWithData } from '@poise/test-support/shared-data';
import { type BoneShape, createRagdoll } from 'poise/dynamics';
import { createState, forwardKinematics, limitViolation } from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import { Group } from 'three';
import { describe, expect, it } from 'vitest';
import { type Character, createHuman, shownHeight } from '../src/character/character.js';
import { openCharacter } from '../src/character/open-character.js';
import { shapesOf as shapesOfBody } from '../src/posing/self-shapes.js';
import { SelfDistance } from '../src/session/self-distance.js';
import { Session } from '../src/session/session.js';

const human = () =>
  createHuman(1.75, () => {
    throw new Error('nothing is drawn');
  });
const shapesOf = ({ figure, humanoid }: Character): readonly BoneShape[] =>
  createRagdoll(figure, { joints: 'given', limits: 'given', humanoid: humanoid?.bones ?? false }).shapes;
const apartOf = (character: Character) => SelfDistance.of(character, shapesOf(character));

/** Distance of the axes of two capsules less their radii, m, by points along them: not the planes that are tested. */
function gapOf(session: Session, shapes: readonly BoneShape[], one: string, other: string): number {
  const state = createState(session.figure);
  forwardKinematics(state, session.pose);
  const points = (name: string, from: number): { at: number[]; radius: number }[] => {
    const shape = shapes.find(({ bone }) => bone === name);
    const bone = session.figure.bones.find((each) => each.name === name);
    if (shape === undefined || bone === undefined || shape.type === 'box') throw new Error(name);
    const frame = state.worldFromBone.subarray(12 * bone.index, 12 * bone.index + 12);
    const [a, b] =
      shape.type === 'sphere'
        ? [shape.center ?? [0, 0, 0], shape.center ?? [0, 0, 0]]
        : [shape.from, shape.to];
    return Array.from({ length: 41 }, (_, n) => ({
      at: Array.from(rigid.transformPoint(frame, vec3.lerp(a, b, from + (1 - from) * (n / 40)))),
      radius: shape.radius,
    }));
  };
  let least = Number.POSITIVE_INFINITY;
  for (const a of points(one, one.endsWith('LowerArm') ? 0.4 : one.endsWith('Hand') ? 0.3 : 0)) {
    for (const b of points(other, 0))
      least = Math.min(least, vec3.distance(a.at, b.at) - a.radius - b.radius);
  }
  return least;
}

function pull(session: Session, id: string, target: readonly number[], frames = 45): void {
  session.beginDrag(id);
  const from = session.handlePosition(id);
  for (let frame = 1; frame <= frames; frame++) {
    const share = Math.min(1, (1.5 * frame) / frames);
    const [x, y, z] = vec3.lerp(from, target, share);
    session.dragTo(x, y, z);
    session.step(1 / 60);
    expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-9);
  }
}

const TRUNK = ['hips', 'spine', 'chest', 'upperChest', 'head'];

describe('self-distance', () => {
  it.each([
    ['rightHand', [0.05, 1.3, -0.05], 'chest, from the front'],
    ['leftHand', [-0.1, 1.05, 0], 'waist, from the side'],
    ['rightHand', [0.3, 1.25, -0.1], 'far side'],
  ] as const)('keeps %s, pulled to %s, out of the %s', (id, target, _where) => {
    const shapes = shapesOf(human());
    const [through, apart] = [new Session(human()), new Session(human())];
    apart.apartOf = apartOf;
    apart.apart = true;
    const side = id.slice(0, -4);
    const worst = (session: Session) =>
      Math.min(
        ...[`${side}Hand`, `${side}LowerArm`].flatMap((part) =>
          TRUNK.map((other) => gapOf(session, shapes, part, other)),
        ),
      );
    const start = worst(apart);
    pull(through, id, target);
    pull(apart, id, target);
    expect(worst(through), 'without it').toBeLessThan(-0.02);
    expect(worst(apart), 'with it').toBeGreaterThan(Math.min(start, 0) - 0.008);
    expect(apart.touchesItself).toBe(true);
    // Held still, it comes to rest.
    for (let frame = 0; frame < 90; frame++) apart.step(1 / 60);
    const still = Float64Array.from(apart.pose);
    for (let frame = 0; frame < 10; frame++) apart.step(1 / 60);
    const moved = apart.pose.reduce((most, x, n) => Math.max(most, Math.abs(x - still[n])), 0);
    expect(moved).toBeLessThan(1e-9);
  });

  it('keeps one hand out of the other arm', () => {
    const shapes = shapesOf(human());
    const session = new Session(human());
    session.apartOf = apartOf;
    session.apart = true;
    pull(session, 'leftHand', [0.1, 1.2, 0.4]);
    session.endDrag();
    session.pin('leftHand', 'both');
    pull(session, 'rightHand', session.handlePosition('leftHand'));
    expect(gapOf(session, shapes, 'rightHand', 'leftHand')).toBeGreaterThan(-0.008);
    expect(gapOf(session, shapes, 'rightHand', 'leftLowerArm')).toBeGreaterThan(-0.008);
  });

  it('moves nothing where nothing is in the way, nor as it is switched on', () => {
    const [plain, apart] = [new Session(human()), new Session(human())];
    plain.step(0);
    apart.step(0);
    const before = Float64Array.from(apart.pose);
    apart.apartOf = apartOf;
    apart.apart = true;
    apart.step(1 / 60);
    expect(apart.pose).toEqual(before);
    for (const session of [plain, apart]) pull(session, 'leftHand', [0.5, 1.5, 0.5]);
    apart.pose.forEach((x, n) => {
      expect(x).toBeCloseTo(plain.pose[n], 2);
    });
  });
});

describe('self-distance of characters of files', () => {
  // Arms of the Knight and of the robot do not reach their chests, and hands of cryptovoxels stay outside its.
  for (const [path, isDeep] of [
    ['gltf/KayKit_Knight.glb', false],
    ['gltf/CesiumMan.gltf', true],
    ['gltf/RobotExpressive.glb', false],
    ['vrm/cryptovoxels.vrm', false],
  ] as const)
    describeWithData(path, path, (file) => {
      it('keeps hands out of the body that is drawn', async () => {
        const name = path.replace(/.*\//, '');
        const character = await openCharacter(
          new File([plainGlb(readFileSync(file))], name.replace('.gltf', '.glb')),
          [],
        );
        const body = character.createModel();
        const stand = new Group().add(body.root);
        stand.scale.setScalar(shownHeight(character) / character.size);
        stand.updateMatrixWorld();
        const shapes = shapesOfBody(character, body);
        body.dispose();
        const { size, humanoid } = character;
        let goesThrough = false;
        for (const side of ['left', 'right'] as const) {
          const [through, apart] = [new Session(character), new Session(character)];
          apart.apartOf = (of) => SelfDistance.of(of, shapes);
          apart.apart = true;
          const chest = humanoid?.bones.chest ?? humanoid?.bones.spine ?? 0;
          const hand = humanoid?.bones[`${side}Hand`] ?? 0;
          const middle = Array.from(apart.frameOf(chest).subarray(9, 12));
          const deepest = (session: Session) => depth(session, shapes, hand, chest) / size;
          pull(through, `${side}Hand`, middle);
          pull(apart, `${side}Hand`, middle);
          goesThrough ||= deepest(through) > 0.02;
          expect(deepest(apart), side).toBeLessThan(0.003);
        }
        expect(goesThrough).toBe(isDeep);
      });
    });
});

/** How deep the middle of a bone's shape is in that of another, with its radius, m; below zero outside. */
function depth(session: Session, shapes: readonly BoneShape[], one: number, other: number): number {
  const { figure } = session;
  const shapeOf = (bone: number) => {
    const shape = shapes.find((each) => each.bone === figure.bones[bone].name);
    if (shape === undefined) throw new Error(figure.bones[bone].name);
    return shape;
  };
  const [mover, obstacle] = [shapeOf(one), shapeOf(other)];
  const middle =
    mover.type === 'capsule'
      ? vec3.lerp(mover.from, mover.to, 0.5)
      : mover.type === 'sphere'
        ? (mover.center ?? [0, 0, 0])
        : (mover.placement?.position ?? [0, 0, 0]);
  const radius = mover.type === 'box' ? Math.min(...mover.halfSizes) : mover.radius;
  const at = rigid.inverseTransformPoint(
    session.frameOf(other),
    rigid.transformPoint(session.frameOf(one), middle),
  );
  if (obstacle.type === 'box') {
    const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = obstacle.placement ?? {};
    const local = rigid.inverseTransformPoint(rigid.fromQuatPosition(rotation, position), at);
    const outside = local.map((x, k) => Math.abs(x) - obstacle.halfSizes[k]);
    const away = vec3.norm(outside.map((x) => Math.max(0, x)));
    return radius - (away > 0 ? away : Math.max(...outside));
  }
  const [from, to] =
    obstacle.type === 'sphere'
      ? [obstacle.center ?? [0, 0, 0], obstacle.center ?? [0, 0, 0]]
      : [obstacle.from, obstacle.to];
  const distances = Array.from({ length: 101 }, (_, n) => vec3.distance(at, vec3.lerp(from, to, n / 100)));
  return radius + obstacle.radius - Math.min(...distances);
}
