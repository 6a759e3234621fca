"""Second-order jets over mpmath numbers: value, gradient and Hessian in three variables.

Everything the oracles publish about derivatives comes from running a definition on jets, so no derivative formula
of the library or of the paper is repeated here.
"""

from mpmath import mp, mpf

N = 3


class Jet:
    def __init__(self, value, grad=None, hess=None):
        self.value = mpf(value)
        self.grad = grad if grad is not None else [mpf(0)] * N
        self.hess = hess if hess is not None else [[mpf(0)] * N for _ in range(N)]

    @staticmethod
    def variable(value, index):
        return Jet(value, [mpf(1) if i == index else mpf(0) for i in range(N)])

    def __add__(self, other):
        other = lift(other)
        return Jet(
            self.value + other.value,
            [a + b for a, b in zip(self.grad, other.grad)],
            [[self.hess[j][k] + other.hess[j][k] for k in range(N)] for j in range(N)],
        )

    __radd__ = __add__

    def __neg__(self):
        return Jet(-self.value, [-a for a in self.grad], [[-b for b in row] for row in self.hess])

    def __sub__(self, other):
        return self + (-lift(other))

    def __rsub__(self, other):
        return lift(other) + (-self)

    def __mul__(self, other):
        other = lift(other)
        a, b = self, other
        return Jet(
            a.value * b.value,
            [a.grad[j] * b.value + a.value * b.grad[j] for j in range(N)],
            [
                [
                    a.hess[j][k] * b.value
                    + a.grad[j] * b.grad[k]
                    + a.grad[k] * b.grad[j]
                    + a.value * b.hess[j][k]
                    for k in range(N)
                ]
                for j in range(N)
            ],
        )

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self * lift(other).apply(lambda u: (1 / u, -1 / u**2, 2 / u**3))

    def apply(self, f):
        """f(u) -> (f, f', f'') at the value."""
        y, d, dd = f(self.value)
        return Jet(
            y,
            [d * g for g in self.grad],
            [[d * self.hess[j][k] + dd * self.grad[j] * self.grad[k] for k in range(N)] for j in range(N)],
        )


def lift(x):
    return x if isinstance(x, Jet) else Jet(x)


def sqrt(x):
    return x.apply(lambda u: (mp.sqrt(u), 1 / (2 * mp.sqrt(u)), -1 / (4 * mp.sqrt(u) ** 3)))


def sin(x):
    return x.apply(lambda u: (mp.sin(u), mp.cos(u), -mp.sin(u)))


def cos(x):
    return x.apply(lambda u: (mp.cos(u), -mp.sin(u), -mp.cos(u)))
