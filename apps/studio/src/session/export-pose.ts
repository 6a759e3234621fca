import { type PoseData, poseFromData, poseToData, readPose } from '@poise/formats';
import { FormatError } from 'poise';
import { type Character, HEIGHTS } from '../character/character.js';
import type { Session } from './session.js';

/** The pose of the session as a file, in the format of the command line. */
export function poseFile({ figure, pose, character: { source }, pins }: Session): PoseData {
  const height = source.type === 'human' ? { height: source.height } : {};
  return poseToData(figure, pose, { ...height, pins: [...pins.keys()] });
}

/**
 * Loads the pose of a file into a session, clamped to the limits: on the character that is there, or on the built-in human of the height that the file says. A
 * file without pins, such as those of the command line, pins both feet.
 *
 * @param human - Makes the built-in human of a height.
 * @throws FormatError for a height out of range, bones that the figure lacks, and pins without a handle; the
 * session is then unchanged.
 */
export function openPose(
  session: Session,
  data: PoseData,
  source: string,
  human: (height: number) => Character,
): void {
  const { height = HEIGHTS.usual } = data;
  if (height < HEIGHTS.min || height > HEIGHTS.max) {
    throw new FormatError('out-of-range', `is ${height} m.`, {
      path: `${source}#height`,
      remedy: `The studio has bodies from ${HEIGHTS.min} to ${HEIGHTS.max} m.`,
    });
  }
  const { source: from } = session.character;
  const isThis = from.type === 'human' ? from.height === height : data.height === undefined;
  const character = isThis ? session.character : human(height);
  const pose = poseFromData(character.figure, data, { source });
  const pins = data.pins ?? character.pins;
  for (const pin of pins) {
    if (character.handles.some(({ id }) => id === pin)) continue;
    throw new FormatError('unknown-name', `'${pin}' is no handle.`, {
      path: `${source}#pins`,
      remedy: `Give some of ${character.handles.map(({ id }) => id).join(', ')}.`,
    });
  }
  session.setPose(character, pose, pins);
}

/** {@link openPose} with the text of a file. @throws FormatError of `readPose` and of `openPose`. */
export function openPoseFile(
  session: Session,
  text: string,
  source: string,
  human: (height: number) => Character,
): void {
  openPose(session, readPose(text, { source }), source, human);
}
