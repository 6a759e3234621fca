import type { ReadBudget } from '../budget.js';

/** Options of `readMjcf`. */
export interface ReadMjcfOptions {
  /** Name of the file, for messages. Default: `model.xml`. */
  readonly source?: string;
  /** Name of the figure. Default: the model's. */
  readonly name?: string;
  /**
   * Which axis of the world points up. `z`: the axes of the file, as everywhere in MuJoCo. `y`: bodies of the world are
   * rotated by -90 degrees about x, so that the model stands upright in a scene with +Y up. Default: `z`.
   */
  readonly upAxis?: 'y' | 'z';
  /**
   * Files that `<include>` names: their content, undefined for one that does not exist. Default: none is opened; each is
   * left out with a warning.
   */
  readonly resource?: (file: string, location: string) => string | Uint8Array | undefined;
  /**
   * How joints of `<equality><joint>` are read. `follow`: as mimic joints without a coordinate. `free`: as independent joints.
   * Default: `follow`.
   */
  readonly mimic?: 'follow' | 'free';
  /** How much the file may ask for: of the entries `bones` applies, massless bones of joints included. */
  readonly budget?: ReadBudget;
}
