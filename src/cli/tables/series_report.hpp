// Components, forecasts and unusual outcomes of a series, as text and as arrays.
#pragma once
#include "models/series/series_paths.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct SeriesReport {
  const models::Series& made;
  const models::SeriesSummary& summary;
  Index num_paths = 0;

  std::string text() const;
  results::ArrayList answer() const;
};

}  // namespace credo::cli
