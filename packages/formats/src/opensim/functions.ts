/** The functions of OpenSim that joints and couplers use. */
import { fail } from '../text/json-checks.js';
import { childOf, type XmlElement } from '../text/xml.js';
import { constantPhi, type Phi, scaledPhi } from './phi.js';
import { numberOfChild, numbersOf } from './values.js';

const REMEDY =
  'Use Constant, LinearFunction, SimmSpline, PiecewiseLinearFunction, PolynomialFunction or MultiplierFunction.';

/** The function elements among children: any with such a name, also inside `<function>`. */
export function functionOf(parent: XmlElement): XmlElement | undefined {
  const holder = childOf(parent, 'function') ?? parent;
  return holder.children.find(({ tag }) => tag === 'Constant' || /Function$|Spline$|^Sine$/.test(tag));
}

/**
 * A function of OpenSim as a piecewise polynomial of its one argument.
 *
 * @throws FormatError `unsupported` for another function, `wrong-size`, `not-finite`, `out-of-range`.
 */
export function readPhi(element: XmlElement): Phi {
  switch (element.tag) {
    case 'Constant':
      return constantPhi(numberOfChild(element, 'value', 0));
    case 'LinearFunction': {
      const [slope, intercept] = coefficientsOf(element, 2, 2);
      return { polynomial: [intercept, slope] };
    }
    case 'PolynomialFunction':
      return { polynomial: [...coefficientsOf(element, 1, Infinity)].reverse() };
    case 'MultiplierFunction': {
      const inner = functionOf(element);
      if (inner === undefined) return fail('invalid-file', element.location, 'has no function.', REMEDY);
      return scaledPhi(readPhi(inner), numberOfChild(element, 'scale', 1));
    }
    case 'SimmSpline':
    case 'NaturalCubicSpline': {
      const [x, y] = pointsOf(element);
      return splinePhi(x, y, simmCoefficients(x, y));
    }
    case 'PiecewiseLinearFunction': {
      const [x, y] = pointsOf(element);
      const last = x.length - 1;
      const slope = x.map(
        (_, i) =>
          (y[Math.min(i, last - 1) + 1] - y[Math.min(i, last - 1)]) /
          (x[Math.min(i, last - 1) + 1] - x[Math.min(i, last - 1)]),
      );
      const none = x.map(() => 0);
      return splinePhi(x, y, { b: slope, c: none, d: none });
    }
    default:
      return fail('unsupported', element.location, `is a ${element.tag}, which is not read.`, REMEDY);
  }
}

function coefficientsOf(element: XmlElement, least: number, most: number): readonly number[] {
  const child = childOf(element, 'coefficients');
  if (child !== undefined) return numbersOf(child, least, most);
  return fail('invalid-file', element.location, 'has no <coefficients>.', 'Give its coefficients.');
}

/** @throws FormatError unless there are two points or more, x ascending. */
function pointsOf(element: XmlElement): readonly [x: readonly number[], y: readonly number[]] {
  const [x, y] = (['x', 'y'] as const).map((tag) => {
    const child = childOf(element, tag);
    if (child !== undefined) return numbersOf(child, 2, Infinity);
    return fail('invalid-file', element.location, `has no <${tag}>.`, 'Give the points of the spline.');
  });
  if (x.length !== y.length) {
    const what = `has ${x.length} numbers x and ${y.length} numbers y.`;
    fail('wrong-size', element.location, what, 'Give as many of each.');
  }
  const k = x.findIndex((at, i) => i > 0 && !(at > x[i - 1]));
  if (k > 0) {
    const what = `x[${k}] is ${x[k]}, not above ${x[k - 1]} before it.`;
    fail('out-of-range', element.location, what, 'Sort the points by x, each once.');
  }
  return [x, y];
}

interface Coefficients {
  /** First derivative at each point. */
  readonly b: readonly number[];
  /** Half the second. */
  readonly c: readonly number[];
  /** A sixth of the third, of the piece that starts there. */
  readonly d: readonly number[];
}

/** Between the points y + b u + c u^2 + d u^3, u from the point before; outside linear with the slope of the end. */
function splinePhi(x: readonly number[], y: readonly number[], { b, c, d }: Coefficients): Phi {
  const last = x.length - 1;
  return {
    polynomial: [y[0] - b[0] * x[0], b[0]],
    pieces: x.map((from, i) => ({
      from,
      polynomial: i === last ? [y[i], b[i]] : [y[i], b[i], c[i], d[i]],
    })),
  };
}

/**
 * The cubic spline through the points whose third derivative at each end is that of the cubic through the four points there (Forsythe,
 * Malcolm and Moler 1977, section 4.4), which is OpenSim's SimmSpline; for three points zero, for two a line.
 */
function simmCoefficients(x: readonly number[], y: readonly number[]): Coefficients {
  const n = x.length;
  const h = Array.from({ length: n - 1 }, (_, i) => x[i + 1] - x[i]);
  const slope = h.map((each, i) => (y[i + 1] - y[i]) / each);
  if (n === 2) return { b: [slope[0], slope[0]], c: [0, 0], d: [0, 0] };
  // Tridiagonal system for s = y''/6: h[i-1] s[i-1] + 2 (h[i-1] + h[i]) s[i] + h[i] s[i+1] = slope[i] - slope[i-1].
  const diagonal = Array.from({ length: n }, (_, i) =>
    i === 0 ? -h[0] : i === n - 1 ? -h[n - 2] : 2 * (h[i - 1] + h[i]),
  );
  const s = Array.from({ length: n }, (_, i) => (i === 0 || i === n - 1 ? 0 : slope[i] - slope[i - 1]));
  if (n > 3) {
    // Third divided differences at both ends.
    const first = (s[2] / (x[3] - x[1]) - s[1] / (x[2] - x[0])) / (x[3] - x[0]);
    const end = (s[n - 2] / (x[n - 1] - x[n - 3]) - s[n - 3] / (x[n - 2] - x[n - 4])) / (x[n - 1] - x[n - 4]);
    s[0] = h[0] * h[0] * first;
    s[n - 1] = -h[n - 2] * h[n - 2] * end;
  }
  for (let i = 1; i < n; i++) {
    const t = h[i - 1] / diagonal[i - 1];
    diagonal[i] -= t * h[i - 1];
    s[i] -= t * s[i - 1];
  }
  s[n - 1] /= diagonal[n - 1];
  for (let i = n - 2; i >= 0; i--) s[i] = (s[i] - h[i] * s[i + 1]) / diagonal[i];
  const b = slope.map((each, i) => each - h[i] * (s[i + 1] + 2 * s[i]));
  b.push(slope[n - 2] + h[n - 2] * (s[n - 2] + 2 * s[n - 1]));
  return { b, c: s.map((each) => 3 * each), d: h.map((each, i) => (s[i + 1] - s[i]) / each) };
}
