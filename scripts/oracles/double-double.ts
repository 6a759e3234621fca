/**
 * Numbers as an unevaluated sum of two doubles, about 32 digits (Dekker 1971; Hida, Li and Bailey 2001). Slow and plain:
 * it serves tests and benchmarks that compare thousands of values drawn at run time. Imports nothing of the library.
 */
export class DoubleDouble {
  constructor(
    readonly hi: number,
    readonly lo: number = 0,
  ) {}

  static from(x: number | DoubleDouble): DoubleDouble {
    return typeof x === 'number' ? new DoubleDouble(x) : x;
  }

  add(other: number | DoubleDouble): DoubleDouble {
    const b = DoubleDouble.from(other);
    const [s, e] = twoSum(this.hi, b.hi);
    const [t, f] = twoSum(this.lo, b.lo);
    const [u, g] = quickTwoSum(s, e + t);
    return renormalized(u, g + f);
  }

  negate(): DoubleDouble {
    return new DoubleDouble(-this.hi, -this.lo);
  }

  subtract(other: number | DoubleDouble): DoubleDouble {
    return this.add(DoubleDouble.from(other).negate());
  }

  multiply(other: number | DoubleDouble): DoubleDouble {
    const b = DoubleDouble.from(other);
    const [p, e] = twoProduct(this.hi, b.hi);
    return renormalized(p, e + (this.hi * b.lo + this.lo * b.hi));
  }

  divide(other: number | DoubleDouble): DoubleDouble {
    const b = DoubleDouble.from(other);
    const q1 = this.hi / b.hi;
    const r1 = this.subtract(b.multiply(q1));
    const q2 = r1.hi / b.hi;
    const r2 = r1.subtract(b.multiply(q2));
    const q3 = r2.hi / b.hi;
    return renormalized(q1, q2).add(q3);
  }

  toNumber(): number {
    return this.hi + this.lo;
  }
}

/** a + b as rounded sum and rounding error. */
function twoSum(a: number, b: number): [number, number] {
  const s = a + b;
  const bb = s - a;
  return [s, a - (s - bb) + (b - bb)];
}

/** As twoSum, for |a| >= |b|. */
function quickTwoSum(a: number, b: number): [number, number] {
  const s = a + b;
  return [s, b - (s - a)];
}

/** a b as rounded product and rounding error, by splitting each factor in two halves of 26 bits. */
function twoProduct(a: number, b: number): [number, number] {
  const p = a * b;
  const [ah, al] = halves(a);
  const [bh, bl] = halves(b);
  return [p, ah * bh - p + ah * bl + al * bh + al * bl];
}

function halves(a: number): [number, number] {
  const t = 134217729 * a;
  const h = t - (t - a);
  return [h, a - h];
}

function renormalized(hi: number, lo: number): DoubleDouble {
  const [s, e] = quickTwoSum(hi, lo);
  return new DoubleDouble(s, e);
}
