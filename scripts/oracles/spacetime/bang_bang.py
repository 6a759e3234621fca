"""The double integrator in least time, x'' = u with |u| <= 1 from 0 to 1 and at rest at both ends, where the curve is a B-spline.

In u = t / T the bound is |x_uu| <= T^2, so the least T^2 of a space of splines is a Chebyshev approximation: the least z with
|A y + b| <= z, y the free control points. Both sides are bounded: from above by the largest |A y + b| of the answer, from below by
b w for any w with A^T w = 0 and |w|_1 = 1, for which the multipliers of the linear program are taken.
"""

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import linprog


def knots(degree, intervals):
    """Clamped and uniform over [0, 1]."""
    return np.concatenate([np.zeros(degree), np.linspace(0, 1, intervals + 1), np.ones(degree)])


def second_derivatives(degree, intervals, at):
    """Rows that take control points to x_uu at the moments `at`."""
    t = knots(degree, intervals)
    return BSpline(t, np.eye(intervals + degree), degree).derivative(2)(at)


def second_control_points(degree, intervals):
    """Rows that take control points to those of x_uu: differences twice over."""
    t = knots(degree, intervals)
    rows = np.eye(intervals + degree)
    for p in (degree, degree - 1):
        spans = t[p + 1 : -1] - t[1 : -p - 1]
        rows = p * np.diff(rows, axis=0) / spans[:, None]
        t = t[1:-1]
    return rows


def sampled_moments(intervals):
    """Three in each interval, at odd sixths, but six in the first and in the last, and both ends."""
    sixths = (np.arange(3, 3 * intervals - 3) + 0.5) / (3 * intervals)
    first = (np.arange(6) + 0.5) / (6 * intervals)
    return np.concatenate([[0.0], first, sixths, 1 - first[::-1], [1.0]])


def least_bound(rows):
    """Least z with |rows P| <= z where P = (0, 0, free, 1, 1): start and end, both at rest. (upper, lower, P)."""
    a, b = rows[:, 2:-2], rows[:, -1] + rows[:, -2]
    m, n = a.shape
    one = np.ones((m, 1))
    found = linprog(
        np.append(np.zeros(n), 1), A_ub=np.block([[a, -one], [-a, -one]]), b_ub=np.append(-b, b), bounds=(None, None),
        method="highs-ds", options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise SystemExit(found.message)
    upper = np.max(np.abs(a @ found.x[:-1] + b))
    marginals = -found.ineqlin.marginals
    w = marginals[:m] - marginals[m:]
    # Only where there is a multiplier may it change: w there is brought into the kernel of A^T.
    held = np.abs(w) > 0
    part = a[held]
    w[held] -= part @ np.linalg.lstsq(part, w[held], rcond=None)[0] if held.any() else 0
    lower = b @ w / np.sum(np.abs(w))
    return upper, lower, np.concatenate([[0, 0], found.x[:-1], [1, 1]])


def everywhere(degree, intervals):
    """|x_uu| <= z at all times: moments are added where the answer exceeds its bound until it does so no more."""
    fine = np.linspace(0, 1, 64 * intervals + 1)
    dense = second_derivatives(degree, intervals, fine)
    moments = sampled_moments(intervals)
    for _ in range(40):
        _, lower, points = least_bound(second_derivatives(degree, intervals, moments))
        upper, peaks = largest(degree, intervals, points, fine, dense)
        if upper - lower < 1e-9:
            return upper, lower
        moments = np.unique(np.concatenate([moments, peaks]))
    raise SystemExit(f"degree {degree}, {intervals} intervals: {upper - lower} apart")


def largest(degree, intervals, points, fine, dense):
    """Largest |x_uu| and where |x_uu| peaks: on the fine grid, then by a parabola through three of its moments."""
    values = np.abs(dense @ points)
    inner = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])) + 1
    left, middle, right = values[inner - 1], values[inner], values[inner + 1]
    bend = left - 2 * middle + right
    shift = np.where(np.abs(bend) > 1e-12, 0.5 * (left - right) / np.where(bend == 0, 1, bend), 0)
    peaks = np.concatenate([fine[inner] + np.clip(shift, -1, 1) * (fine[1] - fine[0]), fine[inner], [0, 1]])
    return max(np.max(values), np.max(np.abs(second_derivatives(degree, intervals, peaks) @ points))), peaks


def durations():
    rows = []
    for degree in (3, 4, 5):
        for intervals in (8, 16, 32, 64):
            row = {"degree": degree, "intervals": intervals}
            sampled = least_bound(second_derivatives(degree, intervals, sampled_moments(intervals)))[:2]
            points = least_bound(second_control_points(degree, intervals))[:2]
            for name, (upper, lower) in zip(
                ("sampled", "controlPoints", "everywhere"), (sampled, points, everywhere(degree, intervals))
            ):
                if not -1e-12 < upper - lower < 2e-9:
                    raise SystemExit(f"{name}: {upper} and {lower} are too far apart")
                row[name] = float(np.sqrt(upper))
            # A cubic's x'' can but go straight from knot to knot: one interval each side of the middle, integrated by hand.
            if degree == 3 and abs(row["everywhere"] - 2 / np.sqrt(1 - 4 / (3 * intervals**2))) > 1e-9:
                raise SystemExit("a cubic's least time is known by hand, and is another")
            print("  degree {degree}, {intervals:2d} intervals: {sampled:.9f} {controlPoints:.9f} {everywhere:.9f}".format(**row))
            rows.append(row)
    return rows
