// The C functions: no exception gets past them, and each failure becomes a message.
#include "credo/bridgestan.h"

#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "capi/handle.hpp"
#include "capi/print.hpp"
#include "capi/program_place.hpp"

struct bs_model {
  credo::capi::Handle handle;
};

struct bs_rng {
  credo::capi::Streams streams;
};

namespace {
// A null message says that there was no memory for it.
void set_message(char** error_msg, const char* text) noexcept {
  if (error_msg == nullptr) return;
  const std::size_t size = std::strlen(text) + 1;
  *error_msg = static_cast<char*>(std::malloc(size));
  if (*error_msg != nullptr) std::memcpy(*error_msg, text, size);
}

// Result of body; `failed` if it throws.
template <class Result, class Body>
Result guarded(Result failed, char** error_msg, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    set_message(error_msg, "out of memory");
  } catch (const std::exception& e) {
    set_message(error_msg, e.what());
  } catch (...) {
    set_message(error_msg, "an unknown failure");
  }
  return failed;
}

template <class Body>
int status_of(const bs_model* m, char** error_msg, Body body) noexcept {
  return guarded(-1, error_msg, [&] {
    if (m == nullptr) throw credo::Error(credo::ErrorCode::usage, "is null", "model");
    body(m->handle);
    return 0;
  });
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

double& written(double* value) {
  if (value == nullptr) throw credo::Error(credo::ErrorCode::usage, "is null", "value");
  return *value;
}

credo::density::Query query_of(bool propto, bool jacobian) {
  return {.jacobian = jacobian, .constants = !propto};
}
}  // namespace

extern "C" {

const int bs_major_version = 2;
const int bs_minor_version = 7;
const int bs_patch_version = 0;

bs_model* credo_model_open(const char* program, const char* data, unsigned int seed,
                           char** error_msg) {
  return guarded<bs_model*>(nullptr, error_msg, [&] {
    return new bs_model{{text_or_empty(program), text_or_empty(data), seed}};
  });
}

bs_model* bs_model_construct(const char* data, unsigned int seed, char** error_msg) {
  return guarded<bs_model*>(nullptr, error_msg, [&] {
    return new bs_model{{credo::capi::find_program(), text_or_empty(data), seed}};
  });
}

void bs_model_destruct(bs_model* m) { delete m; }
void bs_free_error_msg(char* error_msg) { std::free(error_msg); }
const char* bs_name(const bs_model* m) { return m->handle.name().c_str(); }
const char* bs_model_info(const bs_model* m) { return m->handle.info().c_str(); }

const char* bs_param_names(const bs_model* m, bool include_tp, bool include_gq) {
  return m->handle.names({include_tp, include_gq}).c_str();
}

const char* bs_param_unc_names(const bs_model* m) { return m->handle.free_names().c_str(); }

int bs_param_num(const bs_model* m, bool include_tp, bool include_gq) {
  return static_cast<int>(m->handle.count({include_tp, include_gq}));
}

int bs_param_unc_num(const bs_model* m) { return static_cast<int>(m->handle.dimension()); }

int bs_param_constrain(const bs_model* m, bool include_tp, bool include_gq, const double* theta_unc,
                       double* theta, bs_rng* rng, char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    handle.constrain({include_tp, include_gq}, theta_unc, theta,
                     rng == nullptr ? nullptr : &rng->streams);
  });
}

int bs_param_unconstrain(const bs_model* m, const double* theta, double* theta_unc,
                         char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    handle.unconstrain(theta, theta_unc);
  });
}

int bs_param_unconstrain_json(const bs_model* m, const char* json, double* theta_unc,
                              char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    handle.unconstrain_json(text_or_empty(json), theta_unc);
  });
}

int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                   double* lp, char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    written(lp) = handle.log_density(query_of(propto, jacobian), theta_unc, {});
  });
}

int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                            double* val, double* grad, char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    written(val) = handle.log_density(query_of(propto, jacobian), theta_unc, {.gradient = grad});
  });
}

int bs_log_density_hessian(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                           double* val, double* grad, double* hessian, char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    written(val) = handle.log_density(query_of(propto, jacobian), theta_unc,
                                      {.gradient = grad, .hessian = hessian});
  });
}

int bs_log_density_hessian_vector_product(const bs_model* m, bool propto, bool jacobian,
                                          const double* theta_unc, const double* vector,
                                          double* val, double* hvp, char** error_msg) {
  return status_of(m, error_msg, [&](const credo::capi::Handle& handle) {
    written(val) = handle.log_density(query_of(propto, jacobian), theta_unc,
                                      {.direction = vector, .product = hvp});
  });
}

bs_rng* bs_rng_construct(unsigned int seed, char** error_msg) {
  return guarded<bs_rng*>(nullptr, error_msg,
                          [&] { return new bs_rng{credo::capi::Streams(seed)}; });
}

void bs_rng_destruct(bs_rng* rng) { delete rng; }

int bs_set_print_callback(STREAM_CALLBACK callback, char** error_msg) {
  return guarded(-1, error_msg, [&] {
    credo::capi::set_print_callback(callback);
    return 0;
  });
}

}  // extern "C"
