/** Contacts as they are given to tools that read them themselves. */
import { requireList, requireNumbers } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { PhysicalContact } from './physical-options.js';

/**
 * Refuses contacts without points or a span. Bones, friction and positions are checked where they are read.
 *
 * @param path - Of the list.
 * @throws MotionError `wrong-size`, `not-finite`.
 */
export function requireContacts(
  contacts: readonly Pick<PhysicalContact, 'points' | 'over' | 'normal'>[],
  path: string,
): void {
  requireList(contacts, path, MotionError, 'Give a list of { bone, points, over }.');
  contacts.forEach((contact, c) => {
    const at = `${path}[${c}]`;
    requireList(contact?.points, `${at}.points`, MotionError, "Give the points in the bone's frame, m.");
    for (const [k, point] of contact.points.entries())
      requireNumbers(point, 3, `${at}.points[${k}]`, MotionError);
    requireNumbers(contact.over, 2, `${at}.over`, MotionError);
    if (contact.normal !== undefined) requireNumbers(contact.normal, 3, `${at}.normal`, MotionError);
  });
}
