#include "models/cluster/cluster_table.hpp"

#include <fmt/format.h>

#include "models/formula/design.hpp"
#include "models/formula/formula_rows.hpp"

namespace credo::models {
namespace {
void add_column(ClusterTable& made, const std::string& name, std::vector<double> column,
                const FormulaPlace& place, FormulaFaults& faults) {
  const auto n = static_cast<double>(column.size());
  double mean = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < column.size(); ++k) {
    if (!std::isfinite(column[k]))
      return faults.add(place, fmt::format("{} is {} in row {}", name, column[k], k + 1),
                        "leave the row out, or take another function of the column");
    mean += column[k] / n;
  }
  for (const double x : column) sum += (x - mean) * (x - mean);
  const double sd = std::sqrt(sum / (n - 1.0));
  if (!(sd > 1e-12 * std::abs(mean)))
    return faults.add(place, name + " is the same in all rows", "leave the column out");
  made.names.push_back(name);
  made.columns.push_back(std::move(column));
  made.means.push_back(mean), made.sds.push_back(sd);
}
}  // namespace

ClusterTable make_points(const std::string& columns, const io::DataRecipe& data,
                         const std::function<bool(const std::string&)>& is_usable,
                         const std::function<const std::string&(const std::string&)>& text_of,
                         FormulaFaults& faults) {
  ClusterTable made{.formula = "rows ~ " + columns};
  if (columns.find_first_of("~;") != columns.npos) {
    faults.add_of_table("", "a clustering has columns, and no outcome: " + columns,
                        "name the columns: 'eruptions + waiting'");
    return made;
  }
  const Formula formula = parse_formula(made.formula, faults);
  if (!faults.empty()) return made;
  FormulaRows rows(data, is_usable, text_of, faults);
  const TermList terms = read_terms(formula.parts[0].right, rows.frame().column_names(), faults);
  if (!terms.groups.empty() || !terms.offsets.empty())
    faults.add(formula.parts[0].right.place, "groups and offsets have no meaning here",
               "name the columns alone");
  if (!use_terms(terms, rows.frame()) || !faults.empty() || !rows.read(3)) return made;
  StanParts parts;
  const Design design = make_design(terms, rows.frame(), parts);
  for (const DesignTerm& term : design.terms) {
    if (!term.is_numeric(design.variables))
      faults.add(term.place, fmt::format("{} has texts, and groups are of numbers", term.text),
                 "leave it out: credo cluster finds groups without it");
    else
      for (std::size_t k = 0; k < term.columns.size(); ++k)
        add_column(made, term.names[k], term.columns[k], term.place, faults);
  }
  if (faults.empty() && made.names.empty())
    faults.add(formula.parts[0].right.place, "there is no column", "'eruptions + waiting'");
  made.num_rows = rows.num_rows(), made.num_dropped = rows.num_dropped();
  made.rows = rows.kept();
  for (Index n = 0; n < made.num_rows; ++n)
    for (std::size_t c = 0; c < made.columns.size(); ++c)
      made.points.push_back((made.columns[c][static_cast<std::size_t>(n)] - made.means[c]) /
                            made.sds[c]);
  return made;
}

}  // namespace credo::models
