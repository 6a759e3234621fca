import { type Interpolant, type KeyframeTrack, QuaternionKeyframeTrack } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { BONES, type Keys } from './analytic.js';
import { glbOfTracks } from './glb.js';
import type { Row } from './row.js';

/**
 * three.js's rows: its quaternion track (slerp), a track a bone, for in a wider one it writes each quaternion over the one before; and what its loader makes of a glTF CUBICSPLINE animation.
 */
export async function threeRows(keys: Keys): Promise<Row[]> {
  const { times, quaternions } = keys;
  const slerp = quaternions.map(
    (values, b) => new QuaternionKeyframeTrack(`bone${b}.quaternion`, times, values),
  );
  const loaded = await new GLTFLoader().parseAsync(glbOfTracks(keys), '');
  const cubic: KeyframeTrack[] = loaded.animations[0].tracks;
  if (cubic.length !== BONES) throw new Error(`three.js read ${cubic.length} tracks of ${BONES}`);
  return [
    row('three.js: QuaternionKeyframeTrack', 'keys', slerp.map(interpolantOf)),
    row('three.js: glTF CUBICSPLINE', 'keys, rates', cubic.map(interpolantOf)),
  ];
}

/** The interpolant method that `AnimationMixer` calls. */
function interpolantOf(track: KeyframeTrack): Interpolant {
  return (track as unknown as { createInterpolant(): Interpolant }).createInterpolant();
}

function row(name: string, given: string, interpolants: readonly Interpolant[]): Row {
  return {
    name,
    given,
    play(times) {
      for (let i = 0; i < times.length; i++) {
        for (let k = 0; k < interpolants.length; k++) interpolants[k].evaluate(times[i]);
      }
    },
    read: (bone) => interpolants[bone].resultBuffer as ArrayLike<number>,
  };
}
