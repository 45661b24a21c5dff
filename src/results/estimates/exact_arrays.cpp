// The arrays of exact inference; their layout is stated in results/estimates/exact_run.hpp.
#include "results/estimates/exact_run.hpp"

namespace credo::results {
namespace {

class ExactArrays {
 public:
  explicit ExactArrays(const ExactRun& run) : run_(run) {}

  ArrayList all() {
    add_attributes();
    add_marginals();
    add_parameters();
    if (run_.of_fit) return std::move(answer_);
    add_joints("pairs", run_.pairs);
    add_joints("joints", run_.joints);
    add_draws();
    if (!run_.most_probable.empty()) add_values("most_probable", {}, {&run_.most_probable, 1});
    if (!run_.draws.empty())
      add_values("posterior", {{"chain", 1}, {"draw", ssize(run_.draws)}}, run_.draws);
    return std::move(answer_);
  }

 private:
  using Table = std::vector<std::vector<double>>;

  void add_attributes() {
    answer_.set("program", run_.program, kHidden);
    answer_.set("method", run_.method);
    answer_.set("width", run_.width);
    answer_.set("", static_cast<Index>(run_.largest_table), "largest_table");
    answer_.set("num_entries", static_cast<Index>(run_.num_entries));
    if (run_.of_fit)
      return answer_.set("", run_.of_fit->num_draws * run_.of_fit->num_chains, "num_draws");
    answer_.set("", run_.sum_is, "sum_is");
    answer_.set("log_sum", run_.log_sum);
    answer_.set("log_given", run_.log_given, {}, Missing::null);
    if (run_.most_probable.empty()) return;
    answer_.set("log_most_probable", run_.log_most_probable, "most_probable.log_density");
    answer_.set("", std::exp(run_.log_most_probable - run_.log_sum), "most_probable.probability");
  }

  // By parameter, in JSON alone; the file has the arrays of each variable.
  void add_parameters() {
    auto group =
        answer_.add_group("parameters", {{"parameter", ssize(run_.marginals)}}, {.only = true});
    group.add_labels("parameter", titles(), "name")
        .add_column({.name = "lower"}, run_.names.lower, std::identity());
    if (!run_.of_fit && !run_.most_probable.empty())
      group.add_column({.name = "most_probable"}, run_.most_probable, std::identity());
    if (!run_.of_fit)
      group.add_column({.name = "given"}, run_.names.given,
                       [](std::int32_t value) { return value >= 0; });
    if (!run_.names.states.empty()) {
      answer_.add_lists("parameters", "states", elements_within(run_.names.states, std::identity()),
                        true);
      if (!run_.most_probable.empty())
        group.add_column({.name = "most_probable_state"}, most_probable_states(), std::identity());
    }
    const auto add = [&](const char* key, const Table& table) {
      answer_.add_lists("parameters", key, elements_within(table, std::identity()), true);
    };
    add("probabilities", run_.marginals);
    if (!run_.of_fit) return;
    add("errors", run_.of_fit->errors);
    add("frequencies", run_.of_fit->frequencies);
    add("frequency_errors", run_.of_fit->frequency_errors);
  }

  std::vector<std::string> titles() const {
    return run_.names.titles.empty() ? run_.names.layout.element_names() : run_.names.titles;
  }
  std::vector<std::string> most_probable_states() const {
    std::vector<std::string> states;
    for (std::size_t m = 0; m < run_.most_probable.size(); ++m)
      states.push_back(run_.names.state(m, run_.most_probable[m] - run_.names.lower[m]));
    return states;
  }

  // Joint probabilities.
  void add_joints(const std::string& name, std::span<const JointDistribution> all) {
    const auto element_names = [&](const JointDistribution& joint) {
      std::vector<std::string> names;
      for (const std::int32_t m : joint.parameters)
        names.push_back(run_.names.title(static_cast<std::size_t>(m)));
      return names;
    };
    answer_.add_rows(name, all, {.only = true});
    answer_.add_lists(name, "names", elements_within(all, element_names), true);
    answer_.add_lists(name, "probabilities",
                      elements_within(all, &JointDistribution::probabilities), true);
  }

  void add_draws() {
    std::vector<double> all;
    for (const std::vector<std::int32_t>& draw : run_.draws)
      all.insert(all.end(), draw.begin(), draw.end());
    answer_
        .add_group("draws", {{"draw", ssize(run_.draws)}, {"parameter", ssize(run_.marginals)}},
                   {.shape = Shape::values, .only = true})
        .add({.name = "value", .dims = {"draw", "parameter"}, .kind = density::Kind::whole},
             std::move(all));
  }

  // The places of a variable's elements among all, the last index fastest as arrays have them.
  std::vector<std::size_t> elements_of(std::size_t v) const {
    const density::Variable& variable = variables()[v];
    const Index first = run_.names.layout.first(static_cast<Index>(v));
    std::vector<std::size_t> places;
    for (Index n = 0; n < variable.size(); ++n) {
      Index rest = n, place = 0;  // digits of n, the last dimension's first
      for (std::size_t d = variable.dims.size(); d-- > 0;) {
        Index stride = 1;
        for (std::size_t e = 0; e < d; ++e) stride *= variable.dims[e];
        place += rest % variable.dims[d] * stride;
        rest /= variable.dims[d];
      }
      places.push_back(static_cast<std::size_t>(first + place));
    }
    return places;
  }

  std::vector<Dimension> dimensions_of(std::size_t v) const {
    std::vector<Dimension> dims;
    for (const Index size : variables()[v].dims)
      dims.push_back({variables()[v].name + "_dim_" + std::to_string(dims.size()), size});
    return dims;
  }

  // Smallest and largest value that an element of the variable can have.
  std::pair<std::int32_t, std::int32_t> range_of(std::span<const std::size_t> elements) const {
    std::int32_t lower = run_.names.lower[elements[0]], upper = run_.names.upper[elements[0]];
    for (const std::size_t m : elements)
      lower = std::min(lower, run_.names.lower[m]), upper = std::max(upper, run_.names.upper[m]);
    return {lower, upper};
  }

  void add_marginals() {
    std::vector<Dimension> all;
    for (std::size_t v = 0; v < variables().size(); ++v) {
      if (elements_of(v).empty()) continue;
      const auto [lower, upper] = range_of(elements_of(v));
      std::ranges::copy(dimensions_of(v), std::back_inserter(all));
      all.push_back({variables()[v].name + "_value", upper - lower + 1});
    }
    auto group = answer_.add_group("marginals", all, {.key = kHidden});
    for (std::size_t v = 0; v < variables().size(); ++v)
      if (!elements_of(v).empty()) add_marginals_of(v, group);
  }

  void add_marginals_of(std::size_t v, ArrayList::Builder& group) {
    const std::string& name = variables()[v].name;
    const std::vector<std::size_t> elements = elements_of(v);
    const auto [lower, upper] = range_of(elements);
    std::vector<std::string> dims;
    for (const Dimension& d : dimensions_of(v)) dims.push_back(d.name);
    dims.push_back(name + "_value");
    if (run_.names.states.empty())
      group.add_numbers(dims.back(), lower);
    else  // each variable is a node
      group.add_labels(dims.back(), run_.names.states[elements[0]]);
    const auto put = [&, lower = lower, upper = upper](const std::string& suffix,
                                                       const Table& table) {
      std::vector<double> all;  // values that an element can't have: probability 0
      for (const std::size_t m : elements)
        for (std::int32_t k = lower; k <= upper; ++k)
          all.push_back(k < run_.names.lower[m] || k > run_.names.upper[m]
                            ? 0.0
                            : table[m][static_cast<std::size_t>(k - run_.names.lower[m])]);
      group.add({.name = name + suffix, .dims = dims}, std::move(all));
    };
    put("", run_.marginals);
    if (!run_.of_fit) return;
    put("_error", run_.of_fit->errors);
    put("_frequency", run_.of_fit->frequencies);
    put("_frequency_error", run_.of_fit->frequency_errors);
  }

  // Values of all variables, a row for each place in `dims`.
  void add_values(const std::string& name, const std::vector<Dimension>& dims,
                  std::span<const std::vector<std::int32_t>> rows) {
    std::vector<Dimension> all = dims;
    for (std::size_t v = 0; v < variables().size(); ++v)
      std::ranges::copy(dimensions_of(v), std::back_inserter(all));
    auto group = answer_.add_group(name, all, {.key = kHidden});
    for (std::size_t v = 0; v < variables().size(); ++v) {
      const std::vector<std::size_t> elements = elements_of(v);
      std::vector<std::string> own;
      for (const Dimension& d : dims) own.push_back(d.name);
      for (const Dimension& d : dimensions_of(v)) own.push_back(d.name);
      std::vector<double> values;
      for (const std::vector<std::int32_t>& row : rows)
        for (const std::size_t m : elements) values.push_back(row[m]);
      if (!elements.empty())
        group.add({.name = variables()[v].name, .dims = own, .kind = density::Kind::whole},
                  std::move(values));
    }
  }

  const std::vector<density::Variable>& variables() const { return run_.names.layout.variables(); }

  const ExactRun& run_;
  ArrayList answer_{"exact"};
};
}  // namespace

ArrayList arrays_of(const ExactRun& run) { return ExactArrays(run).all(); }

}  // namespace credo::results
