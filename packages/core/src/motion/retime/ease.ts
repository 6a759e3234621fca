import { MotionError, nearestName } from '../../errors.js';
import { cubicBezierEase } from './cubic-bezier-ease.js';
import { checkFraction, type Ease, setState } from './ease-function.js';

/** Degrees of the power families, by their usual names. */
const POWERS: Readonly<Record<string, number>> = { quad: 2, cubic: 3, quart: 4, quint: 5 };

/** u^p. */
function power(p: number): Ease {
  return (u, out = { value: 0, first: 0, second: 0 }) =>
    setState(out, u ** p, p * u ** (p - 1), p * (p - 1) * u ** (p - 2));
}

/** 1 - cos(pi u/2). */
const sine: Ease = (u, out = { value: 0, first: 0, second: 0 }) => {
  const half = 0.5 * Math.PI;
  // 2 sin^2 of half the angle avoids cancellation near 0.
  return setState(
    out,
    u === 1 ? 1 : 2 * Math.sin(0.5 * half * u) ** 2,
    half * Math.sin(half * u),
    half * half * Math.cos(half * u),
  );
};

/** (2^(10 u) - 1)/1023: without the jump of 2^(10 (u - 1)) at 0. */
const expo: Ease = (u, out = { value: 0, first: 0, second: 0 }) => {
  const rate = 10 * Math.LN2;
  const grown = Math.exp(rate * u) / 1023;
  return setState(out, u === 1 ? 1 : Math.expm1(rate * u) / 1023, rate * grown, rate * rate * grown);
};

/** 1 - sqrt(1 - u^2); its rate is infinite at 1. */
const circ: Ease = (u, out = { value: 0, first: 0, second: 0 }) => {
  const height = Math.sqrt((1 - u) * (1 + u));
  return setState(out, (u * u) / (1 + height), u / height, 1 / (height * height * height));
};

/** 1 - f(1 - u): reversed in time. */
function reversed(ease: Ease): Ease {
  return (u, out = { value: 0, first: 0, second: 0 }) => {
    const { value, first, second } = ease(1 - u, out);
    return setState(out, 1 - value, first, -second);
  };
}

/** f in the first half, reversed in the second. */
function inOut(ease: Ease): Ease {
  return (u, out = { value: 0, first: 0, second: 0 }) => {
    const secondHalf = u >= 0.5;
    const { value, first, second } = ease(secondHalf ? 2 - 2 * u : 2 * u, out);
    return secondHalf
      ? setState(out, 1 - 0.5 * value, first, -2 * second)
      : setState(out, 0.5 * value, first, 2 * second);
  };
}

const NAMED: Readonly<Record<string, () => Ease>> = {
  linear:
    () =>
    (u, out = { value: 0, first: 0, second: 0 }) =>
      setState(out, u, 1, 0),
  // The keywords of CSS.
  ease: () => cubicBezierEase(0.25, 0.1, 0.25, 1),
  'ease-in': () => cubicBezierEase(0.42, 0, 1, 1),
  'ease-out': () => cubicBezierEase(0, 0, 0.58, 1),
  'ease-in-out': () => cubicBezierEase(0.42, 0, 0.58, 1),
  // 3 u^2 - 2 u^3, at rest at both ends.
  smoothstep:
    () =>
    (u, out = { value: 0, first: 0, second: 0 }) =>
      setState(out, u * u * (3 - 2 * u), 6 * u * (1 - u), 6 - 12 * u),
  // 10 u^3 - 15 u^4 + 6 u^5, without acceleration there either (Flash and Hogan 1985).
  'minimum-jerk':
    () =>
    (u, out = { value: 0, first: 0, second: 0 }) =>
      setState(
        out,
        u * u * u * (10 - u * (15 - 6 * u)),
        30 * (u * (1 - u)) ** 2,
        60 * u * (1 - u) * (1 - 2 * u),
      ),
};

/** `quad-in`, `quad-out`, `quad-in-out`, and so on for cubic, quart, quint, sine, expo and circ. */
type Family = `${'quad' | 'cubic' | 'quart' | 'quint' | 'sine' | 'expo' | 'circ'}-${'in' | 'out' | 'in-out'}`;
export type EaseName =
  | 'linear'
  | 'ease'
  | 'ease-in'
  | 'ease-out'
  | 'ease-in-out'
  | 'smoothstep'
  | 'minimum-jerk'
  | Family;

/** Every name of {@link namedEase}. */
export const EASE_NAMES: readonly EaseName[] = [
  'linear',
  'ease',
  'ease-in',
  'ease-out',
  'ease-in-out',
  'smoothstep',
  'minimum-jerk',
  ...(['quad', 'cubic', 'quart', 'quint', 'sine', 'expo', 'circ'] as const).flatMap((family) =>
    (['in', 'out', 'in-out'] as const).map((side): Family => `${family}-${side}`),
  ),
];

/**
 * An easing function by its usual name: the keywords of CSS, `smoothstep`, `minimum-jerk`, and Penner's monotone families. `expo`
 * is Penner's scaled to run from 0 to 1 without a jump; the rate of `circ` is infinite at one end.
 * @throws MotionError `unknown-name`
 */
export function namedEase(name: EaseName): Ease {
  if (!EASE_NAMES.includes(name)) {
    const near = nearestName(String(name), EASE_NAMES);
    throw new MotionError('unknown-name', `'${String(name)}' is not an ease.`, {
      path: 'ease',
      remedy: near === undefined ? `Use one of ${EASE_NAMES.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
  const ease = NAMED[name]?.() ?? ofFamily(name);
  return (fraction, out) => {
    checkFraction(fraction);
    return ease(fraction, out);
  };
}

function ofFamily(name: EaseName): Ease {
  const family = name.slice(0, name.indexOf('-'));
  const ease = family in POWERS ? power(POWERS[family]) : { sine, expo, circ }[family as 'sine'];
  if (name.endsWith('-in-out')) return inOut(ease);
  return name.endsWith('-in') ? ease : reversed(ease);
}
