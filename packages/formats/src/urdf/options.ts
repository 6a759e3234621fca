/** Options of `readUrdf`. */
export interface ReadUrdfOptions {
  /** Name of the file, for messages. Default: `robot.urdf`. */
  readonly source?: string;
  /** Name of the figure. Default: the robot's. */
  readonly name?: string;
  /**
   * Which axis of the world points up. `z`: the world is the frame of the root link, as everywhere in ROS. `y`: the root is
   * turned by -90 degrees about x, so that the robot stands in a scene of +Y up, x staying x. Default: `z`.
   */
  readonly upAxis?: 'y' | 'z';
  /** Whether the root link stands still or moves freely. Default: `fixed`. */
  readonly root?: 'fixed' | 'free';
  /**
   * Which limits joints have: `hard` those of `<limit>`; `soft` these and those of `<safety_controller>`, whichever are
   * narrower; `none` leaves all out, for files whose limits are placeholders. Default: `hard`.
   */
  readonly limits?: 'hard' | 'soft' | 'none';
  /**
   * What joints with `<mimic>` do. `follow`: they own no coordinate and go with the joint that they name, within the limits of
   * both. `free`: each has a coordinate of its own, as if the element were not there. Default: `follow`.
   */
  readonly mimic?: 'follow' | 'free';
}
