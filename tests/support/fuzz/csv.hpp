// Any bytes as a CSV file of draws: refused, or read whole, summed up, judged and written again.
#pragma once
#include "io/stan_csv.hpp"
#include "support/fuzz/fits.hpp"

namespace credo::fuzz {

inline void claim_csv(const io::StanCsv& csv) {
  claim(csv.values.size() == csv.columns.size() * static_cast<std::size_t>(csv.num_rows),
        "a value for each row and column");
  claim(csv.num_warmup_rows >= 0 && csv.num_warmup_rows <= csv.num_rows, "warm-up is a part");
  const Index d = csv.inverse_metric.dimension;
  claim(ssize(csv.inverse_metric.values) == (csv.inverse_metric.dense ? d * d : d),
        "the metric fills its sizes");
}

inline void run_csv(std::string_view bytes) {
  const Patience patience(kPatience);
  bool is_csv = false;
  may_be_refused([&] {
    claim_csv(io::parse_stan_csv(bytes, "fuzz"));
    is_csv = true;
  });
  if (!is_csv) return;
  const ScratchFile file(bytes, "fit.csv"), copy(bytes, "copy.csv");
  const std::array<std::string, 2> paths{file.path(), copy.path()};
  may_be_refused([&] {
    use_fit(*results::open_fit(std::span(paths).first(1)), file.folder() + "/one");
    use_fit(*results::open_fit(paths), file.folder() + "/two");
  });
}

}  // namespace credo::fuzz
