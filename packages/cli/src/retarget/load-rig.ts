/** Loads the rig that clips are put on. */
import { kindOfName } from '../io/input.js';
import type { Io } from '../io/io.js';
import { HUMAN, loadSource, type Source, type SourceOptions } from '../io/source.js';
import type { RetargetClipOptions } from './retarget-clip.js';

/** The rig. @param clip - A path of the clip alone, which has the options of a BVH too. */
export async function loadRig(
  path: string,
  clip: string | undefined,
  options: RetargetClipOptions,
  io: Io,
): Promise<Source> {
  const { height, limits, units, up, restFrame, human, budget, joints } = options;
  const isClipBvh = clip === undefined || kindOfName(clip) === 'bvh';
  const ofBvh = kindOfName(path) === 'bvh' || !isClipBvh;
  const own: SourceOptions = {
    ...(height !== undefined && { height }),
    ...(limits !== undefined && { limits }),
    ...(ofBvh && units !== undefined && { units }),
    ...(ofBvh && up !== undefined && { up }),
    ...(!isClipBvh && restFrame !== undefined && { restFrame }),
    ...(human && { human }),
    ...(budget && { budget }),
  };
  if (path === HUMAN) return loadSource(undefined, own);
  return loadSource(path, { ...own, ...(joints && { joints }) }, io);
}
