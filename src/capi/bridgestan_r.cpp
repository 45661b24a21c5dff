// The same functions for R's .C, which hands over pointers to everything: flags as ints, objects
// and messages as places for a pointer. BridgeStan's R client calls these.
#include "credo/bridgestan.h"

namespace {
// After a failure err_ptr is the message, for bs_free_error_msg_R: R's own err_msg is a copy.
template <class Call>
void answer(int* return_code, char** err_msg, void** err_ptr, Call call) {
  *return_code = call();
  *err_ptr = *err_msg;
}
}  // namespace

extern "C" {

CREDO_PUBLIC void bs_version_R(int* major, int* minor, int* patch) {
  *major = bs_major_version;
  *minor = bs_minor_version;
  *patch = bs_patch_version;
}

CREDO_PUBLIC void bs_model_construct_R(char** data, int* seed, bs_model** model, char** err_msg,
                                       void** err_ptr) {
  *model = bs_model_construct(*data, static_cast<unsigned int>(*seed), err_msg);
  *err_ptr = *err_msg;
}

CREDO_PUBLIC void credo_model_open_R(char** program, char** data, int* seed, bs_model** model,
                                     char** err_msg, void** err_ptr) {
  *model = credo_model_open(*program, *data, static_cast<unsigned int>(*seed), err_msg);
  *err_ptr = *err_msg;
}

CREDO_PUBLIC void bs_model_destruct_R(bs_model** model) { bs_model_destruct(*model); }
CREDO_PUBLIC void bs_free_error_msg_R(void** message) {
  bs_free_error_msg(static_cast<char*>(*message));
}

CREDO_PUBLIC void bs_name_R(bs_model** model, const char** name) { *name = bs_name(*model); }
CREDO_PUBLIC void bs_model_info_R(bs_model** model, const char** info) {
  *info = bs_model_info(*model);
}

CREDO_PUBLIC void bs_param_names_R(bs_model** model, int* include_tp, int* include_gq,
                                   const char** names) {
  *names = bs_param_names(*model, *include_tp != 0, *include_gq != 0);
}

CREDO_PUBLIC void bs_param_unc_names_R(bs_model** model, const char** names) {
  *names = bs_param_unc_names(*model);
}

CREDO_PUBLIC void bs_param_num_R(bs_model** model, int* include_tp, int* include_gq, int* number) {
  *number = bs_param_num(*model, *include_tp != 0, *include_gq != 0);
}

CREDO_PUBLIC void bs_param_unc_num_R(bs_model** model, int* number) {
  *number = bs_param_unc_num(*model);
}

CREDO_PUBLIC void bs_param_constrain_R(bs_model** model, int* include_tp, int* include_gq,
                                       const double* theta_unc, double* theta, bs_rng** rng,
                                       int* return_code, char** err_msg, void** err_ptr) {
  answer(return_code, err_msg, err_ptr, [&] {
    return bs_param_constrain(*model, *include_tp != 0, *include_gq != 0, theta_unc, theta, *rng,
                              err_msg);
  });
}

CREDO_PUBLIC void bs_param_unconstrain_R(bs_model** model, const double* theta, double* theta_unc,
                                         int* return_code, char** err_msg, void** err_ptr) {
  answer(return_code, err_msg, err_ptr,
         [&] { return bs_param_unconstrain(*model, theta, theta_unc, err_msg); });
}

CREDO_PUBLIC void bs_param_unconstrain_json_R(bs_model** model, const char** json,
                                              double* theta_unc, int* return_code, char** err_msg,
                                              void** err_ptr) {
  answer(return_code, err_msg, err_ptr,
         [&] { return bs_param_unconstrain_json(*model, *json, theta_unc, err_msg); });
}

CREDO_PUBLIC void bs_log_density_R(bs_model** model, int* propto, int* jacobian,
                                   const double* theta_unc, double* value, int* return_code,
                                   char** err_msg, void** err_ptr) {
  answer(return_code, err_msg, err_ptr, [&] {
    return bs_log_density(*model, *propto != 0, *jacobian != 0, theta_unc, value, err_msg);
  });
}

CREDO_PUBLIC void bs_log_density_gradient_R(bs_model** model, int* propto, int* jacobian,
                                            const double* theta_unc, double* value, double* grad,
                                            int* return_code, char** err_msg, void** err_ptr) {
  answer(return_code, err_msg, err_ptr, [&] {
    return bs_log_density_gradient(*model, *propto != 0, *jacobian != 0, theta_unc, value, grad,
                                   err_msg);
  });
}

CREDO_PUBLIC void bs_log_density_hessian_R(bs_model** model, int* propto, int* jacobian,
                                           const double* theta_unc, double* value, double* grad,
                                           double* hessian, int* return_code, char** err_msg,
                                           void** err_ptr) {
  answer(return_code, err_msg, err_ptr, [&] {
    return bs_log_density_hessian(*model, *propto != 0, *jacobian != 0, theta_unc, value, grad,
                                  hessian, err_msg);
  });
}

CREDO_PUBLIC void bs_log_density_hessian_vector_product_R(bs_model** model, int* propto,
                                                          int* jacobian, const double* theta_unc,
                                                          const double* vector, double* value,
                                                          double* product, int* return_code,
                                                          char** err_msg, void** err_ptr) {
  answer(return_code, err_msg, err_ptr, [&] {
    return bs_log_density_hessian_vector_product(*model, *propto != 0, *jacobian != 0, theta_unc,
                                                 vector, value, product, err_msg);
  });
}

CREDO_PUBLIC void bs_rng_construct_R(int* seed, bs_rng** rng, char** err_msg, void** err_ptr) {
  *rng = bs_rng_construct(static_cast<unsigned int>(*seed), err_msg);
  *err_ptr = *err_msg;
}

CREDO_PUBLIC void bs_rng_destruct_R(bs_rng** rng) { bs_rng_destruct(*rng); }

}  // extern "C"
