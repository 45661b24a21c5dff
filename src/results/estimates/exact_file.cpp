// The NetCDF-4 file of exact inference; its layout is stated in results/estimates/exact_run.hpp.
#include "base/error.hpp"
#include "io/netcdf_file.hpp"
#include "results/estimates/exact_run.hpp"
#include "results/estimates/state_rows.hpp"

namespace credo::results {
namespace {
using io::NetcdfFile;

class ExactFile {
 public:
  ExactFile(NetcdfFile& file, const ExactRun& run) : file_(file), run_(run) {}

  void write() {
    write_attributes();
    write_marginals();
    if (run_.of_fit) return;
    write_most_probable();
    if (!run_.draws.empty()) write_draws();
  }

 private:
  using Table = std::vector<std::vector<double>>;

  void write_attributes() {
    const auto root = file_.root();
    file_.set(root, "program", run_.program);
    file_.set(root, "version", std::string(CREDO_VERSION));
    file_.set(root, "width", run_.width);
    file_.set(root, "num_entries", static_cast<Index>(run_.num_entries));
    if (run_.of_fit) return;
    file_.set_real(root, "log_sum", run_.log_sum);
    if (!std::isnan(run_.log_given)) file_.set_real(root, "log_given", run_.log_given);
    file_.set_real(root, "log_most_probable", run_.log_most_probable);
  }

  // The places of a variable's elements among all, the last index fastest as NetCDF has them.
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

  std::vector<std::string> dimensions_of(NetcdfFile::Group group, std::size_t v) {
    std::vector<std::string> names;
    for (const Index size : variables()[v].dims) {
      names.push_back(variables()[v].name + "_dim_" + std::to_string(names.size()));
      file_.add_dimension(group, names.back(), size);
    }
    return names;
  }

  void write_marginals() {
    const auto group = file_.add_group("marginals");
    for (std::size_t v = 0; v < variables().size(); ++v) {
      const std::string& name = variables()[v].name;
      const std::vector<std::size_t> elements = elements_of(v);
      if (elements.empty()) continue;
      std::vector<std::string> dimensions = dimensions_of(group, v);
      std::int32_t lower = run_.names.lower[elements[0]], upper = run_.names.upper[elements[0]];
      for (const std::size_t m : elements)
        lower = std::min(lower, run_.names.lower[m]), upper = std::max(upper, run_.names.upper[m]);
      dimensions.push_back(name + "_value");
      file_.add_dimension(group, dimensions.back(), upper - lower + 1);
      std::vector<double> values(static_cast<std::size_t>(upper - lower + 1));
      std::iota(values.begin(), values.end(), lower);
      file_.write(
          file_.add_variable(group, dimensions.back(),
                             {.dimensions = {dimensions.back()}, .kind = NetcdfFile::Kind::whole}),
          values);
      const auto put = [&](const std::string& suffix, const Table& table) {
        std::vector<double> all;  // values that an element can't have: probability 0
        for (const std::size_t m : elements)
          for (std::int32_t k = lower; k <= upper; ++k)
            all.push_back(k < run_.names.lower[m] || k > run_.names.upper[m]
                              ? 0.0
                              : table[m][static_cast<std::size_t>(k - run_.names.lower[m])]);
        file_.write(file_.add_variable(group, name + suffix, {.dimensions = dimensions}), all);
      };
      put("", run_.marginals);
      if (!run_.of_fit) continue;
      put("_error", run_.of_fit->errors);
      put("_frequency", run_.of_fit->frequencies);
      put("_frequency_error", run_.of_fit->frequency_errors);
    }
  }

  void write_most_probable() {
    const auto group = file_.add_group("most_probable");
    for (std::size_t v = 0; v < variables().size(); ++v)
      write_values(group, v, {}, {&run_.most_probable, 1});
  }

  void write_draws() {
    const auto group = file_.add_group("posterior");
    file_.add_dimension(group, "chain", 1);
    file_.add_dimension(group, "draw", ssize(run_.draws));
    for (std::size_t v = 0; v < variables().size(); ++v)
      write_values(group, v, {"chain", "draw"}, run_.draws);
  }

  void write_values(NetcdfFile::Group group, std::size_t v, std::vector<std::string> dimensions,
                    std::span<const std::vector<std::int32_t>> rows) {
    const std::vector<std::size_t> elements = elements_of(v);
    if (elements.empty()) return;
    const std::vector<std::string> own = dimensions_of(group, v);
    dimensions.insert(dimensions.end(), own.begin(), own.end());
    std::vector<double> all;
    for (const std::vector<std::int32_t>& row : rows)
      for (const std::size_t m : elements) all.push_back(row[m]);
    file_.write(file_.add_variable(group, variables()[v].name,
                                   {.dimensions = dimensions, .kind = NetcdfFile::Kind::whole}),
                all);
  }

  const std::vector<density::Variable>& variables() const { return run_.names.layout.variables(); }

  NetcdfFile& file_;
  const ExactRun& run_;
};
}  // namespace

void write_exact(const ExactRun& run, const FitOutput& to) {
  write_netcdf_apart(to, [&](NetcdfFile& file) { ExactFile(file, run).write(); });
}

}  // namespace credo::results
