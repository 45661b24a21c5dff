#include "cli/options/sampler_arguments.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "cli/options/field_options.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/neutra.hpp"

namespace credo::cli {
namespace {
// Names of warm-up fields that have an option of their own.
std::vector<std::string> own_options_of_warmup() {
  std::vector<std::string> names;
  for (const infer::FieldValue& field : infer::fields_of(infer::AdaptOptions{}))
    if (!field.spec.option.empty()) names.push_back(field.name);
  return names;
}

enum class RowKind { sampler, climb, approximation };  // one a command

RowKind kind_of(std::string_view name) {
  if (infer::is_approximation(name)) return RowKind::approximation;
  return infer::climbs_to_modes(name) ? RowKind::climb : RowKind::sampler;
}

std::vector<const infer::SamplerSpec*> rows_of(RowKind kind) {
  std::vector<const infer::SamplerSpec*> rows;
  for (const infer::SamplerSpec* row : infer::samplers())
    if (kind_of(row->name) == kind) rows.push_back(row);
  return rows;
}

std::vector<OptionRow> option_rows(RowKind kind) {
  std::vector<OptionRow> rows;
  for (const infer::SamplerSpec* row : rows_of(kind)) rows.push_back({row->name, row->options()});
  return rows;
}

std::vector<std::string_view> names_with_warmup() {
  std::vector<std::string_view> names;
  for (const infer::SamplerSpec* row : rows_of(RowKind::sampler))
    if (row->has_warmup) names.push_back(row->name);
  return names;
}

std::vector<std::string> names_of(RowKind kind) {
  std::vector<std::string> names;
  for (const infer::SamplerSpec* row : rows_of(kind)) names.emplace_back(row->name);
  return names;
}
}  // namespace

namespace {
// Copies options that were set for another sampler and that this one has, too.
infer::KernelOptions with_common_fields(infer::KernelOptions own,
                                        const infer::SampleOptions& before) {
  if (before.kernel.empty()) return own;
  const auto defaults = infer::fields_of(infer::find_sampler(before.sampler).options());
  for (const infer::FieldValue& set : infer::fields_of(before.kernel)) {
    const auto names = infer::fields_of(own);  // a row that was set has fields of its own
    const auto known = std::ranges::find(names, set.name, &infer::FieldValue::name);
    if (known == names.end()) continue;
    const auto otherwise = std::ranges::find(defaults, set.name, &infer::FieldValue::name);
    if (set.value != (otherwise == defaults.end() ? known : otherwise)->value)
      infer::set_field(own, set.name, set.value);
  }
  return own;
}
}  // namespace

constexpr const char* kSeeHelp = "; credo sample --help shows the default";

namespace {
void require_scheme(const infer::SampleOptions& options) {
  const auto* own = options.kernel.as<infer::SchemeOptions>();
  if (own != nullptr && !own->scheme)
    throw Error(ErrorCode::usage, "a composition needs a scheme that lists its parts", "--sampler",
                "give that alone: --scheme FILE.json");
}

Error option_beside_scheme(std::string_view field) {
  return Error(
      ErrorCode::usage, "the scheme gives the options of samplers", option_of_field(field),
      fmt::format(R"(write it there: {{"sampler": "...", "options": {{"{}": ...}}}})", field));
}

}  // namespace

void SamplerArguments::describe(Arguments& a) {
  a.group("Sampler");
  a.option("--sampler", sampler, "sampling algorithm",
           {.choices = names_of(RowKind::sampler),
            .may_be_other = true});  // optimisers are refused later
  a.option("--proposal", proposal_,
           "a result of credo approximate, from whose distribution the sampler draws (--through)",
           needing("--sampler=importance|independence", any_file()));
  a.group("Warm-up");
  warmup_.describe_shared(a, "--sampler", names_with_warmup(), infer::AdaptOptions{},
                          own_options_of_warmup());
  a.group(title_of_rows(a, "--sampler", "samplers"));
  rows_.describe(a, "--sampler", option_rows(RowKind::sampler));
}

void SamplerArguments::describe_climbs(Arguments& a) {
  a.group("Method");
  a.option("--method", sampler, "optimisation algorithm",
           {.choices = names_of(RowKind::climb), .may_be_other = true});
  a.group(title_of_rows(a, "--method", "methods"));
  rows_.describe(a, "--method", option_rows(RowKind::climb));
}

void SamplerArguments::describe_approximations(Arguments& a) {
  a.group("Method");
  std::vector<std::string> names = names_of(RowKind::approximation);
  for (const char* other : {"auto", "all"}) names.emplace_back(other);
  a.option(
      "--method", sampler,
      "approximation; auto: draws of the posterior itself if the program is conjugate, cavi above "
      "2,000 values if all its factors are, else the command's own; all: a table of all beside "
      "draws of NUTS",
      {.choices = std::move(names), .may_be_other = true});
  a.group(title_of_rows(a, "--method", "methods"));
  rows_.describe(a, "--method", option_rows(RowKind::approximation));
}

namespace {
// "; this is an option of: nuts, riemann": the rows that have it; empty if the sampler has it.
std::string others_with(const std::string& sampler, std::string_view field) {
  std::string names;
  for (const OptionRow& row : option_rows(kind_of(sampler))) {
    const auto fields = infer::fields_of(row.options);
    if (std::ranges::find(fields, field, &infer::FieldValue::name) == fields.end()) continue;
    if (row.name == sampler) return {};
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names.empty() ? "" : "; this is an option of: " + names;
}

Error named_as_option(const Error& error, const std::string& sampler) {
  constexpr std::array<std::string_view, 3> kChoices = {"sample --sampler", "optimize --method",
                                                        "approximate --method"};
  return Error(error.code(), error.message(), option_of_field(error.where()),
               fmt::format("{}{}; credo {} {} --help lists its options", error.hint(),
                           others_with(sampler, error.where()),
                           kChoices[static_cast<std::size_t>(kind_of(sampler))], sampler));
}
}  // namespace

// The base space of a map is that of a sampler of its own, which runs the named one there.
std::string SamplerArguments::chosen() const {
  const bool is_named = rows_.given().contains("through") || !proposal_.empty();
  const bool is_through = is_named && infer::base_sampler(sampler);
  return is_through ? std::string(infer::kNeutraName) : sampler;
}

void SamplerArguments::take_proposal(infer::SampleOptions& options) const {
  if (proposal_.empty()) return;
  if (rows_.given().contains("through"))
    throw Error(ErrorCode::usage, "--through names the proposal, too", "through",
                "leave out one of them");
  infer::set_option(options, "through", proposal_);
}

void SamplerArguments::apply(infer::SampleOptions& options) const {
  const std::string name = chosen();
  const bool is_known = std::ranges::any_of(
      infer::samplers(), [&](const infer::SamplerSpec* row) { return row->name == name; });
  if (!is_known && name != infer::kCompositionName) {
    if (is_same_in_any_case(name, "hmc"))  // smc is near by letters only
      throw Error(ErrorCode::usage, fmt::format("there is no sampler '{}'", name), "--sampler",
                  "write nuts, or hmc_static for a fixed number of steps");
    infer::check_choice("--sampler", names_of(RowKind::sampler), name);
  }
  try {
    const infer::SamplerSpec& row = infer::find_sampler(name);
    if (options.kernel.empty() || options.sampler != name)
      options.kernel = with_common_fields(row.options(), options);
    if (!row.has_warmup) options.num_warmup = 0;
    options.sampler = name;
    if (name != sampler) infer::set_option(options, "base", sampler);
    for (const RowOptions* own : {&warmup_, &rows_})
      for (const auto& [field, text] : own->given()) infer::set_option(options, field, text);
    take_proposal(options);
    const auto* through = options.kernel.as<infer::NeutraOptions>();
    if (through != nullptr && !infer::has_warmup_there(through->base)) options.num_warmup = 0;
  } catch (const Error& error) {
    if (name == infer::kCompositionName) throw option_beside_scheme(error.where());
    throw named_as_option(error, name);
  }
  require_scheme(options);
}

namespace {
// Empty: it has none.
std::string_view option_at(const infer::SampleOptions& options, std::string_view field) {
  try {
    return spec_of_field(options, field).option;
  } catch (const Error&) {
    return {};
  }
}
}  // namespace

void validate_run(const infer::SampleOptions& options) {
  try {
    infer::validate(options);
  } catch (const Error& e) {
    const std::string_view option = option_at(options, e.where());
    if (option.empty()) throw;
    throw Error(e.code(), e.message(), std::string(option), e.hint() + kSeeHelp);
  }
}

}  // namespace credo::cli
