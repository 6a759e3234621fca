/** What a clip needs of a figure. */
interface Limited {
  readonly dof: number;
  readonly bones: readonly {
    readonly parent: number;
    readonly coordinate: number;
    readonly dof: number;
  }[];
  readonly limitComponents: readonly {
    readonly kind: string;
    readonly parameters: readonly number[];
    readonly coordinate: number;
    readonly size: number;
  }[];
}

const FRAMES_PER_KNOT = 48;

/**
 * A smooth clip that touches the limits of its figure: a uniform cubic B-spline over control poses drawn in boxes `reach` times as wide as
 * the limits and clamped, so that many lie on a limit. Limits are convex, so the curve keeps to them. The root wanders and turns round once.
 *
 * @param clamp - Projects a pose onto the limits, in place.
 * @param rest - Probability with which a joint keeps its control pose: at 0.6 a joint often rests at its limit.
 */
export function clipAtLimits(
  figure: Limited,
  clamp: (pose: Float64Array) => void,
  random: () => number,
  frames: number,
  { reach = 1.5, rest = 0 }: { reach?: number; rest?: number } = {},
): Float64Array[] {
  const spans = Math.max(1, Math.ceil(frames / FRAMES_PER_KNOT));
  const within = (size: number): number => size * (2 * random() - 1);
  const controls: Float64Array[] = [];
  for (let n = 0; n < spans + 3; n++) {
    const pose = Float64Array.from({ length: figure.dof }, () => within(0.2));
    for (const { kind, parameters: p, coordinate, size } of figure.limitComponents) {
      if (kind === 'interval') {
        pose[coordinate] = (p[0] + p[1]) / 2 + within(0.5 * reach) * (p[1] - p[0]);
        continue;
      }
      // Of human and hand: quad-ellipses only.
      for (let k = 0; k < size; k++) {
        const x = within(reach);
        pose[coordinate + k] = x < 0 ? -x * p[2 * k] : x * p[2 * k + 1];
      }
    }
    for (const { parent, coordinate, dof } of figure.bones) {
      if (n === 0 || parent < 0 || random() >= rest) continue;
      pose.set(controls[n - 1].subarray(coordinate, coordinate + dof), coordinate);
    }
    pose[4] += (2 * Math.PI * n) / (spans + 3) - Math.PI;
    clamp(pose);
    controls.push(pose);
  }
  return Array.from({ length: frames }, (_, f) => {
    const t = Math.min((f / Math.max(1, frames - 1)) * spans, spans - 1e-9);
    const first = Math.floor(t);
    const u = t - first;
    const w = [(1 - u) ** 3, 3 * u ** 3 - 6 * u * u + 4, -3 * u ** 3 + 3 * u * u + 3 * u + 1, u ** 3];
    const pose = Float64Array.from({ length: figure.dof }, (_, i) =>
      w.reduce((sum, x, k) => sum + (x / 6) * controls[first + k][i], 0),
    );
    // Rounding may leave a coordinate beyond its limit.
    clamp(pose);
    return pose;
  });
}
