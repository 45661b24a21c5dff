// Shared parts of the two forms of the multivariate Student t: the scale matrix by its lower factor.
#pragma once
#include "dist/batch.hpp"

namespace credo::dist {

Terms multi_student_t_terms(const Expr& y, const Expr& nu, const Expr& mu, const Expr& factor);
std::vector<double> draw_multi_student_t(Rng& rng, double nu, const Expr& mu, const Expr& factor);
Moments multi_student_t_moments(double nu, const Expr& mu, const Expr& factor);

}  // namespace credo::dist
