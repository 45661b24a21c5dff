// Summaries of a fit's draws after warm-up, one row a quantity.
#pragma once
#include "diagnose/summary.hpp"
#include "io/summary_table.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

using Summary = std::vector<io::SummaryRow>;

io::SummaryRow row_of(const std::string& name, const diagnose::Summary& s);

// lp__ first, where it is there, then the program's outputs.
Summary summarise(const Fit& fit);
// Summary of these quantities only.
Summary summarise(const Fit& fit, std::span<const Index> quantities);
// Adds quantiles at these percents to the rows of these quantities.
void add_quantiles(Summary& rows, const Fit& fit, std::span<const Index> quantities,
                   std::span<const double> percents);
// Quantities in the rows of summarise(fit): lp__ if it exists, and all outputs.
std::vector<Index> summarised_quantities(const Fit& fit);
Summary summarise_outputs(const Fit& fit);

}  // namespace credo::results
