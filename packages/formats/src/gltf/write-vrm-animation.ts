/** Writes a motion of a humanoid as a VRM animation, `.vrma`. */
import { checkPose, type Figure } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import type { FieldsOf } from 'poise/internal/checks';
import { mat3, type Numbers } from 'poise/math';
import { createMotionSampler, type Motion } from 'poise/motion';
import { appendAnimations, type GltfAnimationChannel } from './animation/animation-document.js';
import { channelKeys } from './animation/animation-keys.js';
import { hasTrack } from './animation/animation-knots.js';
import { type GltfAnimationPath, rotationError } from './animation/animation-player.js';
import {
  checkSampling,
  packedKeys,
  REST_TOLERANCE,
  SAMPLE_FIELDS,
  type SampleGltfAnimationOptions,
} from './animation/sampling.js';
import { assembleGlb } from './container/serialize.js';
import { readGltfRig } from './skeleton/read-rig.js';
import { type MovingNode, movingNode } from './vrm/normalized-motion.js';
import { normalizedTree } from './vrm/normalized-tree.js';

/** Options of {@link writeVrmAnimation}. */
export interface WriteVrmAnimationOptions extends SampleGltfAnimationOptions {
  /** Human bones of the figure by VRM name, as of `findHumanoid`. Default: recognised. */
  readonly bones?: Readonly<HumanBoneMap<string | number | null>>;
  /** Coordinates in which the figure is in T-pose, length `figure.dof`. Default: zeros, the rest pose. */
  readonly tPose?: Numbers;
}

const FIELDS: FieldsOf<WriteVrmAnimationOptions> = { ...SAMPLE_FIELDS, bones: true, tPose: true };

/**
 * A motion of a humanoid as a VRM animation (`VRMC_vrm_animation` 1.0), a GLB of a node for each human bone: at rest in T-pose, +Y up, facing +Z, without
 * rotations, so that the rotations of the file are those of normalized bones. The hips have a translation too, in world coordinates; other bones keep their
 * lengths. Bones between two human bones are composed; those beside them (hair, tails) are lost, as are expressions, and eyes, in whose place the format has a gaze.
 *
 * Players scale the path of the hips by their height at rest: a figure that does not stand on the origin in T-pose is put on the ground.
 *
 * @throws FormatError `unsupported` for a figure that is not a humanoid or not in T-pose; those of `sampleGltfAnimation`. FigureError
 *   `wrong-size` | `not-finite` for the T-pose; those of `findHumanoid`. MotionError `wrong-size` for a motion of another figure.
 */
export function writeVrmAnimation(
  figure: Figure,
  motion: Motion,
  options: WriteVrmAnimationOptions = {},
): Uint8Array {
  const { interpolation, tolerances, begin } = checkSampling(options, FIELDS);
  const { bones, tPose = new Float64Array(figure.dof) } = options;
  checkPose(figure, tPose, 'options.tPose');
  createMotionSampler(figure, motion); // refuses a motion of another figure
  const tree = normalizedTree(figure, tPose, bones);
  const channels = tree.nodes.flatMap((node, index) => {
    const moving = movingNode(figure, motion, tree, node);
    const paths: readonly GltfAnimationPath[] = index === 0 ? ['translation', 'rotation'] : ['rotation'];
    return paths.flatMap((path): GltfAnimationChannel[] => {
      // A file without a channel is none: the hips have theirs always.
      if (path === 'rotation' && isAtRest(moving, motion)) return [];
      const { keys, ...found } = channelKeys({
        path,
        interpolation,
        tolerance: tolerances[path],
        intervals: moving.intervals,
        node: moving,
        start: motion.start,
        end: motion.end,
        output: mat3.identity(),
        shift: begin - motion.start,
        location: `${motion.name}#${node.human}/${path}`,
      });
      return [{ node: index, path, ...found, ...packedKeys(path, found.interpolation, keys) }];
    });
  });
  const json = {
    asset: { version: '2.0', generator: 'Poise' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: tree.nodes.map(({ human, offset }, index) => {
      const children = tree.nodes.flatMap(({ parent }, child) => (parent === index ? [child] : []));
      return { name: human, translation: offset, ...(children.length > 0 && { children }) };
    }),
    extensionsUsed: ['VRMC_vrm_animation'],
    extensions: {
      VRMC_vrm_animation: {
        specVersion: '1.0',
        humanoid: { humanBones: Object.fromEntries(tree.nodes.map(({ human }, node) => [human, { node }])) },
      },
    },
  };
  const glb = assembleGlb(JSON.stringify(json), undefined, [], motion.name);
  const { document, binding } = readGltfRig(glb, { source: motion.name });
  return appendAnimations(document, binding.nodes, [{ name: options.name ?? motion.name, channels }]);
}

/** Whether a node does not rotate during the whole motion: its joints have no tracks. */
function isAtRest(node: MovingNode, motion: Motion): boolean {
  if (node.joints.some((bone) => hasTrack(bone, motion))) return false;
  const rotation = new Float64Array(4);
  node.valueAt(motion.start, 'rotation', rotation);
  return rotationError(rotation, [0, 0, 0, 1]) <= REST_TOLERANCE;
}
