// Mixtures of families: each row belongs to one of the components, which one isn't known. The density is a function of the program,
// the sum over the components; the row is made for them.
#include <fmt/format.h>

#include <deque>

#include "base/nearest_name.hpp"
#include "models/regression/families/column_parts.hpp"
#include "models/regression/program_parts.hpp"

namespace credo::models {
namespace {
struct Mixture {
  FamilyRow row;
  std::vector<const FamilyRow*> components;
  std::deque<std::string> texts;  // strings behind the views of the row

  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
  std::size_t size() const { return components.size(); }
  bool has_two() const { return size() == 2; }
  bool is_real() const { return components[0]->role == ColumnRole::number; }

  // Texts of component k, whose parameters have its number behind their names.
  FamilyText text_of(std::size_t k, const FamilyText& t) const {
    FamilyText own{.outcome = t.outcome, .eta = t.etas[k], .link = t.link};
    own.mean = inverse_link(t.link, own.eta);
    for (const FamilyParameter& p : components[k]->parameters)
      own.parameters[p.name] = t[fmt::format("{}{}", p.name, k + 1)];
    return own;
  }
  // Texts within the functions: the arguments have the names of the parameters.
  FamilyText arguments(const std::string& link) const {
    FamilyText t{.outcome = "y", .eta = {}, .link = link};
    for (std::size_t k = 0; k < size(); ++k) t.etas.push_back(fmt::format("eta{}", k + 1));
    for (const FamilyParameter& p : row.parameters) t.parameters[p.name] = p.name;
    return t;
  }
  std::string declared_arguments() const {
    std::vector<std::string> all;
    for (std::size_t k = 0; k < size(); ++k) all.push_back(fmt::format("real eta{}", k + 1));
    for (const FamilyParameter& p : row.parameters)
      all.push_back((p.name == "theta" ? "vector " : "real ") + p.name);
    return fmt::format("{}", fmt::join(all, ", "));
  }
  std::string call(const FamilyText& t, const char* name) const {
    std::vector<std::string> all = t.etas;
    for (const FamilyParameter& p : row.parameters) all.push_back(t[p.name]);
    return fmt::format("{}({})", name, fmt::join(all, ", "));
  }
  std::string functions(const std::string& link) const {
    const FamilyText t = arguments(link);
    std::string terms, draws;
    for (std::size_t k = 0; k < size(); ++k) {
      const FamilyText own = text_of(k, t);
      const std::string weight = has_two() ? (k == 0 ? "log1m(theta2)" : "log(theta2)")
                                           : fmt::format("log(theta[{}])", k + 1);
      terms += fmt::format(
          "{}{} + {}", k == 0 ? "" : ",\n                        ", weight,
          call_of(of_numbers(components[k]->distribution(own)), is_real() ? "lpdf" : "lpmf", "y"));
      draws += fmt::format("    {}return {};\n",
                           k + 1 < size() ? fmt::format("if (k == {}) ", k + 1) : "",
                           components[k]->draw(own));
    }
    const char* const type = is_real() ? "real" : "int";
    return fmt::format(
        "  real mixture_{}({} y, {}) {{\n    return log_sum_exp([{}]);\n  }}\n"
        "  {} mixture_rng({}) {{\n    int k = categorical_rng({});\n{}  }}\n",
        is_real() ? "lpdf" : "lpmf", type, declared_arguments(), terms, type, declared_arguments(),
        has_two() ? "[1 - theta2, theta2]'" : "theta", draws);
  }
  std::string expected(const FamilyText& t) const {
    std::string sum;
    for (std::size_t k = 0; k < size(); ++k) {
      const std::string weight = has_two() ? (k == 0 ? "(1 - " + t["theta2"] + ")" : t["theta2"])
                                           : fmt::format("{}[{}]", t["theta"], k + 1);
      sum += fmt::format("{}{} * ({})", k == 0 ? "" : " + ", weight,
                         components[k]->expected(text_of(k, t)));
    }
    return sum;
  }
};

FamilyParameter shares(std::size_t size, ProgramNames& names) {
  if (size == 2) {
    FamilyParameter one = share_parameter("theta2");
    one.element = names.take("theta2");
    one.declaration = "real<lower=0, upper=1> " + one.element;
    return one;
  }
  FamilyParameter all{.name = "theta",
                      .declaration = {},
                      .prior = fmt::format("dirichlet(rep_vector(1, {}))", size),
                      .brms = fmt::format("dirichlet(rep_vector(1, {}))", size),
                      .rstanarm = {},
                      .element = names.take("theta")};
  all.declaration = fmt::format("simplex[{}] {}", size, all.element);
  for (std::size_t k = 1; k <= size; ++k)
    all.rows.emplace_back(fmt::format("{}.{}", all.element, k), fmt::format("theta{}", k));
  return all;
}

void add_parameters(Mixture& made, ProgramNames& names) {
  for (std::size_t k = 0; k < made.size(); ++k)
    for (FamilyParameter p : made.components[k]->parameters) {
      const std::string plain = p.name;
      p.name += std::to_string(k + 1);
      p.element = names.take(p.name);
      p.declaration.replace(p.declaration.rfind(plain), plain.size(), p.element);
      made.row.parameters.push_back(std::move(p));
    }
  made.row.parameters.push_back(shares(made.size(), names));
}

std::string why_not_mixed(const std::vector<const FamilyRow*>& all) {
  if (all.size() < 2) return "a mixture has two components at least";
  for (const FamilyRow* row : all) {
    if (row->locations != Locations::one || row->has_categories() || row->needs_trials ||
        row->prepare != nullptr)
      return fmt::format("the family {} can't be a component of a mixture here", row->name);
    if (row->role != all[0]->role || row->scale != all[0]->scale)
      return fmt::format("{} and {} have outcomes of different kinds", all[0]->name, row->name);
    if (row->links[0] != all[0]->links[0])
      return fmt::format("{} and {} have different links", all[0]->name, row->name);
  }
  return {};
}

std::vector<const FamilyRow*> rows_of(const std::vector<std::string>& components,
                                      FormulaFaults& faults) {
  std::vector<const FamilyRow*> rows;
  for (const std::string& name : components) {
    rows.push_back(find_family(name));
    if (rows.back() != nullptr) continue;
    std::vector<std::string> names;
    for (const FamilyRow* row : family_rows()) names.emplace_back(row->name);
    faults.add_of_table("--family", fmt::format("there is no family {}", name),
                        did_you_mean(name, names));
    return {};
  }
  return rows;
}
}  // namespace

std::shared_ptr<const FamilyRow> mixture_family(const std::vector<std::string>& components,
                                                const std::string& wanted_link, ProgramNames& names,
                                                FormulaFaults& faults) {
  const std::size_t before = faults.size();
  const std::vector<const FamilyRow*> rows = rows_of(components, faults);
  if (faults.size() > before) return nullptr;
  if (const std::string fault = why_not_mixed(rows); !fault.empty()) {
    faults.add_of_table("--family", fault, "--family 'mixture(normal, student)'");
    return nullptr;
  }
  auto made = std::make_shared<Mixture>();
  made->components = rows;
  const std::string list = fmt::format("{}", fmt::join(components, ", "));
  FamilyRow& row = made->row;
  row = {.name = made->keep(fmt::format("mixture({})", list)),
         .links = {},
         .role = rows[0]->role,
         .scale = rows[0]->scale,
         .parameters = {},
         .why_not = {},
         .distribution = {},
         .draw = {},
         .expected = {},
         .words = made->keep("outcome of a mixture of " + list),
         .is_by_row = true,
         .locations = Locations::components};
  for (const std::string_view link : rows[0]->links)
    if (std::ranges::all_of(rows, [&](const FamilyRow* other) {
          return std::ranges::find(other->links, link) != other->links.end();
        }))
      row.links.push_back(link);
  row.has_equal_components =
      std::ranges::all_of(rows, [&](const FamilyRow* other) { return other == rows[0]; });
  add_parameters(*made, names);
  const Mixture* const own = made.get();
  row.why_not = [own](double value, double trials) {
    for (const FamilyRow* component : own->components)
      if (std::string reason = component->why_not(value, trials); !reason.empty()) return reason;
    return std::string();
  };
  row.distribution = [own](const FamilyText& t) { return own->call(t, "mixture"); };
  row.draw = [own](const FamilyText& t) { return own->call(t, "mixture_rng"); };
  const bool has_means = std::ranges::all_of(
      rows, [](const FamilyRow* component) { return component->expected != nullptr; });
  if (has_means) row.expected = [own](const FamilyText& t) { return own->expected(t); };
  for (const FamilyRow* component : rows)
    row.functions.insert(row.functions.end(), component->functions.begin(),
                         component->functions.end());
  const std::string link = wanted_link.empty() ? std::string(row.links[0]) : wanted_link;
  row.functions.push_back({"mixture", made->keep(made->functions(link))});
  return {made, &made->row};
}

}  // namespace credo::models
