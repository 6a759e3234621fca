"""High-precision rotation curves, for packages/core/test/fixtures/motion/rotation-curves.json.

    python3 scripts/oracles/rotation_curves.py          # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library. Every curve is a function q(t) of unit quaternions, written from its definition at 50
digits. Angular velocity and acceleration (body axes) are differences of that function: w = 2 Im(q^-1 q'), with q' and q''
by central differences of step 1e-12 and Richardson's extrapolation, good to more than 30 digits. The C2 rotation spline is
iterated until its accelerations agree to 40 digits.
"""

import json
import random
from pathlib import Path

from mpmath import atan2, cos, mp, mpf, sin, sqrt

mp.dps = 60
OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/motion/rotation-curves.json"


def product(b, a):
    (x, y, z, w), (p, q, r, s) = b, a
    return [
        w * p + s * x + y * r - z * q,
        w * q + s * y + z * p - x * r,
        w * r + s * z + x * q - y * p,
        w * s - x * p - y * q - z * r,
    ]


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(q):
    n = sqrt(dot(q, q))
    return [x / n for x in q]


def exp(v):
    theta = sqrt(dot(v, v))
    if theta == 0:
        return [mpf(0), mpf(0), mpf(0), mpf(1)]
    s = sin(theta / 2) / theta
    return [s * v[0], s * v[1], s * v[2], cos(theta / 2)]


def log(q):
    """Rotation vector, up to 2 pi long where w < 0."""
    n = sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
    if n == 0:
        return [mpf(0)] * 3
    s = 2 * atan2(n, q[3]) / n
    return [s * q[0], s * q[1], s * q[2]]


def scaled(v, s):
    return [s * x for x in v]


def slerp(a, b, t):
    """The sine form, not the one with exponentials."""
    half = [sqrt(sum((x + s * y) ** 2 for x, y in zip(a, b))) for s in (-1, 1)]
    angle = 2 * atan2(*half)
    if angle < mpf(10) ** -50:
        return a
    return [(sin((1 - t) * angle) * x + sin(t * angle) * y) / sin(angle) for x, y in zip(a, b)]


def aligned(quaternions):
    out = [quaternions[0]]
    for q in quaternions[1:]:
        out.append(q if dot(out[-1], q) >= 0 else [-x for x in q])
    return out


def piece(times, t):
    s = max(i for i in range(len(times) - 1) if times[i] <= t)
    return s, (t - times[s]) / (times[s + 1] - times[s])


def slerp_curve(times, keys):
    def at(t, s):
        return slerp(keys[s], keys[s + 1], (t - times[s]) / (times[s + 1] - times[s]))

    return at


def squad_curve(times, keys):
    keys = aligned(keys)
    inner = []
    for i, q in enumerate(keys):
        if i in (0, len(keys) - 1):
            inner.append(q)
            continue
        back = conjugate(q)
        turn = [a + b for a, b in zip(log(product(back, keys[i + 1])), log(product(back, keys[i - 1])))]
        inner.append(product(q, exp(scaled(turn, mpf(-1) / 4))))

    def at(t, s):
        u = (t - times[s]) / (times[s + 1] - times[s])
        return slerp(slerp(keys[s], keys[s + 1], u), slerp(inner[s], inner[s + 1], u), 2 * u * (1 - u))

    return at


def bezier_curve(times, points):
    points = aligned(points)

    def at(t, s):
        u = (t - times[s]) / (times[s + 1] - times[s])
        work = points[3 * s : 3 * s + 4]
        while len(work) > 1:
            work = [slerp(a, b, u) for a, b in zip(work, work[1:])]
        return work[0]

    return at


def basis(knots, i, degree, t, k):
    """Cox and de Boor on the interval k, also a little outside of it: the polynomial that the basis function is there."""
    if degree == 0:
        return mpf(1) if i == k else mpf(0)
    total = mpf(0)
    a = knots[i + degree] - knots[i]
    b = knots[i + degree + 1] - knots[i + 1]
    if a > 0:
        total += (t - knots[i]) / a * basis(knots, i, degree - 1, t, k)
    if b > 0:
        total += (knots[i + degree + 1] - t) / b * basis(knots, i + 1, degree - 1, t, k)
    return total


def cumulative_curve(knots, points):
    points = aligned(points)
    n = len(points)

    def at(t, k):
        q = points[0]
        for i in range(1, n):
            share = sum(basis(knots, j, 3, t, k) for j in range(i, n))
            q = product(q, exp(scaled(log(product(conjugate(points[i - 1]), points[i])), share)))
        return q

    return at


def normalized_curve(times, keys, leaving, arriving):
    def at(t, s):
        h = times[s + 1] - times[s]
        u = (t - times[s]) / h
        weights = [2 * u**3 - 3 * u**2 + 1, h * (u**3 - 2 * u**2 + u), 3 * u**2 - 2 * u**3, h * (u**3 - u**2)]
        parts = [keys[s], leaving[s], keys[s + 1], arriving[s + 1]]
        return unit([sum(w * p[c] for w, p in zip(weights, parts)) for c in range(4)])

    return at


def hermite3(times, values, tangents, s, t):
    h = times[s + 1] - times[s]
    u = (t - times[s]) / h
    weights = [2 * u**3 - 3 * u**2 + 1, h * (u**3 - 2 * u**2 + u), 3 * u**2 - 2 * u**3, h * (u**3 - u**2)]
    parts = [values[s], tangents[s], values[s + 1], tangents[s + 1]]
    return [sum(w * p[c] for w, p in zip(weights, parts)) for c in range(3)]


def vector_curve(times, values, tangents):
    return lambda t, s: exp(hermite3(times, values, tangents, s, t))


def euler_curve(times, values, tangents, order):
    def at(t, s):
        angles = hermite3(times, values, tangents, s, t)
        q = [mpf(0), mpf(0), mpf(0), mpf(1)]
        for letter, angle in zip(order, angles):
            turn = [mpf(0)] * 3
            turn["XYZ".index(letter)] = angle
            q = product(q, exp(turn))
        return q

    return at


STEP = mpf(10) ** -10


def rates(f, t, s):
    """q, w and w' by differences of 4th order, steps 1e-10: an error of 1e-40 before rounding at 60 digits."""
    q = f(t, s)
    around = {k: f(t + k * STEP, s) for k in (-3, -2, -1, 1, 2, 3)}
    first, second = [], []
    for c in range(4):
        odd = {k: around[k][c] - around[-k][c] for k in (1, 2, 3)}
        even = {k: around[k][c] + around[-k][c] - 2 * q[c] for k in (1, 2, 3)}
        first.append((45 * odd[1] - 9 * odd[2] + odd[3]) / (60 * STEP))
        second.append((270 * even[1] - 27 * even[2] + 2 * even[3]) / (180 * STEP**2))
    back = conjugate(q)
    m = product(back, first)
    bend = product(back, second)
    w = [2 * m[k] for k in range(3)]
    # (q^-1 q')' = q^-1 q'' - (q^-1 q')^2
    square = product(m, m)
    return q, w, [2 * (bend[k] - square[k]) for k in range(3)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def combination(*parts):
    return [sum(s * v[k] for s, v in parts) for k in range(3)]


def rate_of_vector(v, w):
    """v' for the angular velocity w, body axes: w + 1/2 v x w + D v x (v x w)."""
    theta = sqrt(dot(v, v))
    D = (1 - theta / 2 * cos(theta / 2) / sin(theta / 2)) / theta**2
    c = cross(v, w)
    return combination((1, w), (mpf(1) / 2, c), (D, cross(v, c)))


def velocity_of_vector(v, rate):
    theta = sqrt(dot(v, v))
    c = cross(v, rate)
    return combination((1, rate), (-(1 - cos(theta)) / theta**2, c), ((theta - sin(theta)) / theta**3, cross(v, c)))


def acceleration_at_end(v, rate, second):
    """w' at v, by differencing w along v + rate d + second d^2 / 2."""
    d = mpf(10) ** -12
    at = lambda x: velocity_of_vector(  # noqa: E731
        combination((1, v), (x, rate), (x * x / 2, second)), combination((1, rate), (x, second))
    )
    values = {k: at(k * d) for k in (-2, -1, 1, 2)}
    return [(8 * (values[1][k] - values[-1][k]) - (values[2][k] - values[-2][k])) / (12 * d) for k in range(3)]


def spline_curve(times, keys):
    keys = aligned(keys)
    n = len(keys)
    ways = [log(product(conjugate(keys[i]), keys[i + 1])) for i in range(n - 1)]
    spans = [times[i + 1] - times[i] for i in range(n - 1)]
    w = [scaled(ways[i], 1 / spans[i]) for i in range(n - 1)]
    w.append(scaled(ways[-1], 1 / spans[-1]))

    def jump(i):
        h, way = spans[i - 1], ways[i - 1]
        arriving = rate_of_vector(way, w[i])
        end = combination((-6 / h**2, way), (2 / h, w[i - 1]), (4 / h, arriving))
        before = acceleration_at_end(way, arriving, end)
        h, way = spans[i], ways[i]
        arriving = rate_of_vector(way, w[i + 1])
        after = combination((6 / h**2, way), (-4 / h, w[i]), (-2 / h, arriving))
        return [a - b for a, b in zip(before, after)]

    # Gauss-Seidel on the diagonal 4 (1/h + 1/h'): slow, sure, and nobody's Newton method.
    for sweep in range(4000):
        worst = mpf(0)
        for i in range(1, n - 1):
            off = jump(i)
            worst = max(worst, *(abs(x) for x in off))
            diagonal = 4 / spans[i - 1] + 4 / spans[i]
            w[i] = [x - d / diagonal for x, d in zip(w[i], off)]
        if worst < mpf(10) ** -32:
            break
    else:
        raise SystemExit("the C2 spline did not settle")

    def at(t, s):
        h, way = spans[s], ways[s]
        u = (t - times[s]) / h
        arriving = rate_of_vector(way, w[s + 1])
        r = combination((3 * u**2 - 2 * u**3, way), (h * (u**3 - 2 * u**2 + u), w[s]), (h * (u**3 - u**2), arriving))
        return product(keys[s], exp(r))

    return at


def doubles(v):
    return [float(x) for x in v]


def main():
    rng = random.Random(41_2026)
    cases = []
    for count, reach in ((2, 1.0), (4, 0.8), (5, 2.0), (7, 1.5)):
        times = [0.0]
        for _ in range(count - 1):
            times.append(round(times[-1] + rng.uniform(0.3, 1.7), 6))
        number = lambda s=1.0: round(rng.uniform(-s, s), 6)  # noqa: E731
        # Unit to a double's rounding: both sides bring them to unit length again.
        orientation = lambda: doubles(exp([mpf(number(reach)) for _ in range(3)]))  # noqa: E731
        flipped = lambda q: [-x for x in q] if rng.random() < 0.4 else q  # noqa: E731
        data = {
            "times": times,
            "quaternions": [flipped(orientation()) for _ in range(count)],
            "handles": [flipped(orientation()) for _ in range(3 * (count - 1) + 1)],
            "points": [flipped(orientation()) for _ in range(count + 3)],
            "tangents": [[number() for _ in range(4)] for _ in range(count)],
            "arriving": [[number() for _ in range(4)] for _ in range(count)],
            "vectors": [[number(2 * reach) for _ in range(3)] for _ in range(count)],
            "rates": [[number(3) for _ in range(3)] for _ in range(count)],
        }
        knots = [0.0]
        for _ in range(count + 6):
            knots.append(round(knots[-1] + rng.uniform(0.3, 1.2), 6))
        data["knots"] = knots
        exact = lambda rows: [[mpf(x) for x in row] for row in rows]  # noqa: E731
        moments = [mpf(t) for t in times]
        keys = [unit(q) for q in exact(data["quaternions"])]
        curves = {
            "slerp": slerp_curve(moments, keys),
            "shortest slerp": slerp_curve(moments, aligned(keys)),
            "squad": squad_curve(moments, keys),
            "spherical Bezier": bezier_curve(moments, [unit(q) for q in exact(data["handles"])]),
            "C2 rotation spline": spline_curve(moments, keys),
            "normalized Hermite": normalized_curve(
                moments, keys, exact(data["tangents"]), exact(data["arriving"])
            ),
            "rotation vector": vector_curve(moments, exact(data["vectors"]), exact(data["rates"])),
            "Euler ZXY": euler_curve(moments, exact(data["vectors"]), exact(data["rates"]), "ZXY"),
            "Euler YXY": euler_curve(moments, exact(data["vectors"]), exact(data["rates"]), "YXY"),
        }
        at = sorted(rng.uniform(times[0], times[-1]) for _ in range(6))
        samples = {}
        for kind, curve in curves.items():
            samples[kind] = []
            for t in at:
                s = max(i for i in range(count - 1) if times[i] <= t)
                samples[kind].append([doubles(v) for v in rates(curve, mpf(t), s)])
        bknots = [mpf(k) for k in knots]
        cumulative = cumulative_curve(bknots, [unit(q) for q in exact(data["points"])])
        late = sorted(rng.uniform(knots[3], knots[count + 3]) for _ in range(6))
        samples["cumulative B-spline"] = [
            [
                doubles(v)
                for v in rates(cumulative, mpf(t), max(i for i in range(3, count + 3) if knots[i] <= t))
            ]
            for t in late
        ]
        cases.append({**data, "at": at, "late": late, "samples": samples})
        print(f"{count} keys", flush=True)
    OUT.write_text(json.dumps({"cases": cases}) + "\n")


if __name__ == "__main__":
    main()
