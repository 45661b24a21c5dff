// Reads data for a fit as the fit's own data were read, so that each level keeps its code and each column its place.
#pragma once
#include "io/data/data_recipe.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

using FileText = std::function<const std::string&(const std::string& path)>;

// Relation of the given data to the fit.
enum class GivenData {
  own,   // the fit's data, which it doesn't keep: they define the levels
  other  // new data
};

// `now`, completed by the fit's recipe: names of columns, cells without a value, and for each factor the levels in
// the fit's order, so that other levels are refused. A variable of numbers doesn't become a factor. If the fit has no
// record of its levels, tables with factors are refused unless `now` gives their levels. Throws Error(usage) if `now`
// contradicts the fit, and Error(data).
io::DataRecipe recipe_like(const Fit& fit, io::DataRecipe now, const FileText& text_of,
                           GivenData given);

}  // namespace credo::results
