#!/usr/bin/env python3
"""Reference values of tests/cli/gp_test.cpp from scikit-learn: log evidence, predictions, kernel ridge regression.

usage: make_gp_reference.py     needs python3-sklearn; prints rows of C++ tables
"""
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor, kernels as k
from sklearn.kernel_ridge import KernelRidge

X = np.array([0.1, 0.5, 0.9, 1.4, 2.0, 2.6, 3.1, 3.5, 4.2, 4.8, 5.5])[:, None]
Y = np.array([0.3, 0.9, 1.2, 1.4, 1.1, 0.6, 0.1, -0.2, -0.9, -1.1, -0.8])
NOISE = 0.2
KERNELS = [
    ("se(x, length = 1.3, sd = 0.9)", 0.81 * k.RBF(1.3)),
    ("matern12(x, length = 1.3, sd = 0.9)", 0.81 * k.Matern(1.3, nu=0.5)),
    ("matern32(x, length = 1.3, sd = 0.9)", 0.81 * k.Matern(1.3, nu=1.5)),
    ("matern52(x, length = 1.3, sd = 0.9)", 0.81 * k.Matern(1.3, nu=2.5)),
    ("matern(x, 3.5, length = 1.3, sd = 0.9)", 0.81 * k.Matern(1.3, nu=3.5)),
    ("rq(x, length = 1.3, alpha = 0.7, sd = 0.9)", 0.81 * k.RationalQuadratic(1.3, 0.7)),
    # length of exp(-2 sin^2 / length^2) is scikit-learn's
    ("periodic(x, 4.5, length = 1.3, sd = 0.9)", 0.81 * k.ExpSineSquared(1.3, 4.5)),
    ("0.81 * linear(x) + 0.25 * constant", 0.81 * k.DotProduct(sigma_0=0) + k.ConstantKernel(0.25)),
    ("0.01 * poly(x, 2, 1.5)", 0.01 * k.DotProduct(sigma_0=np.sqrt(1.5)) ** 2),
    ("0.5 * se(x, length = 2) * periodic(x, 4.5, length = 1.1) + 0.3 * matern32(x, length = 0.8)",
     0.5 * k.RBF(2.0) * k.ExpSineSquared(1.1, 4.5) + 0.3 * k.Matern(0.8, nu=1.5)),
]
for text, kernel in KERNELS:
    gp = GaussianProcessRegressor(kernel, alpha=NOISE**2, optimizer=None).fit(X, Y)
    mean, sd = gp.predict([[2.3]], return_std=True)
    print(f'{{"{text}", {gp.log_marginal_likelihood_value_:.12f}, {mean[0]:.12f}, {sd[0]:.12f}}},')
best = GaussianProcessRegressor(k.ConstantKernel(1.0, (1e-6, 1e6)) * k.RBF(1.0, (1e-3, 1e3)) + k.WhiteKernel(0.1, (1e-8, 1e3)),
                                n_restarts_optimizer=10, random_state=1).fit(X, Y)
print("// optimum", best.log_marginal_likelihood_value_, np.exp(best.kernel_.theta))
ridge = KernelRidge(alpha=NOISE**2, kernel="precomputed")
gram = (0.81 * k.RBF(1.3))(X)
ridge.fit(gram, Y)
fitted = gram @ ridge.dual_coef_
print("// ridge", (0.81 * k.RBF(1.3))([[2.3]], X) @ ridge.dual_coef_, ridge.dual_coef_ @ gram @ ridge.dual_coef_, ((Y - fitted) ** 2).sum())
