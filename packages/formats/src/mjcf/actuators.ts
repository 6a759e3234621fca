/** How strong the motors of joints are. */
import { childrenOf, type XmlElement } from '../text/xml.js';
import { isLimited, numbersAt, type Settings, wordAt } from './attributes.js';
import type { Compiler } from './compiler.js';
import { type Defaults, settingsOf } from './defaults.js';

/**
 * Largest torque or force of the actuators of each joint together, by the joint's name: their force range, or, of a motor, its control
 * range, times the gear. Infinite where one of them has no range.
 */
export function actuatorLimits(
  root: XmlElement,
  defaults: Defaults,
  compiler: Compiler,
): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const section of childrenOf(root, 'actuator')) {
    for (const element of section.children) {
      const settings = settingsOf(element, defaults, undefined);
      const joint = wordAt(settings, 'joint') ?? wordAt(settings, 'jointinparent');
      if (joint === undefined) continue;
      const gear = Math.abs(numbersAt(settings, 'gear', 1, 6)?.[0] ?? 1);
      const torque = gear * forceOf(element.tag, settings, compiler);
      limits.set(joint, (limits.get(joint) ?? 0) + torque);
    }
  }
  return limits;
}

function forceOf(tag: string, settings: Settings, { autolimits }: Compiler): number {
  const largest = (flag: string, range: string): number => {
    if (!isLimited(settings, flag, range, autolimits)) return Infinity;
    return Math.max(...(numbersAt(settings, range, 2) ?? [Infinity]).map(Math.abs));
  };
  const force = largest('forcelimited', 'forcerange');
  // The force of a motor is its control.
  return tag === 'motor' ? Math.min(force, largest('ctrllimited', 'ctrlrange')) : force;
}
