#include "cli/chain/chain_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "infer/finite/kernels.hpp"
#include "io/file.hpp"
#include "io/json_value.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {
using infer::finite::FiniteChain;
using infer::finite::RowMatrix;
using infer::finite::with_rows_divided_by_sums;
using io::JsonValue;

constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 24;

std::vector<std::string_view> split(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  std::vector<std::string_view> fields;
  const bool commas = line.find(',') != std::string_view::npos;
  const std::string_view ends = commas ? "," : kSpace;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    if (line.empty()) return fields;
    const std::size_t end = std::min(line.find_first_of(ends), line.size());
    std::string_view field = line.substr(0, end);
    while (!field.empty() && kSpace.find(field.back()) != std::string_view::npos)
      field.remove_suffix(1);
    fields.push_back(field);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

// ---- CSV: an optional line of names, then the rows; # begins a comment ----

class CsvMatrix {
 public:
  explicit CsvMatrix(const std::string& path) : path_(path) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      take_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (num_rows_ == 0) throw Error(ErrorCode::data, "there is no number in the file", path_);
    if (num_rows_ != num_columns_) {
      throw Error(ErrorCode::data,
                  fmt::format("{} rows of {} numbers; a transition matrix is square", num_rows_,
                              num_columns_),
                  path_, "write one row of probabilities for each state");
    }
  }
  RowMatrix matrix() { return {num_rows_, num_rows_, std::move(values_)}; }
  std::vector<std::string> names;

 private:
  void take_line(std::string_view line) {
    const auto fields = split(line.substr(0, line.find('#')));
    if (fields.empty()) return;
    const bool first = num_columns_ < 0;
    if (first) num_columns_ = ssize(fields);
    if (ssize(fields) != num_columns_) {
      throw Error(ErrorCode::data,
                  fmt::format("{} fields, the first line has {}", fields.size(), num_columns_),
                  place(), "every row has one probability for each state");
    }
    const auto is_number = [](std::string_view field) {
      return io::parse_number(field).has_value();
    };
    if (first && !std::all_of(fields.begin(), fields.end(), is_number)) {
      names.assign(fields.begin(), fields.end());
      return;
    }
    for (const std::string_view field : fields) {
      const auto number = io::parse_number(field);
      if (!number) throw Error(ErrorCode::data, fmt::format("'{}' is no number", field), place());
      values_.push_back(*number);
    }
    ++num_rows_;
  }
  std::string place() const { return fmt::format("{}:{}", path_, line_); }

  const std::string& path_;
  std::vector<double> values_;
  Index line_ = 0, num_rows_ = 0, num_columns_ = -1;
};

// ---- JSON ----

constexpr std::array<std::string_view, 9> kMembers{
    "states", "matrix", "kernel", "target", "log_target", "proposal", "sizes", "lazy", "function"};

void check_members(const JsonValue& file) {
  if (file.kind != JsonValue::Kind::object)
    throw Error(ErrorCode::data, "expected an object, found " + describe(file), file.where);
  for (const auto& [name, value] : file.members) {
    if (std::find(kMembers.begin(), kMembers.end(), name) == kMembers.end()) {
      throw Error(ErrorCode::data, fmt::format("'{}' is not known", name), value.where,
                  fmt::format("known are {}", fmt::join(kMembers, ", ")));
    }
  }
}

const JsonValue& needed(const JsonValue& file, std::string_view name, std::string_view for_what) {
  if (const JsonValue* value = file.find(name)) return *value;
  throw Error(ErrorCode::data, fmt::format("'{}' is missing, {} needs it", name, for_what),
              file.where);
}

RowMatrix matrix_of(const JsonValue& value, std::string_view name) {
  RowMatrix matrix;
  for (const JsonValue& row : value.as_array(name)) {
    const std::vector<double> numbers = row.as_numbers(name);
    if (numbers.size() != value.items.size()) {
      throw Error(ErrorCode::data,
                  fmt::format("a row of {} numbers in a matrix of {} rows; it must be square",
                              numbers.size(), value.items.size()),
                  row.where);
    }
    matrix.values.insert(matrix.values.end(), numbers.begin(), numbers.end());
    ++matrix.rows, ++matrix.cols;
  }
  return matrix;
}

std::vector<double> target_of(const JsonValue& file) {
  const JsonValue* weights = file.find("target");
  const JsonValue* logs = file.find("log_target");
  if (weights != nullptr && logs != nullptr)
    throw Error(ErrorCode::data, "'target' and 'log_target' are both given", logs->where);
  if (weights != nullptr)
    return infer::finite::distribution_from_weights(weights->as_numbers("target"));
  if (logs != nullptr)
    return infer::finite::distribution_from_log_weights(logs->as_numbers("log_target"));
  return {};
}

// A matrix, or "walk" (one step to either side) or "uniform".
FiniteChain proposal_of(const JsonValue& value, Index num_states) {
  if (value.kind != JsonValue::Kind::string) return FiniteChain(matrix_of(value, "proposal"));
  if (value.text == "walk") return infer::finite::reflected_walk(num_states);
  if (value.text != "uniform") {
    throw Error(ErrorCode::data, fmt::format("there is no proposal '{}'", value.text), value.where,
                "give a matrix, \"walk\" or \"uniform\"");
  }
  RowMatrix matrix(num_states);
  std::fill(matrix.values.begin(), matrix.values.end(), 1.0 / static_cast<double>(num_states));
  return FiniteChain(std::move(matrix));
}

infer::finite::ProductSpace space_of(const JsonValue& file, Index num_states) {
  std::vector<Index> sizes;
  for (const JsonValue& item : needed(file, "sizes", "Gibbs sampling").as_array("sizes")) {
    const double size = item.as_number("a size");
    if (!(size >= 1.0) || size > 1e6 || size != std::floor(size))
      throw Error(ErrorCode::data, fmt::format("a size is {}, it must be 1, 2, ...", size),
                  item.where);
    sizes.push_back(static_cast<Index>(size));
  }
  infer::finite::ProductSpace space(std::move(sizes));
  if (space.num_states() == num_states) return space;
  throw Error(
      ErrorCode::data,
      fmt::format("the sizes make {} states, the target has {}", space.num_states(), num_states),
      file.find("sizes")->where);
}

struct KernelName {
  std::string_view name;
  FiniteChain (*make)(const JsonValue& file, std::span<const double> target);
};

template <infer::finite::Acceptance rule>
FiniteChain make_hastings(const JsonValue& file, std::span<const double> target) {
  return infer::finite::metropolis_hastings(
      target, proposal_of(needed(file, "proposal", "this kernel"), ssize(target)), rule);
}

FiniteChain make_sweep(const JsonValue& file, std::span<const double> target) {
  return infer::finite::gibbs_sweep(space_of(file, ssize(target)), target);
}

FiniteChain make_random_scan(const JsonValue& file, std::span<const double> target) {
  return infer::finite::gibbs_random_scan(space_of(file, ssize(target)), target);
}

constexpr std::array kKernels{
    KernelName{"barker", &make_hastings<infer::finite::Acceptance::barker>},
    KernelName{"gibbs-random", &make_random_scan}, KernelName{"gibbs-sweep", &make_sweep},
    KernelName{"metropolis", &make_hastings<infer::finite::Acceptance::metropolis>}};

FiniteChain kernel_of(const JsonValue& file, std::span<const double> target) {
  const JsonValue& name = *file.find("kernel");
  for (const KernelName& row : kKernels) {
    if (row.name != name.as_string("kernel")) continue;
    if (target.empty()) needed(file, "target", fmt::format("the kernel {}", row.name));
    return row.make(file, target);
  }
  std::vector<std::string_view> names;
  for (const KernelName& row : kKernels) names.push_back(row.name);
  names.push_back("riffle");  // cli/chain/chain_shuffle.hpp
  throw Error(ErrorCode::data, fmt::format("there is no kernel '{}'", name.text), name.where,
              fmt::format("kernels are {}", fmt::join(names, ", ")));
}

FiniteChain unnamed_chain(const JsonValue& file, std::span<const double> target, bool normalise) {
  const JsonValue* matrix = file.find("matrix");
  const JsonValue* kernel = file.find("kernel");
  if ((matrix == nullptr) == (kernel == nullptr)) {
    throw Error(ErrorCode::data,
                matrix == nullptr ? "neither 'matrix' nor 'kernel' is given"
                                  : "'matrix' and 'kernel' are both given",
                file.where, "give the transition matrix, or the kernel that makes it");
  }
  if (kernel != nullptr) return kernel_of(file, target);
  RowMatrix values = matrix_of(*matrix, "matrix");
  return FiniteChain(normalise ? with_rows_divided_by_sums(std::move(values)) : std::move(values));
}

ChainFile chain_of(const JsonValue& file, bool normalise) {
  check_members(file);
  std::vector<double> target = target_of(file), function;
  FiniteChain chain = unnamed_chain(file, target, normalise);
  if (const JsonValue* stay = file.find("lazy")) {
    const double probability = stay->as_number("lazy");
    if (!(probability >= 0.0) || probability > 1.0) {
      throw Error(ErrorCode::data,
                  fmt::format("lazy is {}, a probability lies between 0 and 1", probability),
                  stay->where);
    }
    chain = infer::finite::lazy(chain, probability);
  }
  if (const JsonValue* values = file.find("function")) function = values->as_numbers("function");
  if (const JsonValue* states = file.find("states"))
    chain = FiniteChain(chain.matrix(), states->as_strings("states"));
  return {std::move(chain), std::move(target), std::move(function)};
}

// An error that knows the row, but not the file.
[[noreturn]] void throw_in_file(const Error& error, const std::string& path) {
  const bool has_place = error.where().starts_with(path);
  const std::string where = error.where().empty() ? path : path + ": " + error.where();
  throw Error(error.code(), error.message(), has_place ? error.where() : where, error.hint());
}

ChainFile read_csv(const std::string& path, bool normalise) {
  CsvMatrix csv(path);
  csv.read(io::read_file(path));
  RowMatrix matrix = csv.matrix();
  if (normalise) matrix = with_rows_divided_by_sums(std::move(matrix));
  return {FiniteChain(std::move(matrix), csv.names), {}, {}};
}
}  // namespace

ChainFile read_chain_file(const std::string& path, bool normalise) {
  try {
    if (!path.ends_with(".json")) return read_csv(path, normalise);
    return chain_of(io::parse_json_value(io::read_file(path, kMaxJsonBytes), path), normalise);
  } catch (const Error& error) {
    throw_in_file(error, path);
  }
}

std::vector<double> parse_number_list(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string_view field : split(text)) {
    const auto number = io::parse_number(field);
    if (!number) {
      throw Error(ErrorCode::usage, fmt::format("'{}' is no number", field), option,
                  "give numbers with commas between them: 0.2,0.3,0.5");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace credo::cli
