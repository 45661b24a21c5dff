// Shared parts of the two forms of multi_gp. Arguments: a square matrix N x N, K weights; y is K x N.
#pragma once
#include "dist/batch.hpp"

namespace credo::dist {

Terms gaussian_process_terms(const Expr& y, const Expr& factor, const Expr& weights);
void check_gaussian_process(const Expr& y, Args args, std::string_view function, Checks& checks);
// A draw by the lower factor of the kernel matrix.
std::vector<double> draw_gaussian_process(Rng& rng, const Expr& factor, const Expr& weights);
Moments gaussian_process_moments(const Expr& factor, const Expr& weights);

}  // namespace credo::dist
