// ar(p), ma(q), arma(p, q): residuals of a normal outcome that depend on those of earlier rows of a series [box2015, ch. 3]. The first
// rows of a series have no earlier residuals: their part is 0, as brms has it with cov = FALSE.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/formula/lags.hpp"
#include "models/regression/special.hpp"

namespace credo::models {
namespace {
constexpr Index kMostOrder = 50;
constexpr const char* kUsage = "ar(1), ar(p = 2, time = t, gr = g), ma(1), arma(1, 1)";

constexpr std::string_view kAutoregressive =
    R"(  // Means of rows given the residuals of earlier ones. place: the number of the earlier row plus 1, or 1 for none.
  vector autoregressive_means(vector y, vector eta, vector ar, array[,] int place) {
    vector[rows(y) + 1] u = append_row(0, y - eta);
    vector[rows(y)] mean = eta;
    for (i in 1:rows(ar)) mean += ar[i] * u[place[i]];
    return mean;
  }
)";
constexpr std::string_view kMeans =
    R"(  // Means of rows given the residuals u and the errors e of earlier ones, in the order of time.
  vector arma_means(vector y, vector eta, vector ar, vector ma, array[] int order, array[,] int place) {
    vector[rows(y) + 1] u = append_row(0, y - eta);
    vector[rows(y) + 1] e = rep_vector(0, rows(y) + 1);
    vector[rows(y)] mean = eta;
    for (n in order) {
      for (i in 1:rows(ar)) mean[n] += ar[i] * u[place[i, n]];
      for (i in 1:rows(ma)) mean[n] += ma[i] * e[place[i, n]];
      e[n + 1] = y[n] - mean[n];
    }
    return mean;
  }
)";
constexpr std::string_view kDraw =
    R"(  // New series, row by row.
  vector arma_rng(vector eta, vector sigma, vector ar, vector ma, array[] int order, array[,] int place) {
    int n_rows = rows(eta);
    vector[n_rows + 1] u = rep_vector(0, n_rows + 1);
    vector[n_rows + 1] e = rep_vector(0, n_rows + 1);
    for (n in order) {
      e[n + 1] = normal_rng(0, sigma[n]);
      u[n + 1] = e[n + 1];
      for (i in 1:rows(ar)) u[n + 1] += ar[i] * u[place[i, n]];
      for (i in 1:rows(ma)) u[n + 1] += ma[i] * e[place[i, n]];
    }
    return eta + tail(u, n_rows);
  }
)";
constexpr std::string_view kPlaces =
    R"(  // For each distance up to k the number of the earlier row plus 1, or 1 for none.
  array[,] int places_before(vector time, array[] int series, int k) {
    array[k, rows(time)] int place;
    for (i in 1:k) {
      array[rows(time)] int before = rows_before(time, series, i);
      for (n in 1:rows(time)) place[i, n] = before[n] + 1;
    }
    return place;
  }
)";

struct SeriesCall {
  Index p = 0, q = 0;
  RowOrder order;
};

std::optional<SeriesCall> read(const Expression& call, Frame& frame) {
  SeriesCall made;
  std::vector<Index*> unnamed;
  if (call.word != "ma") made.p = 1, unnamed.push_back(&made.p);
  if (call.word != "ar") made.q = 1, unnamed.push_back(&made.q);
  std::size_t next = 0;
  for (std::size_t k = 0; k < call.parts.size(); ++k) {
    const Expression& part = call.parts[k];
    const std::string& label = call.labels[k];
    if (label == "time" || label == "gr" || (label == "cov" && part.word == "FALSE")) continue;
    Index* const target = label == "p" && made.p > 0               ? &made.p
                          : label == "q" && made.q > 0             ? &made.q
                          : label.empty() && next < unnamed.size() ? unnamed[next++]
                                                                   : nullptr;
    const auto number = part.kind == Expression::Kind::number ? io::parse_number(part.word)
                                                              : std::optional<double>();
    if (target == nullptr) {
      frame.faults().add(part.place, fmt::format("{}() has other arguments", call.word),
                         label == "cov" ? "there is cov = FALSE alone" : kUsage);
      return std::nullopt;
    }
    if (!number || *number != std::floor(*number) || *number < 1.0 || *number > kMostOrder) {
      frame.faults().add(part.place,
                         fmt::format("an order is a whole number from 1 to {}, and {} isn't one",
                                     kMostOrder, part.text()),
                         kUsage);
      return std::nullopt;
    }
    *target = static_cast<Index>(*number);
  }
  const auto order = use_order(call, frame);
  if (!order) return std::nullopt;
  made.order = *order;
  return made;
}

bool use(const Expression& call, Frame& frame) { return read(call, frame).has_value(); }

std::string add_coefficients(SpecialBlock& block, SpecialContext& context, const std::string& kind,
                             Index number) {
  if (number == 0) return "rep_vector(0, 0)";
  const std::string name = context.frame.names().take(kind);
  block.parameters.push_back(fmt::format("vector[{}] {}", number, name));
  for (Index i = 1; i <= number; ++i)
    block.priors.push_back({.coefficient = {.name = fmt::format("{}[{}]", kind, i),
                                            .element = fmt::format("{}[{}]", name, i),
                                            .predictor = context.predictor},
                            .prior = "normal(0, 0.5)"});
  return name;
}

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const SeriesCall read_call = *read(call, context.frame);
  if (!context.no_residuals.empty()) {
    context.frame.faults().add(call.place,
                               fmt::format("{}: {}", call.text(), context.no_residuals));
    return std::nullopt;
  }
  if (!rows_before(read_call.order, 1, context.frame)) return std::nullopt;  // equal times
  SpecialBlock block;
  block.text = call.text();
  const std::string ar = add_coefficients(block, context, "ar", read_call.p),
                    ma = add_coefficients(block, context, "ma", read_call.q);
  const Index most = std::max(read_call.p, read_call.q);
  const std::string place = context.name("place", call.word),
                    order = context.name("order", call.word);
  std::string text = rows_before_text(read_call.order, most);
  text.replace(0, text.find('('), "places_before");
  context.parts.prepared.push_back(fmt::format("array[{}, N] int {} = {};", most, place, text));
  context.parts.prepared.push_back(fmt::format(
      "array[N] int {} = {};", order,
      read_call.order.time.empty() ? "linspaced_int_array(N, 1, N)"
                                   : fmt::format("sort_indices_asc({})", read_call.order.time)));
  for (const StanFunction& f : lag_functions())
    if (f.name == "rows_before") context.parts.functions.emplace(f.name, f.text);
  block.residuals.mean =
      read_call.q == 0
          ? fmt::format("autoregressive_means({{y}}, {{eta}}, {}, {})", ar, place)
          : fmt::format("arma_means({{y}}, {{eta}}, {}, {}, {}, {})", ar, ma, order, place);
  block.residuals.draw = fmt::format(
      "    outcome = arma_rng({{eta}}, {{sigma}}, {}, {}, {}, {});\n", ar, ma, order, place);
  if (!read_call.order.series.empty()) block.series.push_back(read_call.order.series);
  block.words = fmt::format("residuals of up to {} rows before{}", most,
                            read_call.order.time.empty() ? " in the order of the table" : "");
  block.prediction_note = fmt::format(
      "{}: the rows are new series, whose outcomes begin without earlier residuals; linear "
      "predictors and means leave residuals out",
      block.text);
  return block;
}
const std::vector<StanFunction>& series_functions() {
  static const std::vector<StanFunction> kAll{{"autoregressive_means", kAutoregressive},
                                              {"arma_means", kMeans},
                                              {"arma_rng", kDraw},
                                              {"places_before", kPlaces}};
  return kAll;
}
}  // namespace

extern const SpecialRow ar_special{.name = "ar",
                                   .words = "autoregressive residuals",
                                   .usage = "ar(p = 1, time = t, gr = g)",
                                   .use = use,
                                   .make = make,
                                   .functions = series_functions()};
extern const SpecialRow ma_special{.name = "ma",
                                   .words = "residuals with a moving average",
                                   .usage = "ma(q = 1, time = t, gr = g)",
                                   .use = use,
                                   .make = make,
                                   .functions = series_functions()};
extern const SpecialRow arma_special{.name = "arma",
                                     .words = "autoregressive residuals with a moving average",
                                     .usage = "arma(p = 1, q = 1, time = t, gr = g)",
                                     .use = use,
                                     .make = make,
                                     .functions = series_functions()};
}  // namespace credo::models
