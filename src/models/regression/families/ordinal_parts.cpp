#include "models/regression/families/ordinal_parts.hpp"

namespace credo::models {

std::vector<StanFunction> link_logarithms() {
  return {{"log_up_to_logit", R"(  vector log_up_to_logit(vector x) { return log_inv_logit(x); }
)"},
          {"log_above_logit", R"(  vector log_above_logit(vector x) { return log1m_inv_logit(x); }
)"},
          {"log_up_to_probit", R"(  vector log_up_to_probit(vector x) {
    vector[rows(x)] all;
    for (k in 1:rows(x)) all[k] = normal_lcdf(x[k] | 0, 1);
    return all;
  }
)"},
          {"log_above_probit", R"(  vector log_above_probit(vector x) {
    vector[rows(x)] all;
    for (k in 1:rows(x)) all[k] = normal_lccdf(x[k] | 0, 1);
    return all;
  }
)"},
          {"log_up_to_cloglog",
           R"(  vector log_up_to_cloglog(vector x) { return log1m_exp(-exp(x)); }
)"},
          {"log_above_cloglog", R"(  vector log_above_cloglog(vector x) { return -exp(x); }
)"},
          {"log_up_to_cauchit", R"(  vector log_up_to_cauchit(vector x) {
    vector[rows(x)] all;
    for (k in 1:rows(x)) all[k] = cauchy_lcdf(x[k] | 0, 1);
    return all;
  }
)"},
          {"log_above_cauchit", R"(  vector log_above_cauchit(vector x) {
    vector[rows(x)] all;
    for (k in 1:rows(x)) all[k] = cauchy_lccdf(x[k] | 0, 1);
    return all;
  }
)"}};
}

std::vector<StanFunction> stage_functions() {
  std::vector<StanFunction> all = link_logarithms();
  all.push_back({"log_stages", R"(  vector log_stages(vector stops, vector passes) {
    return append_row(stops, 0) + append_row(0, cumulative_sum(passes));
  }
)"});
  all.push_back({"stages", R"(  real stages_lpmf(int y, vector stops, vector passes) {
    return log_stages(stops, passes)[y];
  }
  int stages_rng(vector stops, vector passes) {
    return categorical_logit_rng(log_stages(stops, passes));
  }
)"});
  return all;
}

}  // namespace credo::models
