"""Bessel functions in long double, by sums that converge fast: the truth for test_accuracy.py."""

import numpy as np

GAMMA = np.longdouble("0.57721566490153286060651209008240243")
PI = np.longdouble("3.14159265358979323846264338327950288")


def first_kind(orders, x):
    """J_n(x) for each x, a row, and each order: the mean of cos(n t - x sin t) over a period, whose
    trapezoid sum is exact once it has more points than x and n."""
    x = np.asarray(x, np.longdouble)
    points = int(np.max(np.abs(x), initial=0)) + 2 * max(orders) + 60
    t = 2 * PI * np.arange(points) / points
    sine = x[:, None] * np.sin(t)
    return np.stack([np.mean(np.cos(n * t - sine), axis=1) for n in orders], axis=1)


def second_kind(orders, x):
    """Y_n(x) of x > 0 by Neumann's series for Y_0 and Y_1, then upwards."""
    x = np.asarray(x, np.longdouble)
    terms = int(np.max(x)) // 2 + 40
    j = first_kind(range(2 * terms + 2), x)
    k = np.arange(1, terms + 1)
    sign = np.where(k % 2, -1, 1)
    log = np.log(x / 2) + GAMMA
    zeroth = 2 / PI * log * j[:, 0] - 4 / PI * np.sum(sign * j[:, 2::2][:, :terms] / k, axis=1)
    # Y_1 = -Y_0', term by term.
    steps = j[:, 1::2][:, :terms] - j[:, 3::2][:, :terms]
    first = 2 / PI * (log * j[:, 1] - j[:, 0] / x + np.sum(sign * steps / k, axis=1))
    all_orders = [zeroth, first]
    for n in range(1, max(orders)):
        all_orders.append(2 * n / x * all_orders[-1] - all_orders[-2])
    return np.stack([all_orders[n] for n in orders], axis=1)


def modified(order, x):
    """I_n(x): the mean of e^(x cos t) cos(n t)."""
    x = np.asarray(x, np.longdouble)
    points = int(np.max(np.abs(x))) + 100
    t = 2 * PI * np.arange(points) / points
    return np.mean(np.exp(x[:, None] * np.cos(t)) * np.cos(order * t), axis=1)
