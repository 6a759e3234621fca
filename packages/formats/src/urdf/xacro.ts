/** Macros that a file still has. */
import { fail } from '../text/json-checks.js';
import type { XmlElement } from './xml.js';

/**
 * Refuses a file whose macros are not expanded: elements such as `<xacro:macro>`, values such as `${length}` or `$(arg x)`.
 * The namespace alone stays behind when `xacro` has done its work.
 *
 * @throws FormatError `unsupported`.
 */
export function refuseXacro(root: XmlElement, source: string): void {
  const remedy = `Expand it first: xacro ${source} > robot.urdf.`;
  for (const pending = [root]; pending.length > 0; ) {
    const element = pending.pop() as XmlElement;
    if (element.tag.startsWith('xacro:')) {
      fail('unsupported', element.place, 'is a xacro macro, which is not URDF yet.', remedy);
    }
    for (const [name, value] of element.attributes) {
      if (!/\$[{(]/.test(value)) continue;
      fail('unsupported', `${element.place}/@${name}`, `has a xacro expression (${value}).`, remedy);
    }
    pending.push(...element.children);
  }
}
