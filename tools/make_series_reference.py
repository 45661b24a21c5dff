#!/usr/bin/env python3
"""Log likelihoods of structural time series by statsmodels' UnobservedComponents with exact diffuse starts, at fixed variances, for
tests/cli/series_likelihood_test.cpp.

usage: tools/make_series_reference.py

statsmodels leaves out log(2 pi) / 2 for each unknown number of the start, which is added here: the result is the limit of
log p(y) + u log(2 pi kappa) / 2.
"""
import numpy as np
from statsmodels.tsa.statespace.initialization import Initialization
from statsmodels.tsa.statespace.structural import UnobservedComponents

T = 40
t = np.arange(T)
y = 10 + 0.3 * t + 2 * np.sin(t) + np.cos(1.7 * t * t)  # any numbers
y = np.round(y, 3)
x = np.round(np.cos(0.9 * t) + 0.05 * t, 3)
gaps = y.copy()
gaps[[3, 4, 17, 30]] = np.nan


def report(name, values, params, exog=None, **options):
    model = UnobservedComponents(values, exog=exog, use_exact_diffuse=True, **options)
    if options.get("cycle"):  # stationary, as in Credo: statsmodels leaves the cycle open
        start = Initialization(model.k_states)
        start.set(0, "diffuse")
        start.set((1, 3), "stationary")
        model.initialize_default = lambda *_, **__: model.ssm.initialize(start)
        model.ssm.initialize(start)
    given = [params[p] for p in model.param_names]
    result = model.smooth(given)
    unknown = int(np.sum(np.diag(result.filter_results.initial_diffuse_state_cov) != 0)) if hasattr(
        result.filter_results, "initial_diffuse_state_cov") else -1
    value = model.loglike(given)
    states = model.k_states
    print(name, "states", states, "unknown", unknown, "loglike %.12f" % value, "diffuse %.12f" % (value + unknown * np.log(2 * np.pi) / 2))


irregular = {"sigma2.irregular": 0.8}
level = {"sigma2.level": 0.5}
report("level", y, {**irregular, **level}, level="llevel")
report("level gaps", gaps, {**irregular, **level}, level="llevel")
report("trend", y, {**irregular, **level, "sigma2.trend": 0.02}, level="lltrend")
report("season", gaps, {**irregular, **level, "sigma2.seasonal": 0.1}, level="llevel", seasonal=4)
report("regression", gaps, {**irregular, **level, "beta.x1": 0.7}, level="llevel", exog=x)
report("cycle", gaps, {**irregular, **level, "sigma2.cycle": 0.3, "frequency.cycle": 2 * np.pi / 9.0, "damping.cycle": 0.9},
       level="llevel", cycle=True, stochastic_cycle=True, damped_cycle=True)
report("ar", gaps, {**irregular, **level, "sigma2.ar": 0.4, "ar.L1": 0.5, "ar.L2": 0.2}, level="llevel", autoregressive=2)
print("y", list(y))
print("x", list(x))
