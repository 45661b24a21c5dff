/* The C interface: the log density of a Stan program with its data, its derivatives and its
 * transforms, under the names of BridgeStan 2.7 [roualdes2023], so that programs written for that
 * library run on this one. What is ours alone begins with credo_. More in docs/c-interface.md.
 *
 * Ownership. bs_model and bs_rng belong to the caller, who destructs each once, after the last use.
 * Strings that the functions return belong to the model and live as long as it does. Arrays are the
 * caller's; lengths are given as N = bs_param_unc_num(m) and P = bs_param_num(m, tp, gq). A null
 * array is allowed where its length is 0.
 *
 * Errors. Functions that can fail take `char** error_msg`, which may be null. They return a null
 * pointer or -1 then and let *error_msg point to a message (what, where, the way out), to be freed
 * by bs_free_error_msg; they return 0 or the object otherwise and leave *error_msg alone. What a
 * failed call wrote to its arrays has no meaning. No exception crosses the border.
 *
 * Threads. A model may be used by any number of threads at once: each evaluation takes working
 * memory of its own from the model. A bs_rng is used by one thread at a time. Destruct an object
 * when no other thread uses it. Values don't depend on the number of threads.
 *
 * Points are on the unconstrained scale: N numbers in the order of bs_param_unc_names. Logarithms
 * are natural. A log density of -infinity, +infinity or NaN is a value, not an error; a broken
 * requirement (a negative scale) and reject() are errors with the statement's place.
 */
#ifndef CREDO_BRIDGESTAN_H
#define CREDO_BRIDGESTAN_H

#include <stddef.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#if defined(__GNUC__)
#define CREDO_PUBLIC __attribute__((visibility("default")))
#else
#define CREDO_PUBLIC
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bs_model bs_model; /* a program with its data */
typedef struct bs_rng bs_rng;     /* a source of random numbers */

/* The version of BridgeStan's interface that this library has, not its own. */
CREDO_PUBLIC extern const int bs_major_version;
CREDO_PUBLIC extern const int bs_minor_version;
CREDO_PUBLIC extern const int bs_patch_version;

/* ---- models */

/* A model of a program.
 *   program  the path of a Stan program, which ends in ".stan" and may #include files of its
 *            folder; or the program's text
 *   data     CmdStan's JSON: the path of a file, which ends in ".json", or the text of an object;
 *            null or "" for no data
 *   seed     of the random numbers in transformed data
 * Null on failure: a wrong program (the message has all diagnostics), data that don't fit it, a
 * rejection in transformed data, a file that can't be read. */
CREDO_PUBLIC bs_model* credo_model_open(const char* program, const char* data, unsigned int seed,
                                        char** error_msg);

/* As credo_model_open, for clients that know only BridgeStan's function. The program is found by
 * the name of the library: a copy of it called NAME_model.so runs NAME.stan of its folder. A
 * library by another name runs the program that the environment variable CREDO_PROGRAM names. */
CREDO_PUBLIC bs_model* bs_model_construct(const char* data, unsigned int seed, char** error_msg);

CREDO_PUBLIC void bs_model_destruct(bs_model* m); /* null is allowed */
CREDO_PUBLIC void bs_free_error_msg(char* error_msg);

CREDO_PUBLIC const char* bs_name(const bs_model* m);       /* "NAME_model" for NAME.stan */
CREDO_PUBLIC const char* bs_model_info(const bs_model* m); /* versions and settings, as lines */

/* ---- parameters */

/* Names of scalars, joined by commas: "mu,theta.1,theta.2", indices from 1, the first one fastest
 * (matrices by columns), in the order of declaration; tuple elements as "t:1". Parameters, then
 * transformed parameters if include_tp, then generated quantities if include_gq. */
CREDO_PUBLIC const char* bs_param_names(const bs_model* m, bool include_tp, bool include_gq);
CREDO_PUBLIC int bs_param_num(const bs_model* m, bool include_tp, bool include_gq);

/* Names of the unconstrained scalars, in the order in which points list them. Where a constraint
 * takes degrees of freedom away they are numbered: "theta.1" to "theta.3" for a simplex of 4. */
CREDO_PUBLIC const char* bs_param_unc_names(const bs_model* m);
CREDO_PUBLIC int bs_param_unc_num(const bs_model* m);

/* Writes the values of bs_param_names at a point.
 *   theta_unc  N numbers          theta  P numbers, written
 *   rng        draws the generated quantities; may be null without include_gq
 * Without include_tp and include_gq nothing but the parameters is computed. A rejection in what is
 * computed is an error. A program with discrete parameters always needs rng: they are drawn given
 * the point. */
CREDO_PUBLIC int bs_param_constrain(const bs_model* m, bool include_tp, bool include_gq,
                                    const double* theta_unc, double* theta, bs_rng* rng,
                                    char** error_msg);

/* The point of given parameters.
 *   theta      bs_param_num(m, false, false) numbers, as bs_param_constrain writes them
 *   theta_unc  N numbers, written
 * Values that break a constraint are an error. Values of discrete parameters aren't looked at. */
CREDO_PUBLIC int bs_param_unconstrain(const bs_model* m, const double* theta, double* theta_unc,
                                      char** error_msg);

/* The same with the parameters as the text of a JSON object, each by its name (CmdStan's format of
 * initial values). All must be there; names that aren't parameters are passed over. */
CREDO_PUBLIC int bs_param_unconstrain_json(const bs_model* m, const char* json, double* theta_unc,
                                           char** error_msg);

/* ---- the log density and its derivatives by the unconstrained parameters
 *
 *   propto     true leaves out the constants that Stan's `~` drops
 *   jacobian   true adds the log Jacobian of the constraining transforms and what `jacobian +=`
 *              statements add; false is the density of the constrained parameters
 */
/* lp: one number, written. */
CREDO_PUBLIC int bs_log_density(const bs_model* m, bool propto, bool jacobian,
                                const double* theta_unc, double* lp, char** error_msg);

/* val: one number, written, here and below. grad: N numbers, written. Cost: a small multiple of the
 * density alone. */
CREDO_PUBLIC int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian,
                                         const double* theta_unc, double* val, double* grad,
                                         char** error_msg);

/* hessian: N x N numbers, written; symmetric, so rows and columns are the same. Second derivatives
 * are computed, not taken from differences: N products with a unit vector, 8 at once. A program
 * with a function that can't be differentiated twice is an error that names it. Derivatives that
 * aren't finite at the point are NaN or infinite. */
CREDO_PUBLIC int bs_log_density_hessian(const bs_model* m, bool propto, bool jacobian,
                                        const double* theta_unc, double* val, double* grad,
                                        double* hessian, char** error_msg);

/* hvp: N numbers, written: the Hessian times vector (N numbers), at the cost of a few gradients. */
CREDO_PUBLIC int bs_log_density_hessian_vector_product(const bs_model* m, bool propto,
                                                       bool jacobian, const double* theta_unc,
                                                       const double* vector, double* val,
                                                       double* hvp, char** error_msg);

/* ---- random numbers and print statements */

/* Equal seeds give equal numbers. Each bs_param_constrain with include_gq takes a stream of its
 * own, so what one call draws doesn't depend on how much the call before it drew. */
CREDO_PUBLIC bs_rng* bs_rng_construct(unsigned int seed, char** error_msg);
CREDO_PUBLIC void bs_rng_destruct(bs_rng* rng); /* null is allowed */

/* size bytes at data: the text of one print statement with its newline; no final zero. */
typedef void (*STREAM_CALLBACK)(const char* data, size_t size);

/* From now on print statements of all models call this; null: they write to standard output. One
 * call at a time, from any thread that uses a model. It must not throw and must not call this
 * library. */
CREDO_PUBLIC int bs_set_print_callback(STREAM_CALLBACK callback, char** error_msg);

#ifdef __cplusplus
}
#endif

#endif
