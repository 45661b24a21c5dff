// Every built-in function that is implemented, against ../shared/reference/functions: values,
// gradients and errors of calls as the machine makes them. Tolerances are those of the README
// there, with its exceptions.
#include <fstream>
#include <iostream>
#include <set>

#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/typed/signatures.hpp"
#include "model/reference_call.hpp"

namespace credo::lang::reference_functions_test {
namespace {
using testing::Json;

struct Outcome {
  bool failed = false;
  std::string why;
  std::vector<double> value;                   // in text order
  std::vector<std::vector<double>> gradients;  // per argument in text order; empty: none
  double log_jacobian = 0.0;                   // what was added to the target
  std::vector<std::vector<double>> jacobian_gradients = {};
  std::map<std::size_t, std::vector<std::vector<double>>> parts = {};  // gradients of a tuple's
};

double weight(std::size_t k) { return (double((7 * k + 3) % 11) - 4.5) / 4.0; }

class Evaluation {
 public:
  Evaluation(std::string_view name, std::vector<Argument> arguments)
      : name_(name),
        arguments_(std::move(arguments)),
        program_(program_of(arguments_)),
        machine_(program_, {}) {}

  Outcome run() {
    const auto match = resolve(name_, arguments_, program_);
    if (!match) return {true, "no signature", {}, {}};
    std::vector<double> point;
    for (std::size_t k = 0; k < arguments_.size(); ++k)
      list_leaves(arguments_[k], k, match->arguments[k], match->data_only[k], point);
    const graph::NodeId input = graph_.add_input(graph::vector_shape(std::ssize(point)));
    machine_.trace_into(graph_, input, point);
    try {
      return finish(call(input, *match), input, point);
    } catch (const Rejection& r) {
      return {true, message(r.failure, r.value), {}, {}};
    } catch (const Error& e) {
      return {true, e.what(), {}, {}};
    } catch (const graph::NotDifferentiable& e) {
      return {true, "not differentiable: " + std::string(e.op), {}, {}};
    }
  }

 private:
  // An argument, or a part of a tuple; free ones are parameters.
  struct Leaf {
    const Argument* argument;
    std::size_t of;
    bool is_free;
    std::size_t begin;
  };

  void list_leaves(const Argument& a, std::size_t of, const UnsizedType& type, bool data_only,
                   std::vector<double>& point) {
    for (std::size_t j = 0; j < a.parts.size(); ++j)
      list_leaves(a.parts[j], of, type.elements[j], data_only, point);
    if (!a.parts.empty()) return;
    const bool is_free = !is_int_based(type) && !a.is_data && !data_only &&
                         a.base != BaseType::integer && a.base != BaseType::function &&
                         !a.values.empty();
    leaves_.push_back({&a, of, is_free, point.size()});
    if (is_free) point.insert(point.end(), a.values.begin(), a.values.end());
  }

  // Takes the leaves in their order.
  Value value_of(const Argument& a, const UnsizedType& type, const Expr& all, std::size_t& leaf) {
    if (!a.parts.empty()) {
      auto tuple = std::make_shared<TupleValue>();
      for (std::size_t j = 0; j < a.parts.size(); ++j)
        tuple->elements.push_back(value_of(a.parts[j], type.elements[j], all, leaf));
      return tuple;
    }
    const Leaf& here = leaves_[leaf++];
    if (a.base == BaseType::function) return {};
    if (!here.is_free) return known_value(a, is_int_based(type));
    std::vector<std::int32_t> index(a.values.size());
    std::iota(index.begin(), index.end(), static_cast<std::int32_t>(here.begin));
    return from_expr(graph::gather(shape_of(a.base, a.dims), all, std::move(index)), a.base,
                     a.dims);
  }

  Value call(graph::NodeId input, const Match& match) {
    std::vector<Value> values;
    const Expr all(graph_, {input, -1});
    std::size_t leaf = 0;
    typed_call_.function.name = name_;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      values.push_back(value_of(arguments_[k], match.arguments[k], all, leaf));
      typed_call_.arguments.emplace_back();
      typed_call_.arguments.back().autodiff.always = std::any_of(
          leaves_.begin(), leaves_.end(), [&](const Leaf& l) { return l.of == k && l.is_free; });
      if (arguments_[k].base == BaseType::function)
        typed_call_.arguments.back().node = function_name(match.passed[k]);
    }
    return builtin_function(name_)({machine_, typed_call_, name_, values});
  }

  typed::FunctionName function_name(int user) const {
    typed::FunctionName name;
    name.function.user = user;
    name.function.name = program_.functions[static_cast<std::size_t>(user)].name;
    return name;
  }

  // In the order of the record's text; of a tuple one part after the other.
  void append_elements(const Value& result, std::vector<Expr>& elements) {
    if (result.is_tuple()) {
      for (const Value& part : result.tuple()->elements) append_elements(part, elements);
      return;
    }
    for (const std::size_t place : storage_places(base_of(result), dims_of(result)))
      elements.push_back(to_expr(scalar_of(result, static_cast<Index>(place)), &graph_));
  }

  Outcome finish(const Value& result, graph::NodeId input, const std::vector<double>& point) {
    std::vector<Expr> elements;
    append_elements(result, elements);
    Expr s = 0.0;
    const bool scalar = !result.is_tuple() && dims_of(result).count == 0;
    for (std::size_t i = 0; i < elements.size(); ++i)
      s = s + (scalar ? elements[i] : weight(i) * elements[i]);
    const bool is_integer = result.is_int() || result.is_ints();
    std::vector<Expr> outputs = elements;
    if (!is_integer) outputs.push_back(graph::gradient(graph_, s, std::array{input})[0]);
    const std::size_t jacobian_at = outputs.size();
    const Expr jacobian = machine_.target();
    outputs.push_back(jacobian);
    outputs.push_back(graph::gradient(graph_, jacobian, std::array{input})[0]);
    const graph::Program program(graph_, input, outputs);
    graph::Workspace workspace(program, 1);
    workspace.set_input(0, point);
    workspace.run();
    if (workspace.status(0).check != 0) {
      const auto& failure =
          machine_.failures[static_cast<std::size_t>(workspace.status(0).check - 1)];
      return {true, message(failure, workspace.status(0).value), {}, {}};
    }
    Outcome outcome;
    for (std::size_t i = 0; i < elements.size(); ++i)
      outcome.value.push_back(workspace.output(i, 0, 0));
    outcome.log_jacobian = workspace.output(jacobian_at, 0, 0);
    outcome.gradients.resize(arguments_.size());
    outcome.jacobian_gradients.resize(arguments_.size());
    for (const Leaf& leaf : leaves_) {
      std::vector<double> gradient, of_jacobian;
      for (const std::size_t place : leaf.argument->text_order) {
        if (!leaf.is_free || is_integer) break;
        const auto at = static_cast<Index>(leaf.begin + place);
        gradient.push_back(workspace.output(elements.size(), at, 0));
        of_jacobian.push_back(workspace.output(jacobian_at + 1, at, 0));
      }
      if (arguments_[leaf.of].base == BaseType::tuple) {
        outcome.parts[leaf.of].push_back(std::move(gradient));
        continue;
      }
      outcome.gradients[leaf.of] = std::move(gradient);
      outcome.jacobian_gradients[leaf.of] = std::move(of_jacobian);
    }
    return outcome;
  }

  std::string_view name_;
  std::vector<Argument> arguments_;
  typed::Program program_;
  Machine machine_;
  graph::Graph graph_;
  typed::Call typed_call_;
  std::vector<Leaf> leaves_;
};

// ---- judging

double largest(std::span<const double> values) {
  double scale = 0.0;
  for (const double v : values) {
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  }
  return scale;
}

struct Tolerance {
  double value = 1e-10, gradient = 1e-8, absolute = 1e-300;
  double gradient_floor = 0.0;  // absolute, where weighted gradients cancel
};

bool close(double found, double expected, double allowed) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= allowed;
}

// The exceptions of the README, by name and regime.
Tolerance tolerance_for(const std::string& name, const Json& record) {
  Tolerance t;
  if (const Json* own = record.find("tolerance")) t.value = t.gradient = own->value();
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  static const std::set<std::string> near_zero{"determinant",  "log_determinant",
                                               "log_diff_exp", "log1m_exp",
                                               "lgamma",       "log_determinant_spd"};
  if (near_zero.contains(name)) t.absolute = 1e-14;
  if (ends("_constrain") || ends("_jacobian")) t.gradient_floor = 1e-15;
  if (ends("cdf")) {
    t.gradient = std::max(t.gradient, 1e-7);  // shape derivatives of incomplete functions
    const double v =
        record.at("value").kind == Json::Kind::array ? 0.0 : record.at("value").value();
    if ((ends("_lcdf") || ends("_lccdf")) && v > -1e-10) t.value = t.gradient = 1e-6;
  }
  return t;
}

// Of X_jacobian: what it adds to the target, and its gradient.
std::string judge_jacobian(const Json& record, const Outcome& outcome, const Tolerance& t) {
  const Json* expected = record.find("log_jacobian");
  if (expected == nullptr) return "";
  const double scale = std::max(1.0, std::abs(expected->value()));
  if (!close(outcome.log_jacobian, expected->value(), t.value * scale))
    return "log Jacobian: " + std::to_string(outcome.log_jacobian);
  const Json& grad = record.at("log_jacobian_grad");
  for (std::size_t k = 0; k < grad.items.size() && k < outcome.jacobian_gradients.size(); ++k) {
    std::vector<double> wanted;
    grad.items[k].flatten(wanted);
    const std::vector<double>& found = outcome.jacobian_gradients[k];
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!close(found[i], wanted[i], t.gradient * std::max(1.0, largest(wanted))))
        return "log Jacobian's gradient of argument " + std::to_string(k);
    }
  }
  return "";
}

// Of a tuple: each part that has a gradient.
std::string judge_parts(const Json& grad, const std::vector<std::vector<double>>& parts,
                        const Tolerance& t) {
  for (std::size_t j = 0; j < parts.size() && j < grad.items.size(); ++j) {
    if (grad.items[j].is_null() || parts[j].empty()) continue;
    std::vector<double> wanted;
    grad.items[j].flatten(wanted);
    const double allowed = t.gradient * largest(wanted) + t.absolute;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!close(parts[j][i], wanted[i], allowed))
        return "gradient of part " + std::to_string(j) +
               " of a tuple: " + ::testing::PrintToString(parts[j][i]) + " for " +
               ::testing::PrintToString(wanted[i]);
    }
  }
  return "";
}

std::string judge(const std::string& name, const Json& record, const Outcome& outcome) {
  const bool must_fail = record.find("error") != nullptr;
  if (must_fail) return outcome.failed ? "" : "should be an error, gave a value";
  if (outcome.failed) return "failed: " + outcome.why;
  const Tolerance t = tolerance_for(name, record);
  std::vector<double> expected;
  record.at("value").flatten(expected);
  if (expected.size() != outcome.value.size()) return "another number of values";
  const double scale = largest(expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!close(outcome.value[i], expected[i], t.value * scale + t.absolute)) {
      return "value " + std::to_string(i) + ": " + ::testing::PrintToString(outcome.value[i]) +
             " for " + ::testing::PrintToString(expected[i]);
    }
  }
  if (const std::string wrong = judge_jacobian(record, outcome, t); !wrong.empty()) return wrong;
  const Json* grad = record.find("grad");
  if (grad == nullptr || grad->is_null()) return "";
  for (const auto& [k, parts] : outcome.parts) {
    if (const std::string wrong = judge_parts(grad->items[k], parts, t); !wrong.empty())
      return wrong;
  }
  for (std::size_t k = 0; k < grad->items.size(); ++k) {
    if (grad->items[k].is_null() || outcome.gradients.size() <= k || outcome.gradients[k].empty())
      continue;
    std::vector<double> wanted, found = outcome.gradients[k];
    grad->items[k].flatten(wanted);
    const auto listed = [&](const char* key) {
      const Json* list = record.find(key);
      return list != nullptr && std::any_of(list->items.begin(), list->items.end(),
                                            [&](const Json& j) { return j.number == double(k); });
    };
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(found.size()))));
    if (listed("sym")) {
      const std::vector<double> raw = found;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
          found[i * n + j] = 0.5 * (raw[i * n + j] + raw[j * n + i]);
      }
    }
    if (wanted.size() != found.size()) return "another number of derivatives";
    const double size = largest(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (listed("tril") && n * n == found.size() && i % n > i / n) continue;
      if (!close(found[i], wanted[i], t.gradient * size + t.absolute + t.gradient_floor)) {
        return "gradient of argument " + std::to_string(k) + " [" + std::to_string(i) +
               "]: " + ::testing::PrintToString(found[i]) + " for " +
               ::testing::PrintToString(wanted[i]);
      }
    }
  }
  return "";
}

constexpr std::string_view kFiles[] = {"scalar_unary",
                                       "scalar_binary",
                                       "continuous_univariate",
                                       "continuous_cdf",
                                       "discrete_univariate",
                                       "discrete_cdf",
                                       "categorical_ordered",
                                       "glm",
                                       "multivariate",
                                       "linear_algebra",
                                       "reductions",
                                       "gaussian_process",
                                       "structure",
                                       "constants",
                                       "decompositions",
                                       "parallel",
                                       "constraints",
                                       "algebra",
                                       "hmm",
                                       "laplace",
                                       "ode",
                                       "quadrature",
                                       "sparse"};

// Records where we differ, with the reason (docs/design/reference_values.md). Each is found by its
// function and a part of its text, so that another record of the function still counts.
struct Explained {
  std::string_view name, part, reason;
};
constexpr std::string_view kNegativeOutcome = "\"args\": [{\"type\": \"real\", \"value\": -";
constexpr std::string_view kNoBound = "an infinite bound counts as none: its derivative is 0";
constexpr Explained kExplained[] = {
    {"lgamma", "-1.0}", "the language facts (17.5) say +infinity at the poles"},
    {"log1m", "\"value\": 1.0}",
     "the left derivative of log(1 - x) at 1 is -infinity; the record has +infinity"},
    {"log1m_exp", "\"value\": 0.0}", "the limit of log(1 - exp(x)) for x -> 0 is -infinity"},
    {"trigamma", "\"value\": 0.0}", "the derivative at the pole is -infinity; the record has 0"},
    {"lmultiply", "\"value\": 0.0}, {\"type\": \"real\", \"value\": 0.0}",
     "a / b at (0, 0) has no limit"},
    {"poisson_lpmf", "\"Infinity\"}", "an infinite rate is refused, as by language facts 17.3"},
    {"normal_lcdf", "\"-Infinity\"}",
     "derivative at an infinite outcome: 0 instead of a one-sided limit"},
    {"normal_lccdf", "\"Infinity\"}",
     "derivative at an infinite outcome: 0 instead of a one-sided limit"},
    {"std_normal_cdf", "Infinity\"}", "derivative at an infinite outcome: 0 instead of NaN"},
    {"std_normal_lcdf", "Infinity\"}", "derivative at an infinite outcome: 0 instead of NaN"},
    {"std_normal_lccdf", "Infinity\"}", "derivative at an infinite outcome: 0 instead of NaN"},
    {"double_exponential_lcdf", "\"-Infinity\"}",
     "derivative at an infinite outcome: 0 instead of a one-sided limit"},
    {"double_exponential_lccdf", "\"Infinity\"}",
     "derivative at an infinite outcome: 0 instead of a one-sided limit"},
    {"skew_double_exponential_cdf", "Infinity\"}",
     "derivative at an infinite outcome: 0 instead of NaN"},
    {"skew_double_exponential_lcdf", "Infinity\"}",
     "derivative at an infinite outcome: 0 instead of NaN"},
    {"skew_double_exponential_lccdf", "Infinity\"}",
     "derivative at an infinite outcome: 0 instead of NaN"},
    {"von_mises_lpdf", "1000.0}", "a concentration of 1000 has a density"},
    {"pareto_type_2_cdf", kNegativeOutcome, "the support begins at the location, below 0 here"},
    {"pareto_type_2_lcdf", kNegativeOutcome, "the support begins at the location, below 0 here"},
    {"pareto_type_2_lccdf", kNegativeOutcome, "the support begins at the location, below 0 here"},
    {"beta_binomial_lccdf", "[4, 0, 7]", "one outcome is the largest possible: -infinity"},
    {"std_normal_log_qf", "-0.6931471805599453}", "3e-17, the rounding of log 1/2, is taken for 0"},
    {"gamma_q", "500.0}], \"value\": 1.0", "the record rounds a derivative of 2e-86 to 0"},
    {"gamma_p", "2000.0}], \"value\": 1.0", "the record rounds a derivative of 5e-136 to 0"},
    {"gumbel_lcdf", "\"-Infinity\"}",
     "derivative at an infinite outcome: 0 instead of a one-sided limit"},
    {"log_determinant", "[[1.0, 2.0], [2.0, 4.0]]",
     "at a singular matrix the value is -infinity and the derivative isn't finite"},
    {"qr_thin_Q", "117.516133033682", "an ill-conditioned matrix: rounding times its condition"},
    {"lower_bound_unconstrain", "\"-Infinity\"", kNoBound},
    {"upper_bound_unconstrain", "\"Infinity\"", kNoBound},
    {"lower_upper_bound_unconstrain", "Infinity\"", kNoBound},
    {"student_t_qf", "\"NaN\"", "the derivative at the median is that of any other point"},
    {"gp_matern32_cov", "0.033750012402961854",
     "the record rounds a derivative of 1e-65 to 0, beside others that are 0"},
};
bool is_explained(const std::string& name, const std::string& line) {
  return std::any_of(std::begin(kExplained), std::end(kExplained), [&](const Explained& e) {
    return e.name == name && line.find(e.part) != std::string::npos;
  });
}

TEST(reference_functions, all_that_are_implemented_agree) {
  const std::string folder = std::string(CREDO_REFERENCE_DIR) + "/functions/";
  if (!std::ifstream(folder + "README.md")) GTEST_SKIP() << "NO REFERENCE VALUES at " << folder;
  int judged = 0, passed = 0, explained = 0, shown = 0;
  std::map<std::string, int> failures;
  std::set<std::string> functions;
  for (const std::string_view file : kFiles) {
    std::ifstream in(folder + std::string(file) + ".jsonl");
    for (std::string line; std::getline(in, line);) {
      const Json record = testing::parse_json(line);
      const std::string name = record.at("f").text;
      if (!is_implemented(name) || record.find("up_to") != nullptr) continue;
      std::vector<Argument> arguments;
      bool supported = record.find("value") == nullptr || !record.at("value").is_null();
      for (const Json& argument : record.at("args").items) {
        auto parsed = parse_argument(argument);
        if (!parsed) supported = false;
        if (parsed) arguments.push_back(std::move(*parsed));
      }
      if (!supported || !resolve(name, arguments))
        continue;  // complex numbers, tuples; calls the language lacks
      ++judged;
      functions.insert(name);
      const std::string wrong =
          judge(name, record, Evaluation(record.at("f").text, arguments).run());
      if (wrong.empty()) {
        ++passed;
        continue;
      }
      if (is_explained(name, line)) {
        ++explained;
        continue;
      }
      ++failures[name];
      if (++shown <= 60) ADD_FAILURE() << name << ": " << wrong << "\n  " << line.substr(0, 600);
    }
  }
  std::cout << passed << " of " << judged << " records of " << functions.size()
            << " functions agree, " << explained << " differ for a stated reason\n";
  for (const auto& [name, count] : failures)
    std::cout << "  " << name << ": " << count << " differ\n";
  EXPECT_EQ(passed + explained, judged);
  EXPECT_LE(explained, 56);
  EXPECT_GT(judged, 1000);
}

// Power: the judge rejects a value that is off by 1e-9 and a gradient of the wrong sign.
TEST(reference_functions, the_judge_rejects_mutants) {
  const Json record =
      testing::parse_json(R"({"f": "exp", "args": [], "value": 1.0, "grad": [1.0]})");
  EXPECT_EQ(judge("exp", record, {false, "", {1.0}, {{1.0}}}), "");
  EXPECT_NE(judge("exp", record, {false, "", {1.0 + 1e-9}, {{1.0}}}), "");
  EXPECT_NE(judge("exp", record, {false, "", {1.0}, {{-1.0}}}), "");
}

}  // namespace
}  // namespace credo::lang::reference_functions_test
