import { type PoseData, poseFromData, poseToData } from '@poise/formats';
import { FormatError } from 'poise';
import { createHumanFigure } from 'poise/humanoid';
import { HANDLES, type HandleId } from './handles.js';
import { HEIGHTS, type Session } from './session.js';

/** A pose of the session as a file, in the format of the command line. */
export function poseFile({ figure, pose, height, pins }: Session): PoseData {
  return poseToData(figure, pose, { height, pins: [...pins.keys()] });
}

/**
 * Loads the pose of a file into a session, clamped to the limits. A file without pins, such as those of the command line,
 * pins both feet.
 *
 * @throws FormatError for a height out of range, bones that the figure lacks, and pins without a handle; the
 * session is then unchanged.
 */
export function openPose(session: Session, data: PoseData, source: string): void {
  const { height = HEIGHTS.usual, pins = ['leftFoot', 'rightFoot'] } = data;
  if (height < HEIGHTS.min || height > HEIGHTS.max) {
    throw new FormatError('out-of-range', `is ${height} m.`, {
      path: `${source}#height`,
      remedy: `The studio has bodies from ${HEIGHTS.min} to ${HEIGHTS.max} m.`,
    });
  }
  const pose = poseFromData(createHumanFigure({ height }), data, { source });
  const pinned = pins.map((pin): HandleId => {
    const handle = HANDLES.find(({ id }) => id === pin);
    if (handle !== undefined) return handle.id;
    throw new FormatError('unknown-name', `'${pin}' is no handle.`, {
      path: `${source}#pins`,
      remedy: `Give some of ${HANDLES.map(({ id }) => id).join(', ')}.`,
    });
  });
  session.setPose(height, pose, pinned);
}
