#include "results/loo/compare.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/stacking.hpp"
#include "results/files/answer_values.hpp"

namespace credo::results {
namespace {
Total difference_to(const Compared& a, const Compared& best) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < a.elpd.size(); ++i) rows.push_back(a.elpd[i] - best.elpd[i]);
  return total_of(rows);
}

// Reason why the rows of two models belong to different outcomes; empty if they don't, or it isn't known. Elements of
// log_lik may belong to some of the outcomes only: one outcome in common suffices.
std::string difference_of_outcomes(const Compared& a, const Compared& b) {
  if (a.has_own_rows && b.has_own_rows && share_an_outcome(a.data, b.data)) return {};
  return difference_of_data(a.data, b.data);
}

void require_equal_rows(const Compared& a, const Compared& b) {
  if (a.elpd.size() != b.elpd.size())
    throw Error(
        ErrorCode::data,
        fmt::format("{} has {} rows and {} has {}", a.name, a.elpd.size(), b.name, b.elpd.size()),
        "compare", "models are compared on the same observations, written as the same rows");
  if (const std::string why = difference_of_outcomes(a, b); !why.empty())
    throw Error(
        ErrorCode::data, fmt::format("{} and {} are of other data: {}", a.name, b.name, why),
        "compare",
        "models are compared on the same observations, in the same order and on the same scale: a "
        "density of log(y) isn't one of y (lognormal is)");
  if (a.folds.empty() != b.folds.empty())
    throw Error(ErrorCode::data,
                fmt::format("{} leaves rows out {}, and {} {}", a.name,
                            a.folds.empty() ? "one by one" : "in folds", b.name,
                            b.folds.empty() ? "one by one" : "in folds"),
                "compare",
                "ask all models in one way: credo loo with the same --folds, or without");
}

// Numbers as JsonWriter writes them: "NaN", "Inf" and "-Inf" as well.
double number_of(const io::JsonValue& object, const char* name, const std::string& path) {
  const io::JsonValue* value = object.find(name);
  if (value == nullptr)
    throw Error(ErrorCode::data, fmt::format("a row has no {}", name), path,
                "give a file that credo loo has written");
  if (value->kind != io::JsonValue::Kind::string) return value->as_number(name);
  return value->text == "Inf" ? kInfinity : value->text == "-Inf" ? -kInfinity : kNaN;
}

// Rows whose density didn't come from a fit without them, and can't be relied on.
void add_unreliable(Compared& one, const io::JsonValue& rows) {
  for (Index i = 0; i < ssize(rows.items); ++i) {
    const io::JsonValue& row = rows.items[static_cast<std::size_t>(i)];
    const io::JsonValue* by = row.find("by");
    const bool is_refit = by != nullptr && by->text == "fit without the row";
    const bool varies = number_of(row, "p_waic", one.name) != 0.0;
    if (!is_refit && varies && !(number_of(row, "pareto_k", one.name) <= one.k_limit))
      one.unreliable.push_back(i);
  }
}

void add_weights(std::vector<Compared>& all) {
  std::vector<double> elpd;
  for (std::size_t i = 0; i < all[0].elpd.size(); ++i)
    for (const Compared& one : all) elpd.push_back(one.elpd[i]);
  const std::vector<double> stacked = diagnose::stacking_weights(elpd, ssize(all));
  const std::vector<double> averaged = diagnose::pseudo_bma_weights(elpd, ssize(all));
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].stacking = stacked[k], all[k].pseudo_bma = averaged[k];
}
}  // namespace

Compared compared_by(const std::string& name, const Loo& loo) {
  Compared one{.name = name, .total = loo.elpd_loo};
  for (const diagnose::RowFigures& row : loo.rows) one.elpd.push_back(row.elpd_loo);
  one.unreliable = loo.unreliable();
  one.k_limit = loo.k_limit();
  one.has_own_rows = loo.has_own_rows;
  return one;
}

Compared read_compared(const std::string& path) {
  const io::JsonValue file = read_answer(path);
  const io::JsonValue* rows = file.find("rows");
  const bool has_folds = file.find("elpd_kfold") != nullptr;
  if (rows == nullptr || (!has_folds && file.find("elpd_loo") == nullptr))
    throw Error(
        ErrorCode::data, "it holds no log predictive densities of rows left out", path,
        "give a file that credo loo has written: credo loo fit.nc --folds 10 -o folds.json");
  Compared one{.name = path};
  for (const io::JsonValue& row : rows->items) {
    one.elpd.push_back(number_of(row, has_folds ? "elpd" : "elpd_loo", path));
    if (has_folds) one.folds.push_back(static_cast<Index>(number_of(row, "fold", path)));
  }
  one.total = total_of(one.elpd);
  if (const io::JsonValue* data = file.find("data")) one.data = read_digests(*data);
  if (const io::JsonValue* by = file.find("rows_by")) one.has_own_rows = by->text == "log_lik";
  if (has_folds) return one;
  one.k_limit = number_of(file, "k_limit", path);
  add_unreliable(one, *rows);
  return one;
}

std::vector<Compared> compare(std::vector<Compared> models) {
  for (const Compared& one : models) require_equal_rows(models.front(), one);
  std::stable_sort(models.begin(), models.end(), [](const Compared& a, const Compared& b) {
    return a.total.value > b.total.value;
  });
  for (Compared& one : models) one.difference = difference_to(one, models[0]);
  add_weights(models);
  return models;
}

namespace {
enum class Supports { nothing, little, much };

// A difference below 4 is small, and its error isn't known well.
Supports supported_by(const Total& difference) {
  constexpr double kSmall = 4.0, kErrors = 2.0;
  const double by = -difference.value;
  if (by < kSmall) return Supports::little;
  return by < kErrors * difference.error ? Supports::nothing : Supports::much;
}

std::string figures_of(const Compared& one) {
  const double by = -one.difference.value;
  if (one.difference.error == 0.0) return fmt::format("{:.1f}, the same for each row", by);
  return fmt::format("{:.1f}, {:.1f} of its errors", by, by / one.difference.error);
}

bool predict_alike(const Compared& a, const Compared& b) { return a.elpd == b.elpd; }

std::string sentence_of_two(const Compared& best, const Compared& second) {
  if (predict_alike(best, second))
    return fmt::format("{} and {} predict each row alike: there is no difference.", best.name,
                       second.name);
  const std::string figures = figures_of(second);
  switch (supported_by(second.difference)) {
    case Supports::little:
      return fmt::format("{} and {} predict about equally well: the difference is {}.", best.name,
                         second.name, figures);
    case Supports::nothing:
      return fmt::format("The data don't distinguish {} from {}: the difference is {}.", best.name,
                         second.name, figures);
    case Supports::much:
      break;
  }
  return fmt::format("{} predicts better than {}: the difference is {}.", best.name, second.name,
                     figures);
}

// "a", "a and b", "a, b and c".
std::string joined(std::span<const std::string> names) {
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return fmt::format("{} and {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}
}  // namespace

std::string sentence_of(std::span<const Compared> compared) {
  const Compared& best = compared[0];
  const std::string_view no_error = why_no_error(ssize(best.elpd));
  std::array<std::vector<std::string>, 3> groups;
  for (const Compared& one : compared.subspan(1))
    groups[static_cast<std::size_t>(supported_by(one.difference))].push_back(
        no_error.empty() ? fmt::format("{} ({})", one.name, figures_of(one))
                         : fmt::format("{} by {:.1f}", one.name, -one.difference.value));
  if (!no_error.empty()) {
    std::vector<std::string> all;
    for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
    return fmt::format("{} predicts it better than {}. {}", best.name, joined(all), no_error);
  }
  if (compared.size() == 2) return sentence_of_two(best, compared[1]);
  const auto& alike = groups[static_cast<std::size_t>(Supports::little)];
  const auto& undecided = groups[static_cast<std::size_t>(Supports::nothing)];
  const auto& worse = groups[static_cast<std::size_t>(Supports::much)];
  std::string text = fmt::format("{} has the highest sum of {}.", best.name, compared.size());
  if (!alike.empty())
    text += fmt::format(" {} {} about as well.", joined(alike),
                        alike.size() == 1 ? "predicts" : "predict");
  if (!undecided.empty())
    text += fmt::format(" The data don't distinguish it from {}.", joined(undecided));
  if (!worse.empty()) text += fmt::format(" It predicts better than {}.", joined(worse));
  return text + " In brackets: how much lower the sum is.";
}

}  // namespace credo::results
