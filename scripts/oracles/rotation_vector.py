"""High-precision values of everything a rotation vector determines, for packages/core/test/fixtures/rotation.

    python3 scripts/oracles/rotation_vector.py            # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library. q comes from its definition, [sin(|v|/2)/|v| v, cos(|v|/2)], R from q; their partial
derivatives from second-order jets; the left Jacobian from its meaning, [J_l e_j] = (dR/dv_j) R^T; its inverse from
Gaussian elimination; derivatives of J from the second partials of R. The working precision is raised until none of
the cancellation near |v| = 0 is felt (about 1500 digits at 1e-300). Checked against the matrix exponential.

Numbers are pairs hi + lo: `hi` the nearest double, `lo` the rest to four digits, so about 20 digits in all.
"""

import json
import math
import random
import sys
from pathlib import Path

from mpmath import matrix, mp, mpf

sys.path.insert(0, str(Path(__file__).parent))
import jets  # noqa: E402

OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/rotation/rotation-vector.json"

EPS = 2.0**-52
BANDS = [
    ("0", 0.0),
    ("1e-300", 1e-300),
    ("1e-160", 1e-160),
    ("1e-8", 1e-8),
    ("sqrt(eps)", math.sqrt(EPS)),
    ("eps^(1/4)", EPS**0.25),
    ("0.1", 0.1),
    ("1", 1.0),
    ("pi-1e-8", math.pi - 1e-8),
    ("pi", math.pi),
    ("4", 4.0),
    ("6.28", 6.28),
]


def directions(rng, count):
    yield [0.0, 1.0, 0.0]
    yield [1.0, 1e-3, -1e-6]
    for _ in range(count):
        yield [rng.gauss(0, 1) for _ in range(3)]


def scaled(direction, theta):
    size = math.sqrt(sum(c * c for c in direction))
    return [c / size * theta for c in direction]


def vee(m):
    return [m[2, 1], m[0, 2], m[1, 0]]


def skew(a):
    return matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def evaluate(v, y, rate, second_rate):
    """All quantities at the double vector v, as mpf lists; y, rate, second_rate are test vectors."""
    size = max(abs(c) for c in v)
    mp.dps = 80 if size == 0 else 80 + int(5 * max(0, -math.log10(size)))
    # At zero the limit: 1e-400 is nearer to it than any double, and is not seen at twenty digits.
    if size == 0:
        mp.dps = 2200
        x = [mpf(10) ** -400, mpf(2) * mpf(10) ** -400, mpf(-1) * mpf(10) ** -400]
    else:
        x = [mpf(c) for c in v]
    jv = [jets.Jet.variable(x[i], i) for i in range(3)]
    theta = jets.sqrt(jv[0] * jv[0] + jv[1] * jv[1] + jv[2] * jv[2])
    half = theta * (mpf(1) / 2)
    scale = jets.sin(half) / theta
    q = [scale * c for c in jv] + [jets.cos(half)]
    qx, qy, qz, qw = q
    r = [
        1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qw * qz), 2 * (qx * qz + qw * qy),
        2 * (qx * qy + qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qw * qx),
        2 * (qx * qz - qw * qy), 2 * (qy * qz + qw * qx), 1 - 2 * (qx * qx + qy * qy),
    ]  # fmt: skip
    value = matrix(3, 3)
    for e in range(9):
        value[e // 3, e % 3] = r[e].value
    first = [matrix([[r[3 * a + b].grad[j] for b in range(3)] for a in range(3)]) for j in range(3)]
    second = [
        [matrix([[r[3 * a + b].hess[j][k] for b in range(3)] for a in range(3)]) for k in range(3)]
        for j in range(3)
    ]
    # [J_l e_j] = (dR/dv_j) R^T
    columns = [vee(first[j] * value.T) for j in range(3)]
    left = matrix([[columns[j][i] for j in range(3)] for i in range(3)])
    # d[J_l e_j]/dv_k = (d2R/dv_j dv_k) R^T + (dR/dv_j) (dR/dv_k)^T
    left_k = []
    for k in range(3):
        cols = [vee(second[j][k] * value.T + first[j] * first[k].T) for j in range(3)]
        left_k.append(matrix([[cols[j][i] for j in range(3)] for i in range(3)]))
    inverse = left**-1
    yv = matrix(y)

    def product_derivative(slices):
        cols = [slices[k] * yv for k in range(3)]
        return [cols[k][i] for i in range(3) for k in range(3)]

    rv, av = matrix(rate), matrix(second_rate)
    acceleration_world = left * av
    acceleration_body = left.T * av
    for k in range(3):
        acceleration_world += left_k[k] * rv * rv[k]
        acceleration_body += left_k[k].T * rv * rv[k]

    if 1e-3 < size:
        # The definition against the matrix exponential, an independent road to R.
        gap = mp.norm(value - mp.expm(skew(x)), mp.inf)
        assert gap < mpf(10) ** -60, gap
    assert mp.norm(inverse * left - mp.eye(3), mp.inf) < mpf(10) ** -40

    def flat(m):
        return [m[i, j] for i in range(3) for j in range(3)]

    return {
        "q": [c.value for c in q],
        "dq": [c.grad[j] for c in q for j in range(3)],
        "d2q": [c.hess[j][k] for c in q for j in range(3) for k in range(j + 1)],
        "R": flat(value),
        "dR": [e for j in range(3) for e in flat(first[j])],
        "d2R": [e for j in range(3) for k in range(j + 1) for e in flat(second[j][k])],
        "Jl": flat(left),
        "JlInv": flat(inverse),
        "dJlY": product_derivative(left_k),
        "dJrY": product_derivative([m.T for m in left_k]),
        "dJlInvY": product_derivative([-(inverse * m * inverse) for m in left_k]),
        "dJrInvY": product_derivative([-(inverse.T * m.T * inverse.T) for m in left_k]),
        "rateWorld": list(inverse * yv),
        "rateBody": list(inverse.T * yv),
        "accelerationWorld": list(acceleration_world),
        "accelerationBody": list(acceleration_body),
    }


def split(numbers):
    """hi: nearest doubles; lo: what is left, to four digits. Values below 1e-330 are zero."""
    hi = [float(c) for c in numbers]
    lo = [float(mp.nstr(c - mpf(h), 4)) for c, h in zip(numbers, hi)]
    return {"hi": hi, "lo": [0 if c == 0 else c for c in lo]}


def main():
    rng = random.Random(1997)
    lines = []
    for name, theta in BANDS:
        for direction in directions(rng, 2):
            v = scaled(direction, theta)
            y = [round(rng.uniform(-2, 2), 6) for _ in range(3)]
            rate = [round(rng.uniform(-2, 2), 6) for _ in range(3)]
            second = [round(rng.uniform(-2, 2), 6) for _ in range(3)]
            sample = {"band": name, "v": v, "y": y, "rate": rate, "secondRate": second}
            values = evaluate(v, y, rate, second)
            sample.update({key: split(numbers) for key, numbers in values.items()})
            lines.append(json.dumps(sample, separators=(",", ":")))
            if theta == 0:
                break
    about = (
        "made by scripts/oracles/rotation_vector.py; hi + lo pairs; d2q and d2R hold k <= j only; "
        "d*Y[3 i + k] is d(matrix y)_i/dv_k; rates are J^-1 y; accelerations are d(J v')/dt"
    )
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text('{"about":' + json.dumps(about) + ',"samples":[\n' + ",\n".join(lines) + "\n]}\n")
    print(f"{OUT}: {len(lines)} samples, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
