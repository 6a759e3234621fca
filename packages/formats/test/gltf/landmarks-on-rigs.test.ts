import { vrmHumanoid } from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { DETAIL_BONES, findHumanoid } from 'poise/humanoid';
import {
  bodyLandmarks,
  createLandmarkFit,
  fromHolistic,
  HAND_LANDMARKS,
  HOLISTIC_LANDMARKS,
  handLandmarks,
  holisticLandmarks,
  type Marker,
  solveLandmarks,
} from 'poise/ik';
import { expect, it } from 'vitest';

/** World positions of markers by forward kinematics. */
function positionsOf(figure: Figure, markers: readonly Marker[], pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return Float64Array.from(
    markers.flatMap(({ bone, point = [0, 0, 0] }) => {
      const w = state.worldFromBone.subarray(12 * Number(bone), 12 * Number(bone) + 12);
      return [0, 3, 6].map((r, k) => w[9 + k] + w[r] * point[0] + w[r + 1] * point[1] + w[r + 2] * point[2]);
    }),
  );
}

/** A smooth motion of every joint. */
function clipOf(figure: Figure, frames: number, size: number): Float64Array[] {
  return Array.from({ length: frames }, (_, f) =>
    createPose(figure).map((_, i) => size * Math.sin(0.15 * f + 1.7 * i)),
  );
}

describeWithData('a VRM 0 file', 'vrm/cryptovoxels.vrm', (path) => {
  it('gives fingers by their VRM 1.0 names, and the landmarks of its hands with estimated tips', async () => {
    const rig = await readGltfRigFile(path);
    const { figure } = rig;
    const bones = vrmHumanoid(rig);
    // The file maps 22 of its 30 finger bones: no thumbs, and no ends of some fingers. Their names say the rest.
    const said = DETAIL_BONES.filter((name) => bones?.[name] !== undefined);
    expect(said).toHaveLength(22);
    expect(said).toContain('leftIndexIntermediate');
    const found = findHumanoid(figure, { ...(bones && { bones }) })?.bones;
    const nameOf = (name: (typeof DETAIL_BONES)[number]) => figure.bones[found?.[name] ?? -1]?.name;
    expect(DETAIL_BONES.slice(3).every((name) => nameOf(name) !== undefined)).toBe(true);
    expect(nameOf('leftThumbMetacarpal')).toBe('Thumb0_L');
    expect(nameOf('leftThumbProximal')).toBe('Thumb1_L');
    expect(nameOf('rightLittleDistal')).toBe('LittleFinger3_R');
    expect(findHumanoid(figure)?.bones).toEqual(found);

    const hand = handLandmarks(figure, { side: 'left', ...(bones && { bones }) });
    expect(hand.map(({ name }) => name)).toEqual([...HAND_LANDMARKS]);
    expect(hand.filter(({ estimated }) => estimated).map(({ name }) => name)).toEqual([
      'thumb_tip',
      'index_finger_tip',
    ]);
    // Beyond the last joint, as far as the segment before it, within a fifth.
    const at = positionsOf(figure, hand, createPose(figure));
    const between = (a: number, b: number): number =>
      Math.hypot(...[0, 1, 2].map((k) => at[3 * a + k] - at[3 * b + k]));
    for (const tip of [4, 8]) {
      expect(between(tip, tip - 1) / between(tip - 1, tip - 2)).toBeCloseTo(tip === 4 ? 0.87 : 0.88, 6);
      expect(between(tip, tip - 2)).toBeCloseTo(between(tip, tip - 1) + between(tip - 1, tip - 2), 6);
    }
  });

  it('faces -Z: the nose is before the ears there, without an option', async () => {
    const rig = await readGltfRigFile(path);
    const bones = vrmHumanoid(rig) ?? {};
    const markers = bodyLandmarks(rig.figure, { bones });
    const at = positionsOf(rig.figure, markers, createPose(rig.figure));
    expect(at[2]).toBeLessThan(at[3 * 7 + 2] - 0.03);
    expect(bodyLandmarks(rig.figure)).toEqual(markers);
  });

  it('moves by body and both hands in one call, as MediaPipe gives them', async () => {
    const rig = await readGltfRigFile(path);
    const { figure } = rig;
    const landmarks = holisticLandmarks(figure, { bones: vrmHumanoid(rig) ?? {} });
    expect(landmarks.map(({ name }) => name)).toEqual(HOLISTIC_LANDMARKS);
    const fit = createLandmarkFit(figure, { landmarks });
    const pose = createPose(figure);
    for (const truth of clipOf(figure, 8, 0.2)) {
      const at = positionsOf(figure, landmarks, truth);
      // Hands about their own origin, MediaPipe's axes.
      const list = (from: number, to: number, origin: readonly number[]) =>
        Array.from({ length: to - from }, (_, m) => ({
          x: at[3 * (from + m)] - origin[0],
          y: -(at[3 * (from + m) + 1] - origin[1]),
          z: -(at[3 * (from + m) + 2] - origin[2]),
          visibility: 1,
        }));
      const { positions, confidences } = fromHolistic(
        {
          poseWorldLandmarks: [list(0, 33, [0, 0, 0])],
          leftHandWorldLandmarks: [list(33, 54, [0.3, 1, 0.2])],
          rightHandWorldLandmarks: list(54, 75, [-0.4, 0.9, 0]),
        },
        fit.names,
      );
      for (let k = 0; k < at.length; k++) expect(Math.abs(positions[k] - at[k])).toBeLessThan(1e-12);
      const { status, max } = solveLandmarks(fit, positions, pose, confidences);
      expect(status).toBe('converged');
      expect(max).toBeLessThan(1e-6);
    }
  });
});

describeWithData('RobotExpressive, with three fingers of two bones', 'gltf/RobotExpressive.glb', (path) => {
  it('has the landmarks of these fingers, and is moved by them', async () => {
    const { figure } = await readGltfRigFile(path);
    const landmarks = holisticLandmarks(figure);
    const names = landmarks.map(({ name }) => name);
    expect(names).toContain('left_hand_middle_finger_mcp');
    expect(names).toContain('right_hand_thumb_tip');
    expect(names).not.toContain('left_hand_pinky_mcp');
    const fit = createLandmarkFit(figure, { landmarks });
    const pose = createPose(figure);
    for (const truth of clipOf(figure, 6, 0.15)) {
      const at = positionsOf(figure, landmarks, truth);
      expect(solveLandmarks(fit, at, pose).max).toBeLessThan(1e-4);
    }
  });
});
