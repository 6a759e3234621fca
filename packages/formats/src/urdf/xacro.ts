/** Refuses files with unexpanded xacro macros. */
import { fail } from '../text/json-checks.js';
import type { XmlElement } from '../text/xml.js';

/**
 * Refuses a file whose macros are not expanded: elements such as `<xacro:macro>`, values such as `${length}` or `$(arg x)`.
 * A namespace declaration alone is accepted: `xacro` leaves it in its output.
 *
 * @throws FormatError `unsupported`.
 */
export function refuseXacro(root: XmlElement, source: string): void {
  const remedy = `Expand it first: xacro ${source} > robot.urdf.`;
  for (const pending = [root]; pending.length > 0; ) {
    const element = pending.pop() as XmlElement;
    if (element.tag.startsWith('xacro:')) {
      fail('unsupported', element.location, 'is an unexpanded xacro macro.', remedy);
    }
    for (const [name, value] of element.attributes) {
      if (!/\$[{(]/.test(value)) continue;
      fail('unsupported', `${element.location}/@${name}`, `has a xacro expression (${value}).`, remedy);
    }
    for (const child of element.children) pending.push(child);
  }
}
