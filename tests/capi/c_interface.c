/* The C interface from C: closed forms, transforms, errors, threads, memory. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credo/bridgestan.h"

static int failures = 0;

static void judge(int holds, const char* claim, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "c_interface.c:%d: false: %s\n", line, claim);
}
#define CLAIM(condition) judge((condition) ? 1 : 0, #condition, __LINE__)

static int close_to(double x, double y, double relative) {
  return fabs(x - y) <= relative * fmax(1.0, fabs(y));
}

/* Every failure must come with a message that has these words. */
static int says(char* message, const char* words) {
  const int found = message != NULL && strstr(message, words) != NULL;
  if (!found) fprintf(stderr, "  message: %s, expected in it: %s\n", message ? message : "none", words);
  bs_free_error_msg(message);
  return found;
}

static bs_model* open_or_die(const char* program, const char* data) {
  char* message = NULL;
  bs_model* model = credo_model_open(program, data, 1, &message);
  if (model != NULL) return model;
  fprintf(stderr, "no model: %s\n", message ? message : "no message");
  exit(1);
}

/* y ~ normal(mu, sigma), mu ~ normal(0, 10), sigma ~ exponential(1), sigma = exp(s). */
static const char* const normal_program =
    "data { int N; vector[N] y; }\n"
    "parameters { real mu; real<lower=0> sigma; }\n"
    "transformed parameters { real v = sigma^2; }\n"
    "model { mu ~ normal(0, 10); sigma ~ exponential(1); y ~ normal(mu, sigma); }\n"
    "generated quantities { real z = normal_rng(mu, sigma); int k = poisson_rng(4); }\n";
static const double normal_y[3] = {1.25, -0.5, 2.0};
static const char* const normal_data = "{\"N\": 3, \"y\": [1.25, -0.5, 2.0]}";

/* Value, gradient and second derivatives (mu mu, mu s, s s) in closed form. The constants that ~
 * drops: log sqrt(2 pi) four times and log 10. */
static double normal_density(bool propto, bool jacobian, const double* point, double* gradient,
                             double* second) {
  const double mu = point[0], s = point[1], sigma = exp(s), precision = exp(-2.0 * s);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < 3; ++i) {
    sum += normal_y[i] - mu;
    squares += (normal_y[i] - mu) * (normal_y[i] - mu);
  }
  double value = -0.5 * mu * mu / 100.0 - sigma - 3.0 * s - 0.5 * precision * squares;
  if (!propto) value -= 4.0 * 0.918938533204672741780 + log(10.0);
  if (jacobian) value += s;
  gradient[0] = -mu / 100.0 + precision * sum;
  gradient[1] = -sigma - 3.0 + precision * squares + (jacobian ? 1.0 : 0.0);
  second[0] = -1.0 / 100.0 - 3.0 * precision;
  second[1] = -2.0 * precision * sum;
  second[2] = -sigma - 2.0 * precision * squares;
  return value;
}

/* A dozen operations on numbers below 100: 1e-13 is far above their rounding. */
static void densities_equal_closed_forms(void) {
  bs_model* model = open_or_die(normal_program, normal_data);
  const double point[2] = {0.3, -0.4}, vector[2] = {0.7, -1.1};
  for (int form = 0; form < 4; ++form) {
    const bool propto = (form & 1) != 0, jacobian = (form & 2) != 0;
    double gradient[2], second[3], lp = 0.0, value = 0.0, grad[2], hessian[4], product[2];
    const double expected = normal_density(propto, jacobian, point, gradient, second);
    CLAIM(bs_log_density(model, propto, jacobian, point, &lp, NULL) == 0);
    CLAIM(close_to(lp, expected, 1e-13));
    CLAIM(bs_log_density_gradient(model, propto, jacobian, point, &value, grad, NULL) == 0);
    CLAIM(value == lp);
    CLAIM(close_to(grad[0], gradient[0], 1e-13) && close_to(grad[1], gradient[1], 1e-13));
    CLAIM(bs_log_density_hessian(model, propto, jacobian, point, &value, grad, hessian, NULL) == 0);
    CLAIM(value == lp && close_to(grad[1], gradient[1], 1e-13));
    CLAIM(close_to(hessian[0], second[0], 1e-13) && close_to(hessian[3], second[2], 1e-13));
    CLAIM(close_to(hessian[1], second[1], 1e-13) && hessian[1] == hessian[2]);
    CLAIM(bs_log_density_hessian_vector_product(model, propto, jacobian, point, vector, &value,
                                                product, NULL) == 0);
    CLAIM(value == lp);
    CLAIM(close_to(product[0], second[0] * vector[0] + second[1] * vector[1], 1e-13));
    CLAIM(close_to(product[1], second[1] * vector[0] + second[2] * vector[1], 1e-13));
  }
  bs_model_destruct(model);
}

/* A simplex, a correlation matrix's factor, an array of ordered vectors, a matrix, a linear function. */
static const char* const shapes_program =
    "parameters { simplex[4] p; cholesky_factor_corr[3] L; array[2] ordered[3] o; matrix[2, 3] A;\n"
    "  array[2, 2] vector<lower=-1, upper=2>[2] b; }\n"
    "transformed parameters { matrix[3, 2] B = A'; }\n"
    "model { p ~ dirichlet([1.5, 2, 2.5, 3]'); L ~ lkj_corr_cholesky(2); to_vector(A) ~ std_normal();\n"
    "  for (i in 1:2) { o[i] ~ normal(i, 2); for (j in 1:2) b[i, j] ~ normal(0, A[i, j]^2 + 0.1); } }\n";
enum { kShapesFree = 3 + 3 + 6 + 6 + 8, kShapesAll = 4 + 9 + 6 + 6 + 8 };

static void shapes_point(double* point, double shift) {
  for (int i = 0; i < kShapesFree; ++i) point[i] = 0.4 * sin(0.37 * (i + 1) + shift);
}

static void constrain_and_unconstrain_are_inverse(void) {
  bs_model* model = open_or_die(shapes_program, NULL);
  CLAIM(bs_param_unc_num(model) == kShapesFree);
  CLAIM(bs_param_num(model, false, false) == kShapesAll);
  CLAIM(bs_param_num(model, true, true) == kShapesAll + 6);
  double point[kShapesFree], theta[kShapesAll + 6], back[kShapesFree];
  shapes_point(point, 0.2);
  CLAIM(bs_param_constrain(model, true, false, point, theta, NULL, NULL) == 0);
  CLAIM(close_to(theta[0] + theta[1] + theta[2] + theta[3], 1.0, 1e-15));
  CLAIM(bs_param_unconstrain(model, theta, back, NULL) == 0);
  /* The worst conditioned step is the ordered vector's log of a difference: a few hundred ulps. */
  for (int i = 0; i < kShapesFree; ++i) CLAIM(close_to(back[i], point[i], 1e-12));
  /* A is stored by columns, B = A' too. */
  const double *a = theta + 19, *b = theta + kShapesAll;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) CLAIM(a[j * 2 + i] == b[i * 3 + j]);
  bs_model_destruct(model);
}

static void names_are_those_of_csv_files(void) {
  bs_model* model = open_or_die(normal_program, normal_data);
  CLAIM(strcmp(bs_param_names(model, false, false), "mu,sigma") == 0);
  CLAIM(strcmp(bs_param_names(model, true, false), "mu,sigma,v") == 0);
  CLAIM(strcmp(bs_param_names(model, false, true), "mu,sigma,z,k") == 0);
  CLAIM(strcmp(bs_param_names(model, true, true), "mu,sigma,v,z,k") == 0);
  CLAIM(strcmp(bs_param_unc_names(model), "mu,sigma") == 0);
  CLAIM(strcmp(bs_name(model), "program_model") == 0);
  CLAIM(strstr(bs_model_info(model), "BridgeStan version: 2.") != NULL);
  bs_model_destruct(model);
  model = open_or_die(shapes_program, NULL);
  const char* names = bs_param_names(model, false, false);
  CLAIM(strstr(names, "o.1.1,o.2.1,o.1.2,o.2.2,o.1.3,o.2.3,A.1.1,A.2.1,A.1.2") != NULL);
  CLAIM(strstr(names, "b.1.1.1,b.2.1.1,b.1.2.1,b.2.2.1,b.1.1.2") != NULL);
  CLAIM(strstr(bs_param_unc_names(model), "p.1,p.2,p.3,L.1,L.2,L.3,o.1.1,o.1.2") != NULL);
  bs_model_destruct(model);
}

/* Central differences of the gradient with step h: error h^2/6 times the fourth derivatives, here
 * below 1e3, plus rounding of 1e-15/h: together below 1e-6 at h = 1e-5. */
static void second_derivatives_are_differences_of_gradients(void) {
  const double h = 1e-5;
  bs_model* model = open_or_die(shapes_program, NULL);
  static double hessian[kShapesFree * kShapesFree];
  double point[kShapesFree], grad[kShapesFree], up[kShapesFree], down[kShapesFree], value;
  double product[kShapesFree], vector[kShapesFree];
  shapes_point(point, 0.9);
  CLAIM(bs_log_density_hessian(model, true, true, point, &value, grad, hessian, NULL) == 0);
  double worst = 0.0, sums[kShapesFree] = {0.0};
  for (int i = 0; i < kShapesFree; ++i) vector[i] = cos(1.0 + i);
  for (int i = 0; i < kShapesFree; ++i) {
    const double x = point[i];
    point[i] = x + h;
    CLAIM(bs_log_density_gradient(model, true, true, point, &value, up, NULL) == 0);
    point[i] = x - h;
    CLAIM(bs_log_density_gradient(model, true, true, point, &value, down, NULL) == 0);
    point[i] = x;
    for (int j = 0; j < kShapesFree; ++j) {
      const double difference = (up[j] - down[j]) / (2.0 * h), entry = hessian[i * kShapesFree + j];
      worst = fmax(worst, fabs(entry - difference) / fmax(1.0, fabs(entry)));
      sums[j] += entry * vector[i];
    }
  }
  CLAIM(worst < 1e-6);
  CLAIM(bs_log_density_hessian_vector_product(model, true, true, point, vector, &value, product,
                                              NULL) == 0);
  for (int j = 0; j < kShapesFree; ++j) CLAIM(close_to(product[j], sums[j], 1e-12));
  bs_model_destruct(model);
}

static void json_gives_the_same_point(void) {
  bs_model* model = open_or_die(normal_program, normal_data);
  double point[2];
  char* message = NULL;
  CLAIM(bs_param_unconstrain_json(model, "{\"sigma\": 1.9, \"mu\": 0.2, \"other\": 1}", point,
                                  &message) == 0);
  CLAIM(message == NULL && point[0] == 0.2 && close_to(point[1], log(1.9), 1e-15));
  CLAIM(bs_param_unconstrain_json(model, "{\"mu\": 0.2}", point, &message) == -1);
  CLAIM(says(message, "sigma"));
  CLAIM(bs_param_unconstrain_json(model, "{\"mu\": [0.2, 1], \"sigma\": 1}", point, &message) == -1);
  CLAIM(says(message, "mu"));
  CLAIM(bs_param_unconstrain_json(model, "{\"mu\": 0.2, \"sigma\": -1}", point, &message) == -1);
  CLAIM(says(message, "sigma"));
  CLAIM(bs_param_unconstrain_json(model, "mu = 2", point, &message) == -1);
  CLAIM(says(message, "json:1:"));
  const double negative[2] = {0.2, -1.9};
  CLAIM(bs_param_unconstrain(model, negative, point, &message) == -1);
  CLAIM(says(message, "sigma"));
  bs_model_destruct(model);
}

static void generated_quantities_are_a_function_of_the_seed(void) {
  bs_model* model = open_or_die(normal_program, normal_data);
  const double point[2] = {0.3, -0.4};
  double first[4], second[4], other[4], again[4];
  char* message = NULL;
  bs_rng *a = bs_rng_construct(7, NULL), *b = bs_rng_construct(7, NULL), *c = bs_rng_construct(8, NULL);
  CLAIM(bs_param_constrain(model, false, true, point, first, a, NULL) == 0);
  CLAIM(bs_param_constrain(model, false, true, point, second, a, NULL) == 0);
  CLAIM(bs_param_constrain(model, false, true, point, again, b, NULL) == 0);
  CLAIM(bs_param_constrain(model, false, true, point, other, c, NULL) == 0);
  CLAIM(first[2] == again[2] && first[3] == again[3]);
  CLAIM(first[2] != second[2] && first[2] != other[2]);
  CLAIM(bs_param_constrain(model, true, true, point, first, NULL, &message) == -1);
  CLAIM(says(message, "rng"));
  bs_rng_destruct(a);
  bs_rng_destruct(b);
  bs_rng_destruct(c);
  bs_rng_destruct(NULL);
  bs_model_destruct(model);
}

static void errors_are_messages(void) {
  char* message = NULL;
  CLAIM(credo_model_open("model { y ~ normal(0, 1); }", "", 1, &message) == NULL);
  CLAIM(says(message, "program:1:9"));
  CLAIM(credo_model_open("no_such.stan", "", 1, &message) == NULL);
  CLAIM(says(message, "no_such.stan"));
  CLAIM(credo_model_open(normal_program, "{\"N\": 3, \"y\": [1, 2]}", 1, &message) == NULL);
  CLAIM(says(message, "y"));
  CLAIM(credo_model_open(normal_program, "no_such.json", 1, &message) == NULL);
  CLAIM(says(message, "no_such.json"));
  CLAIM(credo_model_open(normal_program, NULL, 1, &message) == NULL);
  CLAIM(says(message, "N"));
  CLAIM(credo_model_open("transformed data { reject(\"no good\"); }", NULL, 1, &message) == NULL);
  CLAIM(says(message, "no good"));
  CLAIM(bs_model_construct(NULL, 1, &message) == NULL); /* this library isn't called NAME_model.so */
  CLAIM(says(message, "credo_model_open"));
  CLAIM(bs_model_construct(NULL, 1, NULL) == NULL);
  double value = 0.0;
  const double point[1] = {-1.0};
  CLAIM(bs_log_density(NULL, true, true, point, &value, &message) == -1);
  CLAIM(says(message, "model"));
  bs_model* model = open_or_die("parameters { real s; } model { target += normal_lpdf(1 | 0, s); }", "");
  CLAIM(bs_log_density(model, true, true, point, &value, &message) == -1);
  CLAIM(says(message, "-1"));
  CLAIM(bs_log_density(model, true, true, NULL, &value, &message) == -1);
  CLAIM(says(message, "theta_unc"));
  const double one[1] = {1.0};
  CLAIM(bs_log_density(model, true, true, one, NULL, &message) == -1);
  CLAIM(says(message, "value"));
  bs_model_destruct(model);
  bs_model_destruct(NULL);
  bs_free_error_msg(NULL);
}

/* As Stan's write_array: what isn't asked for isn't computed. */
static void rejections_count_only_where_they_are_reached(void) {
  char* message = NULL;
  const double point[1] = {0.5};
  double theta[3];
  bs_rng* rng = bs_rng_construct(1, NULL);
  bs_model* model = open_or_die(
      "parameters { real y; } transformed parameters { real t = exp(y); if (y > 0) reject(\"tp\"); }"
      "generated quantities { real g = 1; if (y < 0) reject(\"gq\"); }", "");
  CLAIM(bs_param_constrain(model, false, false, point, theta, NULL, NULL) == 0 && theta[0] == 0.5);
  CLAIM(bs_param_constrain(model, true, false, point, theta, NULL, &message) == -1);
  CLAIM(says(message, "tp"));
  const double below[1] = {-0.5};
  CLAIM(bs_param_constrain(model, true, false, below, theta, NULL, NULL) == 0);
  CLAIM(theta[1] == exp(-0.5));
  CLAIM(bs_param_constrain(model, false, true, below, theta, rng, &message) == -1);
  CLAIM(says(message, "gq"));
  bs_rng_destruct(rng);
  bs_model_destruct(model);
}

static void densities_of_zero_are_values(void) {
  bs_model* model = open_or_die(
      "parameters { real x; } model { x ~ normal(0, 1); if (x > 1) target += negative_infinity(); }", "");
  double value = 0.0, grad[1], hessian[1];
  const double point[1] = {2.0};
  CLAIM(bs_log_density_gradient(model, true, true, point, &value, grad, NULL) == 0);
  CLAIM(value == -INFINITY && grad[0] == -2.0);
  CLAIM(bs_log_density_hessian(model, true, true, point, &value, grad, hessian, NULL) == 0);
  bs_model_destruct(model);
  model = open_or_die("parameters { real x; } model { target += log(x) + 1; }", "");
  const double negative[1] = {-2.0};
  CLAIM(bs_log_density(model, true, true, negative, &value, NULL) == 0 && isnan(value));
  bs_model_destruct(model);
}

/* y = exp(x) ~ exponential(1) with its Jacobian, x, by hand. */
static void statements_may_add_jacobians(void) {
  bs_model* model = open_or_die(
      "parameters { real x; } transformed parameters { real<lower=0> y = exp(x); jacobian += x; }"
      "model { y ~ exponential(1); }", "");
  const double point[1] = {0.5};
  double value = 0.0, grad[1];
  CLAIM(bs_log_density_gradient(model, true, true, point, &value, grad, NULL) == 0);
  CLAIM(close_to(value, 0.5 - exp(0.5), 1e-15) && close_to(grad[0], 1.0 - exp(0.5), 1e-15));
  CLAIM(bs_log_density_gradient(model, true, false, point, &value, grad, NULL) == 0);
  CLAIM(close_to(value, -exp(0.5), 1e-15) && close_to(grad[0], -exp(0.5), 1e-15));
  bs_model_destruct(model);
}

static char printed[256];
static size_t num_printed;
static void keep(const char* data, size_t size) {
  if (num_printed + size < sizeof printed) memcpy(printed + num_printed, data, size);
  num_printed += size;
}

static void prints_go_to_the_callback(void) {
  CLAIM(bs_set_print_callback(keep, NULL) == 0);
  bs_model* model = open_or_die(
      "transformed data { print(\"data\"); } parameters { real x; } model { print(\"x = \", x); }"
      "generated quantities { print(\"gq\"); }", "");
  const double point[1] = {0.5};
  double value, theta[1];
  bs_rng* rng = bs_rng_construct(1, NULL);
  CLAIM(bs_log_density(model, true, true, point, &value, NULL) == 0);
  CLAIM(bs_param_constrain(model, false, true, point, theta, rng, NULL) == 0);
  CLAIM(bs_param_constrain(model, false, false, point, theta, rng, NULL) == 0);
  CLAIM(num_printed < sizeof printed && strcmp(printed, "data\nx = 0.5\ngq\n") == 0);
  bs_set_print_callback(NULL, NULL);
  bs_rng_destruct(rng);
  bs_model_destruct(model);
}

/* Discrete parameters are summed out: z in {1, 2} with weights 0.3 and 0.7. */
static void discrete_parameters_are_summed_out(void) {
  bs_model* model = open_or_die(
      "parameters { real x; int<lower=1, upper=2> z; } model { z ~ categorical([0.3, 0.7]'); x ~ normal(z, 1); }",
      "");
  const double point[1] = {0.4};
  double value, theta[2];
  char* message = NULL;
  CLAIM(bs_param_unc_num(model) == 1 && bs_param_num(model, false, false) == 2);
  CLAIM(bs_log_density(model, false, true, point, &value, NULL) == 0);
  const double sum = 0.3 * exp(-0.5 * 0.36) + 0.7 * exp(-0.5 * 2.56);
  CLAIM(close_to(value, log(sum) - 0.918938533204672741780, 1e-13));
  CLAIM(bs_param_constrain(model, false, false, point, theta, NULL, &message) == -1);
  CLAIM(says(message, "discrete"));
  bs_rng* rng = bs_rng_construct(1, NULL);
  CLAIM(bs_param_constrain(model, false, false, point, theta, rng, NULL) == 0);
  CLAIM(theta[1] == 1.0 || theta[1] == 2.0);
  bs_rng_destruct(rng);
  bs_model_destruct(model);
}

/* ---- threads: every one gets the bits of one alone */

enum { kThreads = 4, kPoints = 200 };
static bs_model* shared;
static double alone[kPoints];

static double value_at(int k) {
  double point[kShapesFree], grad[kShapesFree], value = 0.0, theta[kShapesAll];
  shapes_point(point, 0.03 * k);
  if (bs_log_density_gradient(shared, k % 2 == 0, k % 3 == 0, point, &value, grad, NULL) != 0) return NAN;
  if (bs_param_constrain(shared, false, false, point, theta, NULL, NULL) != 0) return NAN;
  for (int i = 0; i < kShapesFree; ++i) value += grad[i];
  return value + theta[3];
}

static void* run_thread(void* differences) {
  for (int k = 0; k < kPoints; ++k)
    if (value_at(k) != alone[k]) ++*(int*)differences;
  return NULL;
}

static void threads_share_a_model(void) {
  pthread_t threads[kThreads];
  int differences[kThreads] = {0};
  bs_model* reference = open_or_die(shapes_program, "");
  shared = reference;
  for (int k = 0; k < kPoints; ++k) alone[k] = value_at(k);
  shared = open_or_die(shapes_program, ""); /* not traced yet: the threads meet there, too */
  for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, run_thread, &differences[t]);
  for (int t = 0; t < kThreads; ++t) {
    pthread_join(threads[t], NULL);
    CLAIM(differences[t] == 0);
  }
  bs_model_destruct(shared);
  bs_model_destruct(reference);
}

/* ---- memory */

static long resident_pages(void) {
  long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = -1;
  fclose(file);
  return resident;
}

static void one_life(void) {
  bs_model* model = open_or_die(normal_program, normal_data);
  bs_rng* rng = bs_rng_construct(1, NULL);
  const double point[2] = {0.3, -0.4};
  double value, grad[2], hessian[4], theta[5];
  char* message = NULL;
  for (int k = 0; k < 20; ++k) {
    CLAIM(bs_log_density_hessian(model, k % 2 == 0, true, point, &value, grad, hessian, NULL) == 0);
    CLAIM(bs_param_constrain(model, true, true, point, theta, rng, NULL) == 0);
    CLAIM(bs_param_unconstrain_json(model, "{}", theta, &message) == -1);
    bs_free_error_msg(message);
  }
  bs_rng_destruct(rng);
  bs_model_destruct(model);
  CLAIM(credo_model_open("model {", "", 1, &message) == NULL);
  bs_free_error_msg(message);
}

/* A model holds above 100 kB; a leak of one in ten lives would show as 1 MB, one of a message as
 * nothing: those are counted by valgrind where it runs this program. */
static void nothing_stays_behind(void) {
  for (int k = 0; k < 30; ++k) one_life();
  const long before = resident_pages();
  for (int k = 0; k < 100; ++k) one_life();
  const long after = resident_pages(), page = sysconf(_SC_PAGESIZE);
  CLAIM(before > 0 && (after - before) * page < (1 << 20));
}

int main(int argc, char** argv) {
  densities_equal_closed_forms();
  constrain_and_unconstrain_are_inverse();
  names_are_those_of_csv_files();
  second_derivatives_are_differences_of_gradients();
  json_gives_the_same_point();
  generated_quantities_are_a_function_of_the_seed();
  errors_are_messages();
  rejections_count_only_where_they_are_reached();
  densities_of_zero_are_values();
  statements_may_add_jacobians();
  prints_go_to_the_callback();
  discrete_parameters_are_summed_out();
  threads_share_a_model();
  if (argc > 1 && strcmp(argv[1], "--once") == 0)
    one_life(); /* for valgrind */
  else
    nothing_stays_behind();
  printf("c_interface: %d false claims\n", failures);
  return failures == 0 ? 0 : 1;
}
