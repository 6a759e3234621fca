/** A body under differential control, by priority: feet, balance, one hand, the other, the initial posture. */
import { boneIndex, createState, type Figure, forwardKinematics } from 'poise/figure';
import {
  createDifferentialControl,
  type DifferentialControl,
  type DifferentialResult,
  type Goal,
  stepDifferentialControl,
} from 'poise/ik';

export interface PuppetSettings {
  /** Largest joint rate, rad/s; half as many m/s for translations. */
  readonly rate: number;
  /** Gain of the posture task, 1/s; 0 turns it off. */
  readonly posture: number;
}

/** Steps the given pose in place, once a frame. */
export class Puppet {
  readonly figure: Figure;
  readonly pose: Float64Array;
  /** Target of each hand, world, m: written by the page. */
  readonly hands: { readonly left: Float64Array; readonly right: Float64Array };
  readonly #goals: readonly Goal[];
  readonly #reference: Float64Array;
  #control: DifferentialControl;

  constructor(figure: Figure, pose: Float64Array, settings: PuppetSettings) {
    this.figure = figure;
    this.pose = pose;
    this.#reference = pose.slice();
    // Bent knees: a straight leg is singular, and lower priorities may move its foot in the singular direction.
    for (const name of ['leftLowerLeg', 'rightLowerLeg']) {
      this.#reference[figure.coordinateStart[boneIndex(figure, name)]] = 0.6;
    }
    const state = createState(figure);
    forwardKinematics(state, pose);
    const frameOf = (bone: string): Float64Array =>
      state.worldFromBone.subarray(12 * boneIndex(figure, bone), 12 * boneIndex(figure, bone) + 12);
    const originOf = (bone: string): Float64Array => frameOf(bone).slice(9);
    this.hands = { left: originOf('leftHand'), right: originOf('rightHand') };
    const [left, right] = [originOf('leftFoot'), originOf('rightFoot')];
    // Between the feet, slightly in front of the ankles.
    const middle = left.map((x, k) => 0.5 * (x + right[k]));
    middle[2] += 0.04;
    const floor = { point: [0, 0, 0], normal: [0, 1, 0] };
    this.#goals = [
      ...(['leftFoot', 'rightFoot'] as const).flatMap((bone): Goal[] => [
        { type: 'position', bone, target: originOf(bone) },
        // The feet have the orientation of the rest pose, the world's.
        { type: 'orientation', bone, target: [0, 0, 0, 1] },
      ]),
      { type: 'center-of-mass', target: middle, mask: [1, 0, 1], priority: 1 },
      ...(['left', 'right'] as const).flatMap((side, n): Goal[] => [
        { type: 'position', bone: `${side}Hand`, target: this.hands[side], priority: 2 + n },
        { type: 'half-space', bone: `${side}Hand`, target: floor, clearance: 0.06, priority: 2 + n },
      ]),
    ];
    this.#control = this.#make(settings);
  }

  /** A control's only state is the pose, so new settings create another control in the next frame. */
  set(settings: PuppetSettings): void {
    this.#control = this.#make(settings);
  }

  #make({ rate, posture }: PuppetSettings): DifferentialControl {
    return createDifferentialControl(this.figure, this.#goals, {
      maxJointRate: { angular: rate, linear: 0.5 * rate },
      ...(posture > 0 && { posture: { reference: this.#reference, rate: posture } }),
    });
  }

  step(seconds: number): DifferentialResult {
    return stepDifferentialControl(this.#control, this.pose, seconds);
  }

  /** Joint velocities of the last step. */
  get velocity(): Float64Array {
    return this.#control.velocity;
  }
}
