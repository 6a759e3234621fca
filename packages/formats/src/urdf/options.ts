import type { ReadBudget } from '../budget.js';

/** Options of `readUrdf`. */
export interface ReadUrdfOptions {
  /** Name of the file, for messages. Default: `robot.urdf`. */
  readonly source?: string;
  /** Name of the figure. Default: the robot's. */
  readonly name?: string;
  /**
   * Which axis of the world points up. `z`: the world is the frame of the root link, as everywhere in ROS. `y`: the root is
   * rotated by -90 degrees about x, which keeps x, so that the robot stands upright in a scene with +Y up. Default: `z`.
   */
  readonly upAxis?: 'y' | 'z';
  /** Whether the root link is fixed or floating. Default: `fixed`. */
  readonly root?: 'fixed' | 'free';
  /**
   * Which limits joints have: `hard`: those of `<limit>`; `soft`: the narrower of these and of `<safety_controller>`;
   * `none`: no limits, for files whose limits are placeholders. Default: `hard`.
   */
  readonly limits?: 'hard' | 'soft' | 'none';
  /**
   * How joints with `<mimic>` are read. `follow`: as mimic joints without a coordinate, within the limits of both joints.
   * `free`: as independent joints; the element is ignored. Default: `follow`.
   */
  readonly mimic?: 'follow' | 'free';
  /** How much the file may ask for: of the entries `bones` applies. */
  readonly budget?: ReadBudget;
}
