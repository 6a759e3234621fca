import { createHumanFigure } from 'poise/humanoid';
import { AnimationClip, type KeyframeTrack, type Object3D } from 'three';
import { WALKING_SPEED, walkingClip } from '../foot-planting/walk.js';
import { createCharacter } from '../shared/character.js';

/** Rounds of two steps. */
const ROUNDS = 4;

/** A mannequin that walks forward, as a file with a clip would give it. */
export function walkingMannequin(): { readonly root: Object3D; readonly clip: AnimationClip } {
  const character = createCharacter();
  const round = walkingClip(character);
  const tracks = round.tracks.map((track) => repeated(track, round.duration));
  return { root: character.root, clip: new AnimationClip('Walk', ROUNDS * round.duration, tracks) };
}

/** Characters to put clips on, by their names on the page. */
export const CHARACTERS: Readonly<Record<string, () => Object3D>> = {
  Child: () => createCharacter(createHumanFigure({ height: 1.1 })).root,
  Giant: () => createCharacter(createHumanFigure({ height: 2.6 })).root,
};

/** A track over all rounds; of the hips it goes forward, as fast as the feet go backward. */
function repeated(track: KeyframeTrack, duration: number): KeyframeTrack {
  const count = track.times.length - 1;
  const size = track.getValueSize();
  const times = new Float32Array(ROUNDS * count + 1);
  const values = new Float32Array(size * times.length);
  for (let k = 0; k < times.length; k++) {
    const key = k < ROUNDS * count ? k % count : count;
    const round = k < ROUNDS * count ? Math.floor(k / count) : ROUNDS - 1;
    times[k] = round * duration + track.times[key];
    values.set(track.values.subarray(size * key, size * key + size), size * k);
    if (track.name.endsWith('.position')) values[size * k + 2] += WALKING_SPEED * times[k];
  }
  const long = track.clone();
  long.times = times;
  long.values = values;
  return long;
}
