"""One hinge from rest to rest in least time under gravity, I q'' + w sin q = tau, |tau| <= limit.

By Pontryagin's principle tau is limit times the sign of a costate m with m'' = -(w cos q / I) m. By Sturm's comparison its zeros are at
least pi sqrt(I / w) apart: a motion that is shorter has one switch at most, and of those with one there is but one. Its energies
at the switch give the angle, q_s = (q_0 + q_1) / 2 + w (cos q_0 - cos q_1) / (2 limit); the time is the integral of dq / v.
"""

import numpy as np
from mpmath import cos, mp, mpf, quad, sqrt
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline
from scipy.optimize import linprog

from .bang_bang import knots, sampled_moments, second_derivatives

mp.dps = 30


def case(name, chain, start, end, limit):
    inertia, weight = mpf(chain.about_hinge), mpf(chain.weight)
    a, b, top = mpf(start), mpf(end), mpf(limit)
    switch = (a + b) / 2 + weight * (cos(a) - cos(b)) / (2 * top)

    # q = a + s^2 and q = b - s^2 take the root out of the ends.
    def speed(work, q, q0):
        return sqrt(2 * (work + weight * (cos(q) - cos(q0))) / inertia)

    up = quad(lambda s: 2 * s / speed(top * s**2, a + s**2, a), [0, sqrt(switch - a)])
    down = quad(lambda s: 2 * s / speed(top * s**2, b - s**2, b), [0, sqrt(b - switch)])
    duration = float(up + down)
    if not (abs(weight) < top and a < switch < b and duration < float(mp.pi * sqrt(inertia / weight))):
        raise SystemExit(f"{name}: more than one switch is possible")

    samples, missed = played(chain, start, limit, float(up), duration)
    missed = max(abs(missed[0] - end), abs(missed[1]))
    print(f"  {name}: {duration:.12f} s, switch at {float(switch):.9f} rad, {float(up):.9f} s; played it misses by {missed:.1e}")
    if missed > 1e-10:
        raise SystemExit("quadrature and integration differ")
    splines = []
    for degree, intervals in ((5, 8), (5, 16), (5, 32), (5, 64), (3, 32)):
        dense = np.linspace(0, 1, 16 * intervals + 1)
        sampled, all_over = (
            best_spline(chain, start, end, limit, degree, intervals, at, duration)
            for at in (sampled_moments(intervals), dense)
        )
        print(f"    degree {degree}, {intervals:2d} intervals: {sampled:.9f} {all_over:.9f} ({sampled / duration - 1:+.1e})", flush=True)
        splines.append({"degree": degree, "intervals": intervals, "sampled": sampled, "dense": all_over})
    return {
        "name": name, "figure": chain.data(), "gravity": [0, -chain.gravity, 0], "from": start, "to": end, "limit": limit,
        "duration": duration, "switchAngle": float(switch), "switchTime": float(up), "samples": samples, "splines": splines,
    }


def played(chain, start, limit, switch, duration):
    """Eleven states under +limit up to the switch, -limit after it; and the state at the end."""
    times = np.linspace(0, duration, 11)
    state, out = np.array([start, 0.0]), []
    for t0, t1, tau in ((0, switch, limit), (switch, duration, -limit)):
        found = solve_ivp(
            lambda _, y, tau=tau: [y[1], chain.accelerations(y[0], y[1], tau)],
            (t0, t1), state, method="DOP853", rtol=1e-13, atol=1e-14, dense_output=True,
        )
        out += [[float(t), *map(float, found.sol(t)), tau] for t in times if t0 <= t < t1]
        state = found.y[:, -1]
    out.append([duration, *map(float, state), -limit])
    return out, state


def best_spline(chain, start, end, limit, degree, intervals, at, duration):
    """Least time of a clamped uniform B-spline in u = t / T with |tau| <= limit at the moments `at`: linear programs about the last answer.

    |I q_uu + z w sin q| <= z limit with z = T^2. A path has a least z of its own, which is what goes down and is given.
    """
    inertia, weight = chain.about_hinge, chain.weight
    size = intervals + degree
    bend = second_derivatives(degree, intervals, at)
    t = knots(degree, intervals)
    place = BSpline(t, np.eye(size), degree)(at)

    def least(points):
        pull, down = inertia * bend @ points, weight * np.sin(place @ points)
        return np.max(np.concatenate([pull / (limit - down), -pull / (limit + down)]))

    greville = np.array([np.mean(t[i + 1 : i + degree + 1]) for i in range(size)])
    shape = 3 * greville**2 - 2 * greville**3
    points = start + (end - start) * np.concatenate([[0, 0], shape[2:-2], [1, 1]])
    z, radius = least(points), 1.0
    for _ in range(100):
        q = place @ points
        down, slope = weight * np.sin(q), weight * np.cos(q)
        # Unknown: step of the free points, then the new z; the product of both steps is left out.
        rows = (inertia * bend + z * slope[:, None] * place)[:, 2:-2]
        here = inertia * bend @ points
        found = linprog(
            np.append(np.zeros(size - 4), 1),
            A_ub=np.block([[rows, (down - limit)[:, None]], [-rows, (-down - limit)[:, None]]]),
            b_ub=np.append(-here, here), bounds=[(-radius, radius)] * (size - 4) + [(0, None)], method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status != 0:
            raise SystemExit(found.message)
        trial = points.copy()
        trial[2:-2] += found.x[:-1]
        new = least(trial)
        if z - found.x[-1] < 1e-9 * z:
            return float(np.sqrt(min(new, z)))
        if new < z:
            points, z, radius = trial, new, 2 * radius
        else:
            radius = 0.25 * np.max(np.abs(found.x[:-1]))
    raise SystemExit(f"degree {degree}, {intervals} intervals: {z} and {found.x[-1]} are too far apart")
