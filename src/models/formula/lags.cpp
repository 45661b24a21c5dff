#include "models/formula/lags.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/formula/frame.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kRowsBefore =
    R"(  // The row k rows before each one in the order of time, within its series; 0 without such a row.
  array[] int rows_before(vector time, array[] int series, int k) {
    array[rows(time)] int before = rep_array(0, rows(time));
    array[max(series), k] int last = rep_array(0, max(series), k);
    for (n in sort_indices_asc(time)) {
      before[n] = last[series[n], k];
      for (j in 1:(k - 1)) last[series[n], k + 1 - j] = last[series[n], k - j];
      last[series[n], 1] = n;
    }
    return before;
  }
)";
constexpr std::string_view kEarlierValues =
    R"(  // Values of earlier rows. A row without one has its own value, and no part in the likelihood.
  vector earlier_values(vector x, array[] int before) {
    vector[rows(x)] made = x;
    for (n in 1:rows(x))
      if (before[n] > 0) made[n] = x[before[n]];
    return made;
  }
)";

constexpr std::string_view kNumbersOf = R"(  // The numbers of the elements that are 1.
  array[] int numbers_of(array[] int flags) {
    array[sum(flags)] int numbers;
    int k = 0;
    for (n in 1:size(flags)) {
      if (flags[n] == 1) {
        k += 1;
        numbers[k] = n;
      }
    }
    return numbers;
  }
)";
}  // namespace

bool is_lag_call(const Expression& e) { return e.is_call("lag") || e.is_call("diff"); }

EarlierRows earlier_rows(Index num_rows, Index k, std::span<const double> times,
                         std::span<const std::int32_t> series) {
  std::vector<Index> order(static_cast<std::size_t>(num_rows));
  for (Index n = 0; n < num_rows; ++n) order[static_cast<std::size_t>(n)] = n;
  if (!times.empty())
    std::ranges::stable_sort(order, {},
                             [&](Index n) { return times[static_cast<std::size_t>(n)]; });
  EarlierRows made{.rows = std::vector<Index>(order.size(), -1)};
  std::map<std::int32_t, std::vector<Index>> before;
  for (const Index n : order) {
    const auto row = static_cast<std::size_t>(n);
    std::vector<Index>& own = before[series.empty() ? 1 : series[row]];
    if (!made.same && !own.empty() && !times.empty() &&
        times[static_cast<std::size_t>(own.back())] == times[row])
      made.same = {own.back(), n};
    if (ssize(own) >= k) made.rows[row] = own[own.size() - static_cast<std::size_t>(k)];
    own.push_back(n);
  }
  return made;
}

std::optional<RowOrder> use_order(const Expression& call, Frame& frame) {
  RowOrder order;
  const std::size_t before = frame.faults().size();
  for (std::size_t k = 0; k < call.parts.size(); ++k) {
    const std::string& label = call.labels[k];
    if (label != "time" && label != "gr") continue;
    const Expression& column = call.parts[k];
    if (column.kind != Expression::Kind::name) {
      frame.faults().add(column.place, fmt::format("{} = takes a column", label));
    } else if (const auto used =
                   frame.use(column, label == "gr" ? ColumnRole::factor : ColumnRole::number)) {
      (label == "gr" ? order.series : order.time) = used->name;
    }
  }
  if (frame.faults().size() > before) return std::nullopt;
  return order;
}

std::optional<std::vector<Index>> rows_before(const RowOrder& order, Index k, Frame& frame) {
  const std::vector<double> times =
      order.time.empty() ? std::vector<double>() : frame.numbers(order.time);
  const std::vector<std::int32_t> series =
      order.series.empty() ? std::vector<std::int32_t>() : frame.codes(order.series);
  EarlierRows made = earlier_rows(frame.num_rows(), k, times, series);
  if (!made.same) return std::move(made.rows);
  frame.faults().add_of_table(
      frame.where(order.time, made.same->second),
      fmt::format("rows {} and {} have one time, {} = {}", made.same->first + 1,
                  made.same->second + 1, order.time,
                  io::number_text(times[static_cast<std::size_t>(made.same->second)])),
      order.series.empty() ? "gr = COLUMN says which rows are one series"
                           : "times of one series are different");
  return std::nullopt;
}

std::string rows_before_text(const RowOrder& order, Index k) {
  return fmt::format("rows_before({}, {}, {})",
                     order.time.empty() ? "linspaced_vector(N, 1, N)" : order.time,
                     order.series.empty() ? "rep_array(1, N)" : order.series, k);
}

LagRows prepare_lags(Frame& frame, StanParts& parts) {
  LagRows made;
  if (frame.lags().empty()) return made;
  std::vector<std::string> flags;
  made.lacks_one.assign(static_cast<std::size_t>(frame.num_rows()), 0);
  for (Lag& lag : frame.lags()) {
    const auto rows = rows_before(lag.order, lag.k, frame);
    if (!rows) return {};
    lag.rows = *rows;
    lag.name = frame.names().take(fmt::format("rows_before_{}", lag.k));
    parts.prepared.push_back(
        fmt::format("array[N] int {} = {};", lag.name, rows_before_text(lag.order, lag.k)));
    flags.push_back(lag.name + "[n] > 0");
    for (std::size_t n = 0; n < rows->size(); ++n)
      if ((*rows)[n] < 0) made.lacks_one[n] = 1;
  }
  made.flag = frame.names().take("has_earlier");
  parts.prepared.push_back(fmt::format("array[N] int {};", made.flag));
  parts.prepared.push_back(
      fmt::format("for (n in 1:N) {}[n] = {};", made.flag, fmt::join(flags, " && ")));
  made.seen = frame.names().take("seen");
  parts.prepared.push_back(
      fmt::format("array[sum({0})] int {1} = numbers_of({0});", made.flag, made.seen));
  for (const StanFunction& f : lag_functions()) parts.functions.emplace(f.name, f.text);
  return made;
}

std::span<const StanFunction> lag_functions() {
  static constexpr std::array<StanFunction, 3> kAll{{{"earlier_values", kEarlierValues},
                                                     {"numbers_of", kNumbersOf},
                                                     {"rows_before", kRowsBefore}}};
  return kAll;
}

}  // namespace credo::models
