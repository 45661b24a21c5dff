#include "models/formula/arithmetic.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"

namespace credo::models {
namespace {
using Kind = Expression::Kind;
constexpr int kSum = 5, kProduct = 6, kSign = 7, kPower = 8, kAtom = 100;

double inv_logit(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

struct NumericFunction {
  std::string_view name;
  double (*value)(double);
  std::string_view stan = {};  // in programs, if that is another name
};
constexpr std::array<NumericFunction, 24> kFunctions{{
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"abs", [](double x) { return std::abs(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"inv_logit", inv_logit},
    {"plogis", inv_logit, "inv_logit"},
    {"Phi", normal_cdf},
    {"pnorm", normal_cdf, "Phi"},
    {"gamma", [](double x) { return std::tgamma(x); }, "tgamma"},
    {"lgamma", [](double x) { return std::lgamma(x); }},
}};

const NumericFunction* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &NumericFunction::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

double combined(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  return op == "/" ? a / b : std::pow(a, b);
}

std::string inside(const Arithmetic& a, int least) {
  return a.strength < least ? "(" + a.stan + ")" : a.stan;
}

// Vectors are combined element by element.
std::string stan_operator(const std::string& op, const Arithmetic& a, const Arithmetic& b) {
  const bool both = a.is_vector && b.is_vector;
  if (op == "*") return both ? " .* " : " * ";
  if (op == "/") return b.is_vector ? " ./ " : " / ";
  if (op == "^") return a.is_vector || b.is_vector ? " .^ " : "^";
  return " " + op + " ";
}

Arithmetic operation(const Expression& e, Frame& frame, const VectorNames& vectors) {
  const Arithmetic a = arithmetic_of(e.parts[0], frame, vectors);
  if (e.parts.size() == 1) {
    Arithmetic result = a;
    if (e.word == "-") {
      for (double& x : result.values) x = -x;
      result.stan = "-" + inside(a, kSign);
      result.strength = kSign;
    }
    return result;
  }
  const Arithmetic b = arithmetic_of(e.parts[1], frame, vectors);
  Arithmetic result{.is_vector = a.is_vector || b.is_vector, .values = {}, .stan = {}};
  const std::size_t n = std::max(a.values.size(), b.values.size());
  for (std::size_t k = 0; k < n; ++k)
    result.values.push_back(
        combined(e.word, a.values[a.is_vector ? k : 0], b.values[b.is_vector ? k : 0]));
  if (!result.is_vector) {  // whole numbers would be divided as such in a program
    result.stan = io::number_text(result.values[0]);
    result.strength = result.values[0] < 0.0 ? kSign : kAtom;
    return result;
  }
  const bool is_sum = e.word == "+" || e.word == "-";
  result.strength = is_sum ? kSum : e.word == "^" ? kPower : kProduct;
  // The right operand of - and / needs parentheses where it is as strong, both of a power always where they are operations.
  const int left = e.word == "^" ? kAtom : result.strength;
  const int right = e.word == "^" ? kAtom : result.strength + (e.word == "+" ? 0 : 1);
  result.stan = inside(a, left) + stan_operator(e.word, a, b) + inside(b, right);
  return result;
}

// lag(x, k, time = t, gr = g): the number of rows, and the arguments that are there.
std::optional<Lag> read_lag(const Expression& e, Frame& frame) {
  Lag lag;
  std::size_t unnamed = 0;
  for (std::size_t a = 0; a < e.parts.size(); ++a) {
    const std::string& label = e.labels[a];
    if (label == "time" || label == "gr" || (label.empty() && unnamed++ == 0)) continue;
    const auto k = io::parse_number(e.parts[a].word);
    const bool is_k = label == "k" || (label.empty() && unnamed == 2);
    if (!is_k || e.parts[a].kind != Kind::number || !k || *k != std::floor(*k) || *k < 1.0 ||
        *k > 1e6) {
      frame.faults().add(e.parts[a].place, fmt::format("{}() has other arguments", e.word),
                         fmt::format("{0}(x), {0}(x, 2), {0}(x, time = t, gr = g)", e.word));
      return std::nullopt;
    }
    lag.k = static_cast<Index>(*k);
  }
  const auto order = use_order(e, frame);
  if (!order) return std::nullopt;
  lag.order = *order;
  return lag;
}

bool use_lag(const Expression& e, Frame& frame) {
  if (!frame.allows_lags()) {
    frame.faults().add(e.place, fmt::format("{}() isn't there in this command", e.word),
                       "add a column with these numbers to the table");
    return false;
  }
  const auto lag = read_lag(e, frame);
  if (!lag || !use_columns(e.parts[0], frame)) return false;
  for (const Lag& known : frame.lags())
    if (known.order == lag->order && known.k == lag->k) return true;
  frame.lags().push_back(*lag);
  return true;
}

Arithmetic lagged(const Expression& e, Frame& frame) {
  const Lag read = *read_lag(e, frame);
  const Lag& lag = *std::ranges::find_if(frame.lags(), [&](const Lag& known) {
    return known.order == read.order && known.k == read.k;
  });
  const Arithmetic x = arithmetic_of(e.parts[0], frame);
  if (!x.is_vector) return x;
  Arithmetic made{.is_vector = true, .values = x.values, .stan = {}};
  for (std::size_t n = 0; n < x.values.size(); ++n)
    if (lag.rows[n] >= 0) made.values[n] = x.values[static_cast<std::size_t>(lag.rows[n])];
  made.stan = fmt::format("earlier_values({}, {})", x.stan, lag.name);
  if (e.word == "lag") return made;
  for (std::size_t n = 0; n < x.values.size(); ++n) made.values[n] = x.values[n] - made.values[n];
  made.stan = fmt::format("{} - {}", inside(x, kSum), made.stan);
  made.strength = kSum;
  return made;
}

bool is_arithmetic(const std::string& op) {
  return op == "+" || op == "-" || op == "*" || op == "/" || op == "^";
}
}  // namespace

bool is_numeric_function(std::string_view name) { return find_function(name) != nullptr; }

std::vector<std::string> numeric_function_names() {
  std::vector<std::string> names;
  for (const NumericFunction& function : kFunctions) names.emplace_back(function.name);
  return names;
}

bool use_columns(const Expression& e, Frame& frame, const VectorNames& vectors) {
  switch (e.kind) {
    case Kind::number:
      return true;
    case Kind::text:
      frame.faults().add(e.place, "a text is no number");
      return false;
    case Kind::name:
      return vectors.contains(e.word) || frame.use(e, ColumnRole::number).has_value();
    case Kind::call:
      if (is_lag_call(e) && !e.parts.empty()) return use_lag(e, frame);
      if (e.parts.size() == 1 && (e.word == "I" || is_numeric_function(e.word)))
        return use_columns(e.parts[0], frame, vectors);
      frame.faults().add(e.place, fmt::format("{}() isn't there within arithmetic", e.text()),
                         fmt::format("functions of numbers with one argument are {}",
                                     fmt::join(numeric_function_names(), ", ")));
      return false;
    case Kind::operation:
      break;
  }
  if (!is_arithmetic(e.word)) {
    frame.faults().add(e.place, fmt::format("'{}' is no arithmetic", e.word),
                       "arithmetic has +, -, *, / and ^");
    return false;
  }
  bool is_right = true;
  for (const Expression& part : e.parts) is_right = use_columns(part, frame, vectors) && is_right;
  return is_right;
}

Arithmetic arithmetic_of(const Expression& e, Frame& frame, const VectorNames& vectors) {
  if (e.kind == Kind::number) {
    const double value = io::parse_number(e.word).value_or(kNaN);
    return {.values = {value}, .stan = e.word};
  }
  if (const auto own = vectors.find(e.word); e.kind == Kind::name && own != vectors.end())
    return {.is_vector = true,
            .values = std::vector<double>(static_cast<std::size_t>(frame.num_rows()), kNaN),
            .stan = own->second};
  if (e.kind == Kind::name) {
    const std::string name = frame.use(e, ColumnRole::number)->name;
    return {.is_vector = true, .values = frame.numbers(name), .stan = name};
  }
  if (e.kind == Kind::operation) return operation(e, frame, vectors);
  if (is_lag_call(e)) return lagged(e, frame);
  Arithmetic inner = arithmetic_of(e.parts[0], frame, vectors);
  if (e.word == "I") return inner;
  const NumericFunction& function = *find_function(e.word);
  for (double& x : inner.values) x = function.value(x);
  inner.stan =
      fmt::format("{}({})", function.stan.empty() ? function.name : function.stan, inner.stan);
  inner.strength = kAtom;
  return inner;
}

}  // namespace credo::models
