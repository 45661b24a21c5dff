#include "lang/trace/builtins.hpp"

#include "lang/trace/density_call.hpp"
#include "lang/trace/draw_call.hpp"

namespace credo::lang {
namespace {
using Table = std::unordered_map<std::string_view, Builtin>;

const Table& rows() {
  static const Table table = [] {
    Table joined;
    for (const auto part :
         {builtins_arithmetic(), builtins_elementwise(), builtins_special(), builtins_order(),
          builtins_containers(), builtins_reductions(), builtins_linear_algebra(),
          builtins_decompositions(), builtins_gaussian_process(), builtins_ode(),
          builtins_algebra(), builtins_laplace(), builtins_parallel(), builtins_constraints(),
          builtins_hidden_markov(), builtins_quadrature(), builtins_sparse(),
          builtins_special_library()}) {
      for (const Builtin& row : part) joined.emplace(row.name, row);
    }
    return joined;
  }();
  return table;
}

BuiltinFunction distribution_rule(std::string_view name) {
  const auto function = distribution_function(name);
  if (!function) return nullptr;
  if (function->role == DistributionRole::density) return run_density;
  return function->role == DistributionRole::draw ? run_draw : run_tail;
}
}  // namespace

BuiltinFunction builtin_function(std::string_view name) {
  const auto row = rows().find(name);
  return row != rows().end() ? row->second.run : distribution_rule(name);
}

std::vector<Builtin> rows_with_signatures() {
  std::vector<Builtin> own;
  for (const auto& [name, row] : rows())
    if (!row.signatures.empty()) own.push_back(row);
  return own;
}

bool takes_whole_numbers(std::string_view name) {
  const auto row = rows().find(name);
  if (row != rows().end()) return row->second.takes_whole_numbers || row->second.needs_numbers;
  const auto function = distribution_function(name);
  if (!function) return false;
  return function->role == DistributionRole::draw ||
         (function->role == DistributionRole::density && !function->distribution->known_outcome);
}

bool needs_numbers(std::string_view name) {
  const auto row = rows().find(name);
  if (row != rows().end()) return row->second.needs_numbers;
  const auto function = distribution_function(name);
  return function && function->role == DistributionRole::draw &&
         function->distribution->kind == dist::Kind::multivariate;
}

bool is_implemented(std::string_view name) { return builtin_function(name) != nullptr; }

}  // namespace credo::lang
