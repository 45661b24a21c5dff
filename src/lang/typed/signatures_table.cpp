// Made by tools/make_signatures.py; the notation is explained in lang/typed/signatures.hpp.
#include "lang/typed/signatures.hpp"

namespace credo::lang {
// clang-format off
namespace {
constexpr SignatureRow kRows[] = {
    {"Phi",
     "@ $N => @ promote($N)"},
    {"Phi_approx",
     "@ $N => @ promote($N)"},
    {"abs",
     "@ $N => @ $N\n"
     "@ $Z => @ realpart($Z)"},
    {"acos",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"acosh",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"add",
     "$B, $B => $B\n"
     "$L, real => $L\n"
     "real, $L => $L\n"
     "$Y, complex => $Y\n"
     "complex, $Y => $Y"},
    {"add_diag",
     "matrix, {vector|row_vector} => matrix\n"
     "complex_matrix, {complex_vector|complex_row_vector} => complex_matrix\n"
     "complex_matrix, complex => complex_matrix\n"
     "matrix, real => matrix"},
    {"algebra_solver",
     "fn(vector, vector, data real[], data int[]): vector, vector, vector, data real[], data int[] => vector\n"
     "fn(vector, vector, data real[], data int[]): vector, vector, vector, data real[], data int[], data real, data real, data real => vector"},
    {"algebra_solver_newton",
     "fn(vector, vector, data real[], data int[]): vector, vector, vector, data real[], data int[] => vector\n"
     "fn(vector, vector, data real[], data int[]): vector, vector, vector, data real[], data int[], data real, data real, data real => vector"},
    {"append_array",
     "@1 $B, @1 $B => @1 $B"},
    {"append_col",
     "{vector|matrix}, {vector|matrix} => matrix\n"
     "complex, complex_row_vector => complex_row_vector\n"
     "complex_matrix, complex_matrix => complex_matrix\n"
     "complex_matrix, complex_vector => complex_matrix\n"
     "complex_row_vector, complex => complex_row_vector\n"
     "complex_row_vector, complex_row_vector => complex_row_vector\n"
     "complex_vector, complex_matrix => complex_matrix\n"
     "complex_vector, complex_vector => complex_matrix\n"
     "real, row_vector => row_vector\n"
     "row_vector, real => row_vector\n"
     "row_vector, row_vector => row_vector"},
    {"append_row",
     "{row_vector|matrix}, {row_vector|matrix} => matrix\n"
     "{real|vector}, vector => vector\n"
     "complex, complex_vector => complex_vector\n"
     "complex_matrix, complex_matrix => complex_matrix\n"
     "complex_matrix, complex_row_vector => complex_matrix\n"
     "complex_row_vector, complex_matrix => complex_matrix\n"
     "complex_row_vector, complex_row_vector => complex_matrix\n"
     "complex_vector, complex => complex_vector\n"
     "complex_vector, complex_vector => complex_vector\n"
     "vector, real => vector"},
    {"arg",
     "complex => real"},
    {"asin",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"asinh",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"atan",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"atan2",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"atanh",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"bernoulli_cdf",
     "ints, reals => real"},
    {"bernoulli_lccdf",
     "ints, reals => real"},
    {"bernoulli_lcdf",
     "ints, reals => real"},
    {"bernoulli_logit_glm_lpmf",
     "ints, matrix, {real|vector}, vector => real\n"
     "int[], row_vector, {real|vector}, vector => real"},
    {"bernoulli_logit_glm_rng",
     "{row_vector|matrix}, vector, vector => int[]"},
    {"bernoulli_logit_lpmf",
     "ints, reals => real"},
    {"bernoulli_logit_rng",
     "intreals => rng(int)"},
    {"bernoulli_lpmf",
     "ints, reals => real"},
    {"bernoulli_rng",
     "intreals => rng(int)"},
    {"bessel_first_kind",
     "int, @ $F => @ $F\n"
     "@+1 int, @ $G => @ $G\n"
     "@+2 int, @ matrix => @ matrix\n"
     "@ int, real => @ real"},
    {"bessel_second_kind",
     "int, @ $F => @ $F\n"
     "@+1 int, @ $G => @ $G\n"
     "@+2 int, @ matrix => @ matrix\n"
     "@ int, real => @ real"},
    {"beta",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"beta_binomial_cdf",
     "ints, ints, reals, reals => real"},
    {"beta_binomial_lccdf",
     "ints, ints, reals, reals => real"},
    {"beta_binomial_lcdf",
     "ints, ints, reals, reals => real"},
    {"beta_binomial_lpmf",
     "ints, ints, reals, reals => real"},
    {"beta_binomial_rng",
     "ints, intreals, intreals => rng(int)"},
    {"beta_cdf",
     "reals, reals, reals => real"},
    {"beta_lccdf",
     "reals, reals, reals => real"},
    {"beta_lcdf",
     "reals, reals, reals => real"},
    {"beta_lpdf",
     "reals, reals, reals => real"},
    {"beta_neg_binomial_cdf",
     "ints, reals, reals, reals => real"},
    {"beta_neg_binomial_lccdf",
     "ints, reals, reals, reals => real"},
    {"beta_neg_binomial_lcdf",
     "ints, reals, reals, reals => real"},
    {"beta_neg_binomial_lpmf",
     "ints, reals, reals, reals => real"},
    {"beta_neg_binomial_rng",
     "intreals, intreals, intreals => rng(int)"},
    {"beta_proportion_lccdf",
     "reals, reals, intreals => real"},
    {"beta_proportion_lcdf",
     "reals, reals, intreals => real"},
    {"beta_proportion_lpdf",
     "reals, reals, intreals => real"},
    {"beta_proportion_rng",
     "reals, intreals => rng(real)"},
    {"beta_rng",
     "intreals, intreals => rng(real)"},
    {"binary_log_loss",
     "int, @ $F => @ $F\n"
     "@+1 int, @ $G => @ $G\n"
     "@+2 int, @ matrix => @ matrix\n"
     "@ int, real => @ real"},
    {"binomial_cdf",
     "ints, ints, reals => real"},
    {"binomial_lccdf",
     "ints, ints, reals => real"},
    {"binomial_lcdf",
     "ints, ints, reals => real"},
    {"binomial_logit_glm_lpmf",
     "ints, ints, matrix, real, vector => real\n"
     "int[], int[], {row_vector|matrix}, vector, vector => real\n"
     "int[], int[], row_vector, real, vector => real\n"
     "int, int, matrix, vector, vector => real"},
    {"binomial_logit_lpmf",
     "ints, ints, reals => real"},
    {"binomial_lpmf",
     "ints, ints, reals => real"},
    {"binomial_rng",
     "ints, intreals => rng(int)"},
    {"block",
     "complex_matrix, int, int, int, int => complex_matrix\n"
     "matrix, int, int, int, int => matrix"},
    {"categorical_logit_glm_lpmf",
     "ints, {row_vector|matrix}, vector, matrix => real"},
    {"categorical_logit_lpmf",
     "ints, vector => real"},
    {"categorical_logit_rng",
     "vector => int"},
    {"categorical_lpmf",
     "ints, vector => real"},
    {"categorical_rng",
     "vector => int"},
    {"cauchy_cdf",
     "reals, reals, reals => real"},
    {"cauchy_lccdf",
     "reals, reals, reals => real"},
    {"cauchy_lcdf",
     "reals, reals, reals => real"},
    {"cauchy_lpdf",
     "reals, reals, reals => real"},
    {"cauchy_rng",
     "intreals, intreals => rng(real)"},
    {"cbrt",
     "@ $N => @ promote($N)"},
    {"ceil",
     "@ $N => @ promote($N)"},
    {"chi_square_cdf",
     "reals, reals => real"},
    {"chi_square_lccdf",
     "reals, reals => real"},
    {"chi_square_lcdf",
     "reals, reals => real"},
    {"chi_square_lpdf",
     "reals, reals => real"},
    {"chi_square_rng",
     "intreals => rng(real)"},
    {"chol2inv",
     "matrix => matrix"},
    {"cholesky_decompose",
     "matrix => matrix"},
    {"cholesky_factor_corr_constrain",
     "@ vector, int => @ matrix"},
    {"cholesky_factor_corr_jacobian",
     "@ vector, int => @ matrix"},
    {"cholesky_factor_corr_unconstrain",
     "@ matrix => @ vector"},
    {"cholesky_factor_cov_constrain",
     "@ vector, int, int => @ matrix"},
    {"cholesky_factor_cov_jacobian",
     "@ vector, int, int => @ matrix"},
    {"cholesky_factor_cov_unconstrain",
     "@ matrix => @ vector"},
    {"choose",
     "@ int, int => @ int\n"
     "int, @1 int => @1 int\n"
     "@1 int, @1 int => @1 int"},
    {"col",
     "complex_matrix, int => complex_vector\n"
     "matrix, int => vector"},
    {"cols",
     "{matrix|row_vector|vector} => int\n"
     "{complex_matrix|complex_row_vector|complex_vector} => int"},
    {"columns_dot_product",
     "complex_matrix, complex_matrix => complex_row_vector\n"
     "complex_row_vector, complex_row_vector => complex_row_vector\n"
     "complex_vector, complex_vector => complex_row_vector\n"
     "matrix, matrix => row_vector\n"
     "row_vector, row_vector => row_vector\n"
     "vector, vector => row_vector"},
    {"columns_dot_self",
     "{matrix|row_vector|vector} => row_vector\n"
     "{complex_matrix|complex_row_vector|complex_vector} => complex_row_vector"},
    {"complex_schur_decompose",
     "{matrix|complex_matrix} => tuple(complex_matrix, complex_matrix)"},
    {"complex_schur_decompose_t",
     "{matrix|complex_matrix} => complex_matrix"},
    {"complex_schur_decompose_u",
     "{matrix|complex_matrix} => complex_matrix"},
    {"conj",
     "@ $Z => @ $Z"},
    {"corr_matrix_constrain",
     "@ vector, int => @ matrix"},
    {"corr_matrix_jacobian",
     "@ vector, int => @ matrix"},
    {"corr_matrix_unconstrain",
     "@ matrix => @ vector"},
    {"cos",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"cosh",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"cov_matrix_constrain",
     "@ vector, int => @ matrix"},
    {"cov_matrix_jacobian",
     "@ vector, int => @ matrix"},
    {"cov_matrix_unconstrain",
     "@ matrix => @ vector"},
    {"crossprod",
     "matrix => matrix"},
    {"csr_extract",
     "matrix => tuple(vector, int[], int[])"},
    {"csr_extract_u",
     "matrix => int[]"},
    {"csr_extract_v",
     "matrix => int[]"},
    {"csr_extract_w",
     "matrix => vector"},
    {"csr_matrix_times_vector",
     "int, int, vector, int[], int[], vector => vector"},
    {"csr_to_dense_matrix",
     "int, int, vector, int[], int[] => matrix"},
    {"cumulative_sum",
     "complex[] => complex[]\n"
     "int[] => int[]\n"
     "real[] => real[]\n"
     "complex_row_vector => complex_row_vector\n"
     "complex_vector => complex_vector\n"
     "row_vector => row_vector\n"
     "vector => vector"},
    {"dae",
     "fn(real, vector, vector, ...): vector, vector, vector, data real, data real[], ... => vector[]"},
    {"dae_tol",
     "fn(real, vector, vector, ...): vector, vector, vector, data real, data real[], data real, data real, data int, ... => vector[]"},
    {"determinant",
     "matrix => real"},
    {"diag_matrix",
     "complex_vector => complex_matrix\n"
     "vector => matrix"},
    {"diag_post_multiply",
     "matrix, {vector|row_vector} => matrix\n"
     "complex_matrix, {complex_vector|complex_row_vector} => complex_matrix"},
    {"diag_pre_multiply",
     "{vector|row_vector}, matrix => matrix\n"
     "{complex_vector|complex_row_vector}, complex_matrix => complex_matrix"},
    {"diagonal",
     "complex_matrix => complex_vector\n"
     "matrix => vector"},
    {"digamma",
     "@ $N => @ promote($N)"},
    {"dims",
     "@1 $B => int[]\n"
     "{int|real|complex|vector|row_vector|matrix} => int[]"},
    {"dirichlet_lpdf",
     "vectors, vectors => real"},
    {"dirichlet_multinomial_lpmf",
     "int[], vector => real"},
    {"dirichlet_multinomial_rng",
     "vector, int => int[]"},
    {"dirichlet_rng",
     "vector => vector"},
    {"discrete_range_cdf",
     "ints, ints, ints => real"},
    {"discrete_range_lccdf",
     "ints, ints, ints => real"},
    {"discrete_range_lcdf",
     "ints, ints, ints => real"},
    {"discrete_range_lpmf",
     "ints, ints, ints => real"},
    {"discrete_range_rng",
     "ints, ints => rng(int)"},
    {"distance",
     "{vector|row_vector}, {vector|row_vector} => real"},
    {"divide",
     "$L, real => $L\n"
     "real, $L => $L\n"
     "$Y, complex => $Y\n"
     "complex, $Y => $Y\n"
     "complex, complex => complex\n"
     "int, int => int\n"
     "real, real => real"},
    {"dot_product",
     "{complex_vector|complex_row_vector}, {complex_vector|complex_row_vector} => complex\n"
     "{vector|row_vector}, {vector|row_vector} => real\n"
     "complex[], complex[] => complex\n"
     "real[], real[] => real"},
    {"dot_self",
     "{vector|row_vector} => real\n"
     "{complex_vector|complex_row_vector} => complex"},
    {"double_exponential_cdf",
     "reals, reals, reals => real"},
    {"double_exponential_lccdf",
     "reals, reals, reals => real"},
    {"double_exponential_lcdf",
     "reals, reals, reals => real"},
    {"double_exponential_lpdf",
     "reals, reals, reals => real"},
    {"double_exponential_rng",
     "intreals, intreals => rng(real)"},
    {"e",
     " => real"},
    {"eigendecompose",
     "{matrix|complex_matrix} => tuple(complex_matrix, complex_vector)"},
    {"eigendecompose_sym",
     "complex_matrix => tuple(complex_matrix, complex_vector)\n"
     "matrix => tuple(matrix, vector)"},
    {"eigenvalues",
     "{matrix|complex_matrix} => complex_vector"},
    {"eigenvalues_sym",
     "complex_matrix => complex_vector\n"
     "matrix => vector"},
    {"eigenvectors",
     "{matrix|complex_matrix} => complex_matrix"},
    {"eigenvectors_sym",
     "complex_matrix => complex_matrix\n"
     "matrix => matrix"},
    {"elt_divide",
     "$B, $B => $B\n"
     "$L, real => $L\n"
     "real, $L => $L\n"
     "$Y, complex => $Y\n"
     "complex, $Y => $Y"},
    {"elt_multiply",
     "$B, $B => $B\n"
     "$L, real => $L\n"
     "real, $L => $L\n"
     "$Y, complex => $Y\n"
     "complex, $Y => $Y"},
    {"erf",
     "@ $N => @ promote($N)"},
    {"erfc",
     "@ $N => @ promote($N)"},
    {"exp",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"exp2",
     "@ $N => @ promote($N)"},
    {"exp_mod_normal_cdf",
     "reals, reals, reals, reals => real"},
    {"exp_mod_normal_lccdf",
     "reals, reals, reals, reals => real"},
    {"exp_mod_normal_lcdf",
     "reals, reals, reals, reals => real"},
    {"exp_mod_normal_lpdf",
     "reals, reals, reals, reals => real"},
    {"exp_mod_normal_rng",
     "intreals, intreals, intreals => rng(real)"},
    {"expm1",
     "@ $N => @ promote($N)"},
    {"exponential_cdf",
     "reals, reals => real"},
    {"exponential_lccdf",
     "reals, reals => real"},
    {"exponential_lcdf",
     "reals, reals => real"},
    {"exponential_lpdf",
     "reals, reals => real"},
    {"exponential_rng",
     "intreals => rng(real)"},
    {"falling_factorial",
     "@ $F, int => @ $F\n"
     "@ $G, @+1 int => @ $G\n"
     "@ matrix, @+2 int => @ matrix\n"
     "real, @ int => @ real\n"
     "@ int, int => @ int\n"
     "int, @1 int => @1 int\n"
     "@1 int, @1 int => @1 int"},
    {"fdim",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"fft",
     "complex_vector => complex_vector"},
    {"fft2",
     "complex_matrix => complex_matrix"},
    {"floor",
     "@ $N => @ promote($N)"},
    {"fma",
     "real, real, real => real\n"
     "real, $L, real => $L\n"
     "real, $L, $L => $L\n"
     "real, real, $L => $L\n"
     "$L, real, real => $L\n"
     "$L, $L, real => $L\n"
     "$L, real, $L => $L\n"
     "$L, $L, $L => $L"},
    {"fmax",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"fmin",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"fmod",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"frechet_cdf",
     "reals, reals, reals => real"},
    {"frechet_lccdf",
     "reals, reals, reals => real"},
    {"frechet_lcdf",
     "reals, reals, reals => real"},
    {"frechet_lpdf",
     "reals, reals, reals => real"},
    {"frechet_rng",
     "intreals, intreals => rng(real)"},
    {"gamma_cdf",
     "reals, reals, reals => real"},
    {"gamma_lccdf",
     "reals, reals, reals => real"},
    {"gamma_lcdf",
     "reals, reals, reals => real"},
    {"gamma_lpdf",
     "reals, reals, reals => real"},
    {"gamma_p",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, @ $F => @ $F\n"
     "real, real => real"},
    {"gamma_q",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, @ $F => @ $F\n"
     "real, real => real"},
    {"gamma_rng",
     "intreals, intreals => rng(real)"},
    {"gaussian_dlm_obs_lpdf",
     "matrix, matrix, matrix, {vector|matrix}, matrix, vector, matrix => real"},
    {"generalized_inverse",
     "matrix => matrix"},
    {"generate_laplace_options",
     "{int|vector} => tuple(vector, real, int, int, int, int)"},
    {"get_imag",
     "@ $Z => @ realpart($Z)"},
    {"get_real",
     "@ $Z => @ realpart($Z)"},
    {"gp_dot_prod_cov",
     "{real[]|vector[]}, real => matrix\n"
     "real[], real[], real => matrix\n"
     "vector[], vector[], real => matrix"},
    {"gp_exp_quad_cov",
     "{real[]|vector[]}, real, real => matrix\n"
     "real[], real[], real, real => matrix\n"
     "vector[], vector[], real, real[] => matrix\n"
     "vector[], vector[], real, real => matrix\n"
     "vector[], real, real[] => matrix"},
    {"gp_exponential_cov",
     "{real[]|vector[]}, real, real => matrix\n"
     "real[], real[], real, real => matrix\n"
     "vector[], vector[], real, real[] => matrix\n"
     "vector[], vector[], real, real => matrix\n"
     "vector[], real, real[] => matrix"},
    {"gp_matern32_cov",
     "{real[]|vector[]}, real, real => matrix\n"
     "real[], real[], real, real => matrix\n"
     "vector[], vector[], real, real[] => matrix\n"
     "vector[], vector[], real, real => matrix\n"
     "vector[], real, real[] => matrix"},
    {"gp_matern52_cov",
     "{real[]|vector[]}, real, real => matrix\n"
     "real[], real[], real, real => matrix\n"
     "vector[], vector[], real, real[] => matrix\n"
     "vector[], vector[], real, real => matrix\n"
     "vector[], real, real[] => matrix"},
    {"gp_periodic_cov",
     "{real[]|vector[]}, real, real, real => matrix\n"
     "real[], real[], real, real, real => matrix\n"
     "vector[], vector[], real, real, real => matrix"},
    {"gumbel_cdf",
     "reals, reals, reals => real"},
    {"gumbel_lccdf",
     "reals, reals, reals => real"},
    {"gumbel_lcdf",
     "reals, reals, reals => real"},
    {"gumbel_lpdf",
     "reals, reals, reals => real"},
    {"gumbel_rng",
     "intreals, intreals => rng(real)"},
    {"head",
     "@1-3 $B, int => @1-3 $B\n"
     "complex_row_vector, int => complex_row_vector\n"
     "complex_vector, int => complex_vector\n"
     "row_vector, int => row_vector\n"
     "vector, int => vector"},
    {"hmm_hidden_state_prob",
     "data matrix, data matrix, data vector => matrix"},
    {"hmm_latent_rng",
     "matrix, matrix, vector => int[]"},
    {"hmm_marginal",
     "matrix, matrix, vector => real"},
    {"hypergeometric_1F0",
     "real, real => real"},
    {"hypergeometric_2F1",
     "real, real, real, real => real"},
    {"hypergeometric_3F2",
     "{vector|row_vector|real[]}, {vector|row_vector|real[]}, real => real"},
    {"hypergeometric_lpmf",
     "int, int, int, int => real"},
    {"hypergeometric_pFq",
     "{vector|row_vector|real[]}, {vector|row_vector|real[]}, real => real"},
    {"hypergeometric_rng",
     "int, int, int => int"},
    {"hypot",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"identity_matrix",
     "int => matrix"},
    {"idivide",
     "int, int => int"},
    {"inc_beta",
     "real, real, real => real"},
    {"int_step",
     "{int|real} => int"},
    {"integrate_1d",
     "fn(real, real, real[], data real[], data int[]): real, real, real, real[], data real[], data int[] => real\n"
     "fn(real, real, real[], data real[], data int[]): real, real, real, real[], data real[], data int[], data real => real"},
    {"integrate_1d_double_exponential",
     "fn(real, real, ...): real, real, real, ... => real"},
    {"integrate_1d_double_exponential_tol",
     "fn(real, real, ...): real, real, real, data real, data real, data int, ... => real"},
    {"integrate_1d_gauss_kronrod",
     "fn(real, real, ...): real, real, real, ... => real"},
    {"integrate_1d_gauss_kronrod_tol",
     "fn(real, real, ...): real, real, real, data real, data real, data int, ... => real"},
    {"integrate_ode",
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[] => real[,]"},
    {"integrate_ode_adams",
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[] => real[,]\n"
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[], data real, data real, data real => real[,]"},
    {"integrate_ode_bdf",
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[] => real[,]\n"
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[], data real, data real, data real => real[,]"},
    {"integrate_ode_rk45",
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[] => real[,]\n"
     "fn(real, real[], real[], data real[], data int[]): real[], real[], real, real[], real[], data real[], data int[], data real, data real, data real => real[,]"},
    {"inv",
     "@ $N => @ promote($N)"},
    {"inv_Phi",
     "@ $N => @ promote($N)"},
    {"inv_chi_square_cdf",
     "reals, reals => real"},
    {"inv_chi_square_lccdf",
     "reals, reals => real"},
    {"inv_chi_square_lcdf",
     "reals, reals => real"},
    {"inv_chi_square_lpdf",
     "reals, reals => real"},
    {"inv_chi_square_rng",
     "intreals => rng(real)"},
    {"inv_cloglog",
     "@ $N => @ promote($N)"},
    {"inv_erfc",
     "@ $N => @ promote($N)"},
    {"inv_fft",
     "complex_vector => complex_vector"},
    {"inv_fft2",
     "complex_matrix => complex_matrix"},
    {"inv_gamma_cdf",
     "reals, reals, reals => real"},
    {"inv_gamma_lccdf",
     "reals, reals, reals => real"},
    {"inv_gamma_lcdf",
     "reals, reals, reals => real"},
    {"inv_gamma_lpdf",
     "reals, reals, reals => real"},
    {"inv_gamma_rng",
     "intreals, intreals => rng(real)"},
    {"inv_inc_beta",
     "real, real, real => real"},
    {"inv_logit",
     "@ $N => @ promote($N)"},
    {"inv_sqrt",
     "@ $N => @ promote($N)"},
    {"inv_square",
     "@ $N => @ promote($N)"},
    {"inv_wishart_cholesky_lpdf",
     "matrix, real, matrix => real"},
    {"inv_wishart_cholesky_rng",
     "real, matrix => matrix"},
    {"inv_wishart_lpdf",
     "matrix, real, matrix => real"},
    {"inv_wishart_rng",
     "real, matrix => matrix"},
    {"inverse",
     "matrix => matrix"},
    {"inverse_spd",
     "matrix => matrix"},
    {"is_inf",
     "real => int"},
    {"is_nan",
     "real => int"},
    {"lambert_w0",
     "@ $N => @ promote($N)"},
    {"lambert_wm1",
     "@ $N => @ promote($N)"},
    {"laplace_latent_bernoulli_logit_rng",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...) => vector"},
    {"laplace_latent_neg_binomial_2_log_rng",
     "int[], int[], vector, vector, data int, fn(K...): matrix, tuple(K...) => vector"},
    {"laplace_latent_poisson_log_rng",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...) => vector"},
    {"laplace_latent_rng",
     "fn(vector, L...): real, tuple(L...), data int, fn(K...): matrix, tuple(K...) => vector"},
    {"laplace_latent_solve",
     "fn(vector, L...): real, tuple(L...), data int, fn(K...): matrix, tuple(K...) => tuple(vector, matrix)"},
    {"laplace_latent_solve_tol",
     "fn(vector, L...): real, tuple(L...), data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => tuple(vector, matrix)"},
    {"laplace_latent_tol_bernoulli_logit_rng",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => vector"},
    {"laplace_latent_tol_neg_binomial_2_log_rng",
     "int[], int[], vector, vector, data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => vector"},
    {"laplace_latent_tol_poisson_log_rng",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => vector"},
    {"laplace_latent_tol_rng",
     "fn(vector, L...): real, tuple(L...), data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => vector"},
    {"laplace_marginal",
     "fn(vector, L...): real, tuple(L...), data int, fn(K...): matrix, tuple(K...) => real"},
    {"laplace_marginal_bernoulli_logit_lpmf",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...) => real"},
    {"laplace_marginal_neg_binomial_2_log_lpmf",
     "int[], int[], vector, vector, data int, fn(K...): matrix, tuple(K...) => real"},
    {"laplace_marginal_poisson_log_lpmf",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...) => real"},
    {"laplace_marginal_tol",
     "fn(vector, L...): real, tuple(L...), data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => real"},
    {"laplace_marginal_tol_bernoulli_logit_lpmf",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => real"},
    {"laplace_marginal_tol_neg_binomial_2_log_lpmf",
     "int[], int[], vector, vector, data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => real"},
    {"laplace_marginal_tol_poisson_log_lpmf",
     "int[], int[], vector, data int, fn(K...): matrix, tuple(K...), tuple(vector, data real, data int, data int, data int, data int) => real"},
    {"lbeta",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"lchoose",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"ldexp",
     "@ $F, int => @ $F\n"
     "@ $G, @+1 int => @ $G\n"
     "@ matrix, @+2 int => @ matrix\n"
     "real, @ int => @ real"},
    {"lgamma",
     "@ $N => @ promote($N)"},
    {"linear_gaussian_lpdf",
     "vector, {real|vector}, matrix, matrix, matrix, {real|vector}, vector, matrix, matrix, int[] => real"},
    {"linspaced_array",
     "data int, data real, data real => real[]"},
    {"linspaced_int_array",
     "data int, data int, data int => int[]"},
    {"linspaced_row_vector",
     "data int, data real, data real => row_vector"},
    {"linspaced_vector",
     "data int, data real, data real => vector"},
    {"lkj_corr_cholesky_lpdf",
     "matrix, real => real"},
    {"lkj_corr_cholesky_rng",
     "int, real => matrix"},
    {"lkj_corr_lpdf",
     "matrix, real => real"},
    {"lkj_corr_rng",
     "int, real => matrix"},
    {"lkj_cov_lpdf",
     "matrix, vector, vector, real => real"},
    {"lmgamma",
     "int, @ $F => @ $F\n"
     "@+1 int, @ $G => @ $G\n"
     "@+2 int, @ matrix => @ matrix\n"
     "@ int, real => @ real"},
    {"lmultiply",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"log",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"log10",
     "@ $N => @ promote($N)\n"
     " => real\n"
     "complex => complex"},
    {"log1m",
     "@ $N => @ promote($N)"},
    {"log1m_exp",
     "@ $N => @ promote($N)"},
    {"log1m_inv_logit",
     "@ $N => @ promote($N)"},
    {"log1p",
     "@ $N => @ promote($N)"},
    {"log1p_exp",
     "@ $N => @ promote($N)"},
    {"log2",
     "@ $N => @ promote($N)\n"
     " => real"},
    {"log_determinant",
     "matrix => real"},
    {"log_determinant_spd",
     "matrix => real"},
    {"log_diff_exp",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"log_falling_factorial",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"log_inv_logit",
     "@ $N => @ promote($N)"},
    {"log_inv_logit_diff",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"log_mix",
     "{vector|row_vector|real[]}, vectors => real\n"
     "{vector|row_vector|real[]}, real[] => real\n"
     "real, real, real => real"},
    {"log_modified_bessel_first_kind",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"log_rising_factorial",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)"},
    {"log_softmax",
     "row_vector[] => row_vector[]\n"
     "vector[] => vector[]\n"
     "row_vector => row_vector\n"
     "vector => vector"},
    {"log_sum_exp",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)\n"
     "$L => real\n"
     "real[] => real"},
    {"logical_and",
     "int, int => int"},
    {"logical_eq",
     "{int|real}, {int|real} => int\n"
     "complex, complex => int\n"
     "complex, real => int"},
    {"logical_gt",
     "{int|real}, {int|real} => int"},
    {"logical_gte",
     "{int|real}, {int|real} => int"},
    {"logical_lt",
     "{int|real}, {int|real} => int"},
    {"logical_lte",
     "{int|real}, {int|real} => int"},
    {"logical_negation",
     "int => int"},
    {"logical_neq",
     "{int|real}, {int|real} => int\n"
     "complex, complex => int\n"
     "complex, real => int"},
    {"logical_or",
     "int, int => int"},
    {"logistic_cdf",
     "reals, reals, reals => real"},
    {"logistic_lccdf",
     "reals, reals, reals => real"},
    {"logistic_lcdf",
     "reals, reals, reals => real"},
    {"logistic_lpdf",
     "reals, reals, reals => real"},
    {"logistic_rng",
     "intreals, intreals => rng(real)"},
    {"logit",
     "@ $N => @ promote($N)"},
    {"loglogistic_cdf",
     "reals, reals, reals => real"},
    {"loglogistic_lpdf",
     "reals, reals, reals => real"},
    {"loglogistic_rng",
     "intreals, intreals => rng(real)"},
    {"lognormal_cdf",
     "reals, reals, reals => real"},
    {"lognormal_lccdf",
     "reals, reals, reals => real"},
    {"lognormal_lcdf",
     "reals, reals, reals => real"},
    {"lognormal_lpdf",
     "reals, reals, reals => real"},
    {"lognormal_rng",
     "intreals, intreals => rng(real)"},
    {"lower_bound_constrain",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, real => real"},
    {"lower_bound_jacobian",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, real => real"},
    {"lower_bound_unconstrain",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, real => real"},
    {"lower_upper_bound_constrain",
     "@ $F, @ $F, @ $F => @ $F\n"
     "@ $F, @ $F, real => @ $F\n"
     "@ $F, real, @ $F => @ $F\n"
     "@ $F, real, real => @ $F\n"
     "real, real, real => real"},
    {"lower_upper_bound_jacobian",
     "@ $F, @ $F, @ $F => @ $F\n"
     "@ $F, @ $F, real => @ $F\n"
     "@ $F, real, @ $F => @ $F\n"
     "@ $F, real, real => @ $F\n"
     "real, real, real => real"},
    {"lower_upper_bound_unconstrain",
     "@ $F, @ $F, @ $F => @ $F\n"
     "@ $F, @ $F, real => @ $F\n"
     "@ $F, real, @ $F => @ $F\n"
     "@ $F, real, real => @ $F\n"
     "real, real, real => real"},
    {"machine_precision",
     " => real"},
    {"map_rect",
     "fn(vector, vector, data real[], data int[]): vector, vector, vector[], data real[,], data int[,] => vector"},
    {"matrix_exp",
     "matrix => matrix"},
    {"matrix_exp_multiply",
     "matrix, matrix => matrix"},
    {"matrix_power",
     "matrix, int => matrix"},
    {"max",
     "$L => real\n"
     "int[] => int\n"
     "real[] => real\n"
     "int, int => int"},
    {"mdivide_left",
     "matrix, matrix => matrix\n"
     "matrix, vector => vector"},
    {"mdivide_left_spd",
     "matrix, matrix => matrix\n"
     "matrix, vector => vector"},
    {"mdivide_left_tri_low",
     "matrix, matrix => matrix\n"
     "matrix, vector => vector"},
    {"mdivide_right",
     "complex_matrix, complex_matrix => complex_matrix\n"
     "complex_row_vector, complex_matrix => complex_row_vector\n"
     "matrix, matrix => matrix\n"
     "row_vector, matrix => row_vector"},
    {"mdivide_right_spd",
     "matrix, matrix => matrix\n"
     "row_vector, matrix => row_vector"},
    {"mdivide_right_tri_low",
     "matrix, matrix => matrix\n"
     "row_vector, matrix => row_vector"},
    {"mean",
     "$L => real\n"
     "real[] => real"},
    {"min",
     "$L => real\n"
     "int[] => int\n"
     "real[] => real\n"
     "int, int => int"},
    {"minus",
     "@ $N => @ $N\n"
     "@ $Z => @ $Z"},
    {"modified_bessel_first_kind",
     "int, @ $F => @ $F\n"
     "@+1 int, @ $G => @ $G\n"
     "@+2 int, @ matrix => @ matrix\n"
     "@ int, real => @ real"},
    {"modified_bessel_second_kind",
     "int, @ $F => @ $F\n"
     "@+1 int, @ $G => @ $G\n"
     "@+2 int, @ matrix => @ matrix\n"
     "@ int, real => @ real"},
    {"modulus",
     "int, int => int"},
    {"multi_gp_cholesky_lpdf",
     "matrix, matrix, vector => real"},
    {"multi_gp_lpdf",
     "matrix, matrix, vector => real"},
    {"multi_normal_cholesky_lpdf",
     "vectors, vectors, matrix => real"},
    {"multi_normal_cholesky_rng",
     "{vector|row_vector}, matrix => vector\n"
     "row_vector[], matrix => vector[]\n"
     "vector[], matrix => vector[]"},
    {"multi_normal_lpdf",
     "vectors, vectors, matrix => real"},
    {"multi_normal_prec_lpdf",
     "vectors, vectors, matrix => real"},
    {"multi_normal_rng",
     "{vector|row_vector}, matrix => vector\n"
     "row_vector[], matrix => vector[]\n"
     "vector[], matrix => vector[]"},
    {"multi_student_t_cholesky_lpdf",
     "vectors, real, vectors, matrix => real"},
    {"multi_student_t_cholesky_rng",
     "real, {vector|row_vector}, matrix => vector\n"
     "real, row_vector[], matrix => vector[]\n"
     "real, vector[], matrix => vector[]"},
    {"multi_student_t_lpdf",
     "vectors, real, vectors, matrix => real"},
    {"multi_student_t_rng",
     "real, {vector|row_vector}, matrix => vector\n"
     "real, row_vector[], matrix => vector[]\n"
     "real, vector[], matrix => vector[]"},
    {"multinomial_logit_lpmf",
     "int[], vector => real"},
    {"multinomial_logit_rng",
     "vector, int => int[]"},
    {"multinomial_lpmf",
     "int[], vector => real"},
    {"multinomial_rng",
     "vector, int => int[]"},
    {"multiply",
     "$L, real => $L\n"
     "real, $L => $L\n"
     "$Y, complex => $Y\n"
     "complex, $Y => $Y\n"
     "complex, complex => complex\n"
     "complex_matrix, complex_matrix => complex_matrix\n"
     "complex_matrix, complex_vector => complex_vector\n"
     "complex_row_vector, complex_matrix => complex_row_vector\n"
     "complex_row_vector, complex_vector => complex\n"
     "complex_vector, complex_row_vector => complex_matrix\n"
     "int, int => int\n"
     "matrix, matrix => matrix\n"
     "matrix, vector => vector\n"
     "real, real => real\n"
     "row_vector, matrix => row_vector\n"
     "row_vector, vector => real\n"
     "vector, row_vector => matrix"},
    {"multiply_lower_tri_self_transpose",
     "matrix => matrix"},
    {"neg_binomial_2_cdf",
     "ints, reals, reals => real"},
    {"neg_binomial_2_lccdf",
     "ints, reals, reals => real"},
    {"neg_binomial_2_lcdf",
     "ints, reals, reals => real"},
    {"neg_binomial_2_log_glm_lpmf",
     "ints, matrix, {real|vector}, vector, real => real\n"
     "int[], row_vector, {real|vector}, vector, real => real"},
    {"neg_binomial_2_log_lpmf",
     "ints, reals, reals => real"},
    {"neg_binomial_2_log_rng",
     "intreals, intreals => rng(int)"},
    {"neg_binomial_2_lpmf",
     "ints, reals, reals => real"},
    {"neg_binomial_2_rng",
     "intreals, intreals => rng(int)"},
    {"neg_binomial_cdf",
     "ints, reals, reals => real"},
    {"neg_binomial_lccdf",
     "ints, reals, reals => real"},
    {"neg_binomial_lcdf",
     "ints, reals, reals => real"},
    {"neg_binomial_lpmf",
     "ints, reals, reals => real"},
    {"neg_binomial_rng",
     "intreals, intreals => rng(int)"},
    {"negative_infinity",
     " => real"},
    {"norm",
     "complex => real"},
    {"norm1",
     "{vector|row_vector|real[]} => real"},
    {"norm2",
     "{vector|row_vector|real[]} => real"},
    {"normal_cdf",
     "reals, reals, reals => real"},
    {"normal_id_glm_lpdf",
     "{real|vector}, matrix, {real|vector}, vector, {real|vector} => real\n"
     "vector, row_vector, {real|vector}, vector, {real|vector} => real"},
    {"normal_lccdf",
     "reals, reals, reals => real"},
    {"normal_lcdf",
     "reals, reals, reals => real"},
    {"normal_lpdf",
     "reals, reals, reals => real"},
    {"normal_rng",
     "intreals, intreals => rng(real)"},
    {"not_a_number",
     " => real"},
    {"num_elements",
     "@1 $B => int\n"
     "{matrix|row_vector|vector} => int\n"
     "{complex_matrix|complex_row_vector|complex_vector} => int"},
    {"ode_adams",
     "fn(real, vector, ...): vector, vector, real, real[], ... => vector[]"},
    {"ode_adams_tol",
     "fn(real, vector, ...): vector, vector, real, real[], data real, data real, data int, ... => vector[]"},
    {"ode_adjoint_tol_ctl",
     "fn(real, vector, ...): vector, vector, real, real[], data real, data vector, data real, data vector, data real, data real, data int, data int, data int, data int, data int, ... => vector[]"},
    {"ode_bdf",
     "fn(real, vector, ...): vector, vector, real, real[], ... => vector[]"},
    {"ode_bdf_tol",
     "fn(real, vector, ...): vector, vector, real, real[], data real, data real, data int, ... => vector[]"},
    {"ode_ckrk",
     "fn(real, vector, ...): vector, vector, real, real[], ... => vector[]"},
    {"ode_ckrk_tol",
     "fn(real, vector, ...): vector, vector, real, real[], data real, data real, data int, ... => vector[]"},
    {"ode_rk45",
     "fn(real, vector, ...): vector, vector, real, real[], ... => vector[]"},
    {"ode_rk45_tol",
     "fn(real, vector, ...): vector, vector, real, real[], data real, data real, data int, ... => vector[]"},
    {"offset_multiplier_constrain",
     "@ $F, @ $F, @ $F => @ $F\n"
     "@ $F, @ $F, real => @ $F\n"
     "@ $F, real, @ $F => @ $F\n"
     "@ $F, real, real => @ $F\n"
     "real, real, real => real"},
    {"offset_multiplier_jacobian",
     "@ $F, @ $F, @ $F => @ $F\n"
     "@ $F, @ $F, real => @ $F\n"
     "@ $F, real, @ $F => @ $F\n"
     "@ $F, real, real => @ $F\n"
     "real, real, real => real"},
    {"offset_multiplier_unconstrain",
     "@ $F, @ $F, @ $F => @ $F\n"
     "@ $F, @ $F, real => @ $F\n"
     "@ $F, real, @ $F => @ $F\n"
     "@ $F, real, real => @ $F\n"
     "real, real, real => real"},
    {"one_hot_array",
     "int, int => real[]"},
    {"one_hot_int_array",
     "int, int => int[]"},
    {"one_hot_row_vector",
     "int, int => row_vector"},
    {"one_hot_vector",
     "int, int => vector"},
    {"ones_array",
     "int => real[]"},
    {"ones_int_array",
     "int => int[]"},
    {"ones_row_vector",
     "int => row_vector"},
    {"ones_vector",
     "int => vector"},
    {"ordered_constrain",
     "@ vector => @ vector"},
    {"ordered_jacobian",
     "@ vector => @ vector"},
    {"ordered_logistic_glm_lpmf",
     "ints, {row_vector|matrix}, vector, vector => real"},
    {"ordered_logistic_lpmf",
     "int[], vector, {vector[]|vector} => real\n"
     "int, real, vector => real"},
    {"ordered_logistic_rng",
     "real, vector => int"},
    {"ordered_probit_lpmf",
     "int[], {real|vector}, {vector[]|vector} => real\n"
     "int, real, vector => real"},
    {"ordered_probit_rng",
     "real, vector => int"},
    {"ordered_unconstrain",
     "@ vector => @ vector"},
    {"owens_t",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, @ $F => @ $F\n"
     "real, real => real"},
    {"pareto_cdf",
     "reals, reals, reals => real"},
    {"pareto_lccdf",
     "reals, reals, reals => real"},
    {"pareto_lcdf",
     "reals, reals, reals => real"},
    {"pareto_lpdf",
     "reals, reals, reals => real"},
    {"pareto_rng",
     "intreals, intreals => rng(real)"},
    {"pareto_type_2_cdf",
     "reals, reals, reals, reals => real"},
    {"pareto_type_2_lccdf",
     "reals, reals, reals, reals => real"},
    {"pareto_type_2_lcdf",
     "reals, reals, reals, reals => real"},
    {"pareto_type_2_lpdf",
     "reals, reals, reals, reals => real"},
    {"pareto_type_2_rng",
     "intreals, intreals, intreals => rng(real)"},
    {"pi",
     " => real"},
    {"plus",
     "$L => $L\n"
     "complex => complex\n"
     "int => int\n"
     "real => real"},
    {"poisson_cdf",
     "ints, reals => real"},
    {"poisson_lccdf",
     "ints, reals => real"},
    {"poisson_lcdf",
     "ints, reals => real"},
    {"poisson_log_glm_lpmf",
     "ints, matrix, {real|vector}, vector => real\n"
     "int[], row_vector, {real|vector}, vector => real"},
    {"poisson_log_lpmf",
     "ints, reals => real"},
    {"poisson_log_rng",
     "intreals => rng(int)"},
    {"poisson_lpmf",
     "ints, reals => real"},
    {"poisson_rng",
     "intreals => rng(int)"},
    {"polar",
     "real, real => complex"},
    {"positive_infinity",
     " => real"},
    {"positive_ordered_constrain",
     "@ vector => @ vector"},
    {"positive_ordered_jacobian",
     "@ vector => @ vector"},
    {"positive_ordered_unconstrain",
     "@ vector => @ vector"},
    {"pow",
     "{int|real}, {int|real} => real\n"
     "@ $K, @ $K => @ promote($K)\n"
     "@ $K, {int|real} => @ promote($K)\n"
     "{int|real}, @ $K => @ promote($K)\n"
     "@ $X, @ $X => @ $X\n"
     "@ $X, complex => @ $X\n"
     "complex, @ $X => @ $X\n"
     "complex, complex => complex"},
    {"prod",
     "$L => real\n"
     "$Y => complex\n"
     "complex[] => complex\n"
     "int[] => int\n"
     "real[] => real"},
    {"proj",
     "complex => complex"},
    {"qr",
     "matrix => tuple(matrix, matrix)"},
    {"qr_Q",
     "matrix => matrix"},
    {"qr_R",
     "matrix => matrix"},
    {"qr_thin",
     "matrix => tuple(matrix, matrix)"},
    {"qr_thin_Q",
     "matrix => matrix"},
    {"qr_thin_R",
     "matrix => matrix"},
    {"quad_form",
     "matrix, matrix => matrix\n"
     "matrix, vector => real"},
    {"quad_form_diag",
     "matrix, {vector|row_vector} => matrix"},
    {"quad_form_sym",
     "matrix, matrix => matrix\n"
     "matrix, vector => real"},
    {"quantile",
     "data {vector|row_vector|real[]}, data real[] => real[]\n"
     "data {vector|row_vector|real[]}, data real => real"},
    {"rank",
     "{int[]|real[]|vector|row_vector}, int => int"},
    {"rayleigh_cdf",
     "reals, reals => real"},
    {"rayleigh_lccdf",
     "reals, reals => real"},
    {"rayleigh_lcdf",
     "reals, reals => real"},
    {"rayleigh_lpdf",
     "reals, reals => real"},
    {"rayleigh_rng",
     "intreals => rng(real)"},
    {"reduce_sum",
     "fn(@1 $N, int, int, ...): real, @1 $N, int, ... => real"},
    {"reduce_sum_static",
     "fn(@1 $N, int, int, ...): real, @1 $N, int, ... => real"},
    {"rep_array",
     "@0-2 $B, int => @0-2+1 $B\n"
     "@0-2 $B, int, int => @0-2+2 $B\n"
     "@0-2 $B, int, int, int => @0-2+3 $B"},
    {"rep_matrix",
     "{vector|row_vector}, int => matrix\n"
     "{complex_vector|complex_row_vector}, int => complex_matrix\n"
     "complex, int, int => complex_matrix\n"
     "real, int, int => matrix"},
    {"rep_row_vector",
     "complex, int => complex_row_vector\n"
     "real, int => row_vector"},
    {"rep_vector",
     "complex, int => complex_vector\n"
     "real, int => vector"},
    {"reverse",
     "@1 $B => @1 $B\n"
     "complex_row_vector => complex_row_vector\n"
     "complex_vector => complex_vector\n"
     "row_vector => row_vector\n"
     "vector => vector"},
    {"rising_factorial",
     "@ $F, int => @ $F\n"
     "@ $G, @+1 int => @ $G\n"
     "@ matrix, @+2 int => @ matrix\n"
     "real, @ int => @ real\n"
     "@ int, int => @ int\n"
     "int, @1 int => @1 int\n"
     "@1 int, @1 int => @1 int"},
    {"round",
     "@ $N => @ promote($N)"},
    {"row",
     "complex_matrix, int => complex_row_vector\n"
     "matrix, int => row_vector"},
    {"rows",
     "{matrix|row_vector|vector} => int\n"
     "{complex_matrix|complex_row_vector|complex_vector} => int"},
    {"rows_dot_product",
     "complex_matrix, complex_matrix => complex_vector\n"
     "complex_row_vector, complex_row_vector => complex_vector\n"
     "complex_vector, complex_vector => complex_vector\n"
     "matrix, matrix => vector\n"
     "row_vector, row_vector => vector\n"
     "vector, vector => vector"},
    {"rows_dot_self",
     "{complex_matrix|complex_row_vector|complex_vector} => complex_vector\n"
     "{matrix|row_vector|vector} => vector"},
    {"scale_matrix_exp_multiply",
     "real, matrix, matrix => matrix"},
    {"scaled_inv_chi_square_cdf",
     "reals, reals, reals => real"},
    {"scaled_inv_chi_square_lccdf",
     "reals, reals, reals => real"},
    {"scaled_inv_chi_square_lcdf",
     "reals, reals, reals => real"},
    {"scaled_inv_chi_square_lpdf",
     "reals, reals, reals => real"},
    {"scaled_inv_chi_square_rng",
     "intreals, intreals => rng(real)"},
    {"sd",
     "$L => real\n"
     "real[] => real"},
    {"segment",
     "@1-3 $B, int, int => @1-3 $B\n"
     "complex_row_vector, int, int => complex_row_vector\n"
     "complex_vector, int, int => complex_vector\n"
     "row_vector, int, int => row_vector\n"
     "vector, int, int => vector"},
    {"simplex_constrain",
     "@ vector => @ vector"},
    {"simplex_jacobian",
     "@ vector => @ vector"},
    {"simplex_unconstrain",
     "@ vector => @ vector"},
    {"sin",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"singular_values",
     "{matrix|complex_matrix} => vector"},
    {"sinh",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"size",
     "@ $B => int"},
    {"skew_double_exponential_cdf",
     "reals, reals, reals, reals => real"},
    {"skew_double_exponential_lccdf",
     "reals, reals, reals, reals => real"},
    {"skew_double_exponential_lcdf",
     "reals, reals, reals, reals => real"},
    {"skew_double_exponential_lpdf",
     "reals, reals, reals, reals => real"},
    {"skew_double_exponential_rng",
     "intreals, intreals, intreals => rng(real)"},
    {"skew_normal_cdf",
     "reals, reals, reals, reals => real"},
    {"skew_normal_lccdf",
     "reals, reals, reals, reals => real"},
    {"skew_normal_lcdf",
     "reals, reals, reals, reals => real"},
    {"skew_normal_lpdf",
     "reals, reals, reals, reals => real"},
    {"skew_normal_rng",
     "intreals, intreals, intreals => rng(real)"},
    {"softmax",
     "row_vector[] => row_vector[]\n"
     "vector[] => vector[]\n"
     "row_vector => row_vector\n"
     "vector => vector"},
    {"solve_newton",
     "fn(vector, ...): vector, vector, ... => vector"},
    {"solve_newton_tol",
     "fn(vector, ...): vector, vector, data real, data real, data int, ... => vector"},
    {"solve_powell",
     "fn(vector, ...): vector, vector, ... => vector"},
    {"solve_powell_tol",
     "fn(vector, ...): vector, vector, data real, data real, data int, ... => vector"},
    {"sort_asc",
     "int[] => int[]\n"
     "real[] => real[]\n"
     "row_vector => row_vector\n"
     "vector => vector"},
    {"sort_desc",
     "int[] => int[]\n"
     "real[] => real[]\n"
     "row_vector => row_vector\n"
     "vector => vector"},
    {"sort_indices_asc",
     "{int[]|real[]|vector|row_vector} => int[]"},
    {"sort_indices_desc",
     "{int[]|real[]|vector|row_vector} => int[]"},
    {"sqrt",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"sqrt2",
     " => real"},
    {"square",
     "@ $N => @ promote($N)"},
    {"squared_distance",
     "{vector|row_vector}, {vector|row_vector} => real\n"
     "real, real => real"},
    {"std_normal_cdf",
     "reals => real"},
    {"std_normal_lccdf",
     "reals => real"},
    {"std_normal_lcdf",
     "reals => real"},
    {"std_normal_log_qf",
     "@ $N => @ promote($N)"},
    {"std_normal_lpdf",
     "reals => real"},
    {"std_normal_qf",
     "@ $N => @ promote($N)"},
    {"std_normal_rng",
     " => rng(real)"},
    {"step",
     "real => real"},
    {"stochastic_column_constrain",
     "@ matrix => @ matrix"},
    {"stochastic_column_jacobian",
     "@ matrix => @ matrix"},
    {"stochastic_column_unconstrain",
     "@ matrix => @ matrix"},
    {"stochastic_row_constrain",
     "@ matrix => @ matrix"},
    {"stochastic_row_jacobian",
     "@ matrix => @ matrix"},
    {"stochastic_row_unconstrain",
     "@ matrix => @ matrix"},
    {"student_t_cdf",
     "reals, reals, reals, reals => real"},
    {"student_t_lccdf",
     "reals, reals, reals, reals => real"},
    {"student_t_lcdf",
     "reals, reals, reals, reals => real"},
    {"student_t_lpdf",
     "reals, reals, reals, reals => real"},
    {"student_t_qf",
     "reals, reals, reals, {vector|row_vector|real[]} => vector\n"
     "reals, reals, {vector|row_vector|real[]}, real => vector\n"
     "reals, {vector|row_vector|real[]}, real, real => vector\n"
     "{vector|row_vector|real[]}, real, real, real => vector\n"
     "real, real, real, real => real"},
    {"student_t_rng",
     "intreals, intreals, intreals => rng(real)"},
    {"sub_col",
     "complex_matrix, int, int, int => complex_vector\n"
     "matrix, int, int, int => vector"},
    {"sub_row",
     "complex_matrix, int, int, int => complex_row_vector\n"
     "matrix, int, int, int => row_vector"},
    {"subtract",
     "$B, $B => $B\n"
     "$L, real => $L\n"
     "real, $L => $L\n"
     "$Y, complex => $Y\n"
     "complex, $Y => $Y"},
    {"sum",
     "$L => real\n"
     "$Y => complex\n"
     "complex[] => complex\n"
     "int[] => int\n"
     "real[] => real"},
    {"sum_to_zero_constrain",
     "@ vector => @ vector\n"
     "@ matrix => @ matrix"},
    {"sum_to_zero_jacobian",
     "@ vector => @ vector\n"
     "@ matrix => @ matrix"},
    {"sum_to_zero_unconstrain",
     "@ vector => @ vector\n"
     "@ matrix => @ matrix"},
    {"svd",
     "complex_matrix => tuple(complex_matrix, vector, complex_matrix)\n"
     "matrix => tuple(matrix, vector, matrix)"},
    {"svd_U",
     "complex_matrix => complex_matrix\n"
     "matrix => matrix"},
    {"svd_V",
     "complex_matrix => complex_matrix\n"
     "matrix => matrix"},
    {"symmetrize_from_lower_tri",
     "complex_matrix => complex_matrix\n"
     "matrix => matrix"},
    {"tail",
     "@1-3 $B, int => @1-3 $B\n"
     "complex_row_vector, int => complex_row_vector\n"
     "complex_vector, int => complex_vector\n"
     "row_vector, int => row_vector\n"
     "vector, int => vector"},
    {"tan",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"tanh",
     "@ $N => @ promote($N)\n"
     "complex => complex"},
    {"target",
     " => real"},
    {"tcrossprod",
     "matrix => matrix"},
    {"tgamma",
     "@ $N => @ promote($N)"},
    {"to_array_1d",
     "@1 int => int[]\n"
     "@1 real => real[]\n"
     "{complex_matrix|complex_row_vector|complex_vector} => complex[]\n"
     "{matrix|row_vector|vector} => real[]"},
    {"to_array_2d",
     "complex_matrix => complex[,]\n"
     "matrix => real[,]"},
    {"to_complex",
     "@ $F, @ $F => @ tocomplex($F)\n"
     "@ $F, real => @ tocomplex($F)\n"
     "real, @ $F => @ tocomplex($F)\n"
     " => complex\n"
     "real => complex\n"
     "real, real => complex"},
    {"to_int",
     "data @ {int|real} => @ int"},
    {"to_matrix",
     "{complex[]|complex_vector|complex_row_vector|complex_matrix}, int, int => complex_matrix\n"
     "{int[]|real[]|vector|row_vector}, int, int, int => matrix\n"
     "{complex[]|complex_vector|complex_row_vector|complex_matrix}, int, int, int => complex_matrix\n"
     "{int[]|real[]|vector|row_vector}, int, int => matrix\n"
     "{matrix|row_vector|vector} => matrix\n"
     "{complex_matrix|complex_row_vector|complex_vector} => complex_matrix\n"
     "complex[,] => complex_matrix\n"
     "int[,] => matrix\n"
     "real[,] => matrix\n"
     "complex_row_vector[] => complex_matrix\n"
     "row_vector[] => matrix\n"
     "matrix, int, int => matrix\n"
     "matrix, int, int, int => matrix"},
    {"to_row_vector",
     "{int[]|real[]|vector|row_vector} => row_vector\n"
     "{complex[]|complex_vector|complex_row_vector|complex_matrix} => complex_row_vector\n"
     "matrix => row_vector"},
    {"to_vector",
     "{int[]|real[]|vector|row_vector} => vector\n"
     "{complex[]|complex_vector|complex_row_vector|complex_matrix} => complex_vector\n"
     "matrix => vector"},
    {"trace",
     "complex_matrix => complex\n"
     "matrix => real"},
    {"trace_dot",
     "matrix, matrix => real"},
    {"trace_gen_quad_form",
     "matrix, matrix, matrix => real"},
    {"trace_quad_form",
     "matrix, {vector|matrix} => real"},
    {"transpose",
     "complex_matrix => complex_matrix\n"
     "complex_row_vector => complex_vector\n"
     "complex_vector => complex_row_vector\n"
     "matrix => matrix\n"
     "row_vector => vector\n"
     "vector => row_vector"},
    {"trigamma",
     "@ $N => @ promote($N)"},
    {"trunc",
     "@ $N => @ promote($N)"},
    {"uniform_cdf",
     "reals, reals, reals => real"},
    {"uniform_lccdf",
     "reals, reals, reals => real"},
    {"uniform_lcdf",
     "reals, reals, reals => real"},
    {"uniform_lpdf",
     "reals, reals, reals => real"},
    {"uniform_rng",
     "intreals, intreals => rng(real)"},
    {"uniform_simplex",
     "int => vector"},
    {"unit_vector_constrain",
     "@ vector => @ vector"},
    {"unit_vector_jacobian",
     "@ vector => @ vector"},
    {"unit_vector_unconstrain",
     "@ vector => @ vector"},
    {"upper_bound_constrain",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, real => real"},
    {"upper_bound_jacobian",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, real => real"},
    {"upper_bound_unconstrain",
     "@ $F, @ $F => @ $F\n"
     "@ $F, real => @ $F\n"
     "real, real => real"},
    {"variance",
     "$L => real\n"
     "real[] => real"},
    {"von_mises_cdf",
     "reals, reals, reals => real"},
    {"von_mises_lccdf",
     "reals, reals, reals => real"},
    {"von_mises_lcdf",
     "reals, reals, reals => real"},
    {"von_mises_lpdf",
     "reals, reals, reals => real"},
    {"von_mises_rng",
     "intreals, intreals => rng(real)"},
    {"weibull_cdf",
     "reals, reals, reals => real"},
    {"weibull_lccdf",
     "reals, reals, reals => real"},
    {"weibull_lcdf",
     "reals, reals, reals => real"},
    {"weibull_lpdf",
     "reals, reals, reals => real"},
    {"weibull_rng",
     "intreals, intreals => rng(real)"},
    {"wiener_lccdf_unnorm",
     "real, real, real, real, real => real\n"
     "real, real, real, real, real, data real => real\n"
     "real, real, real, real, real, real, real, real => real\n"
     "real, real, real, real, real, real, real, real, data real => real\n"
     "vector, vector, vector, vector, vector => real\n"
     "vector, vector, vector, vector, vector, data real => real\n"
     "vector, vector, vector, vector, vector, vector, vector, vector => real\n"
     "vector, vector, vector, vector, vector, vector, vector, vector, data real => real"},
    {"wiener_lcdf_unnorm",
     "real, real, real, real, real => real\n"
     "real, real, real, real, real, data real => real\n"
     "real, real, real, real, real, real, real, real => real\n"
     "real, real, real, real, real, real, real, real, data real => real\n"
     "vector, vector, vector, vector, vector => real\n"
     "vector, vector, vector, vector, vector, data real => real\n"
     "vector, vector, vector, vector, vector, vector, vector, vector => real\n"
     "vector, vector, vector, vector, vector, vector, vector, vector, data real => real"},
    {"wiener_lpdf",
     "reals, reals, reals, reals, reals => real\n"
     "real, real, real, real, real, real => real\n"
     "real, real, real, real, real, real, data real => real\n"
     "real, real, real, real, real, real, real, real => real\n"
     "real, real, real, real, real, real, real, real, data real => real\n"
     "vector, vector, vector, vector, vector, vector => real\n"
     "vector, vector, vector, vector, vector, vector, data real => real\n"
     "vector, vector, vector, vector, vector, vector, vector, vector => real\n"
     "vector, vector, vector, vector, vector, vector, vector, vector, data real => real"},
    {"wishart_cholesky_lpdf",
     "matrix, real, matrix => real"},
    {"wishart_cholesky_rng",
     "real, matrix => matrix"},
    {"wishart_lpdf",
     "matrix, real, matrix => real"},
    {"wishart_rng",
     "real, matrix => matrix"},
    {"yule_simon_cdf",
     "ints, reals => real"},
    {"yule_simon_lccdf",
     "ints, reals => real"},
    {"yule_simon_lcdf",
     "ints, reals => real"},
    {"yule_simon_lpmf",
     "ints, reals => real"},
    {"yule_simon_rng",
     "intreals => rng(int)"},
    {"zeros_array",
     "int => real[]"},
    {"zeros_int_array",
     "int => int[]"},
    {"zeros_row_vector",
     "int => row_vector"},
    {"zeros_vector",
     "int => vector"},
};
}  // namespace
// clang-format on

std::span<const SignatureRow> language_signatures() { return kRows; }
}  // namespace credo::lang
