#include "model/replicates/censoring.hpp"

namespace credo::model {

CensoringTimes::CensoringTimes(std::span<const double> values, std::span<const Censored> rows,
                               Censored direction)
    : sign_(direction == Censored::from_below ? -1.0 : 1.0) {
  struct Row {
    double time;
    bool is_censored;
  };
  std::vector<Row> all;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (rows[i] == Censored::no || rows[i] == direction)
      all.push_back({sign_ * values[i], rows[i] == direction});
  // At equal times observed outcomes come before censored ones.
  std::sort(all.begin(), all.end(), [](const Row& a, const Row& b) {
    return a.time != b.time ? a.time < b.time : a.is_censored < b.is_censored;
  });
  double left = 1.0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_censored) continue;
    const double mass = left / static_cast<double>(all.size() - i);
    left -= mass;
    times_.push_back(all[i].time), masses_.push_back(mass);
  }
}

double CensoringTimes::draw_beyond(double value, Rng& rng) const {
  const double at = sign_ * value;
  const auto first =
      static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), at) - times_.begin());
  double left = 1.0;
  for (std::size_t k = 0; k < first; ++k) left -= masses_[k];
  double u = rng.uniform() * left;
  for (std::size_t k = first; k < times_.size(); ++k) {
    constexpr double kRounding = 1e-12;
    u -= masses_[k];
    if (u <= kRounding) return sign_ * times_[k];
  }
  return sign_ * kInfinity;
}

}  // namespace credo::model
