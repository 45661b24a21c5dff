// What the two forms of multi_gp share. Arguments: a square matrix N x N, K weights; y is K x N.
#pragma once
#include "dist/batch.hpp"

namespace credo::dist {

Terms gaussian_process_terms(const Expr& y, const Expr& factor, const Expr& weights);
void check_gaussian_process(const Expr& y, Args args, std::string_view function, Checks& checks);

}  // namespace credo::dist
