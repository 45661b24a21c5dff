// Stochastic expectation propagation [li2015; murphy2023, 10.7.7]: all N sites have the same factor, of all values, so that memory is
// O(D²) and not O(N D).
#pragma once
#include "infer/sites/site_rounds.hpp"

namespace credo::infer {

SiteFit fit_tied_sites(SitePosterior& posterior, const SiteRoundOptions& options);
Error no_distribution();  // the error if base times factors has no finite integral

}  // namespace credo::infer
