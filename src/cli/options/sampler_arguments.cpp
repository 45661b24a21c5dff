#include "cli/options/sampler_arguments.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "cli/options/field_options.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/table.hpp"

namespace credo::cli {
namespace {
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kShortNames{
    {{"max_tree_depth", "--max-depth"}, {"step_size", "--stepsize"}}};

std::string dashed(std::string_view field) {
  std::string option = "--" + std::string(field);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

// What the samplers say about a field: its help, once for each wording.
struct FieldHelp {
  std::string samplers, help;
  Values values;
};

// What values of each field look like.
class ValuesOfFields final : public infer::FieldVisitor {
 public:
  explicit ValuesOfFields(std::map<std::string, FieldHelp>& all) : all_(all) {}
  void number(double&, const infer::FieldSpec& spec) override { word(spec, "NUMBER"); }
  void whole(Index&, const infer::FieldSpec& spec) override { word(spec, "N"); }
  void natural(std::uint64_t&, const infer::FieldSpec& spec) override { word(spec, "N"); }
  void flag(bool&, const infer::FieldSpec& spec) override { choose(spec, {"true", "false"}); }
  void text(std::string&, const infer::FieldSpec& spec) override { word(spec, "TEXT"); }
  void choice(std::size_t&, std::span<const std::string_view> names,
              const infer::FieldSpec& spec) override {
    choose(spec, {names.begin(), names.end()});
  }

 private:
  void word(const infer::FieldSpec& spec, const char* text) {
    all_[std::string(spec.name)].values.word = text;
  }
  // Samplers may differ in what they take: all of it.
  void choose(const infer::FieldSpec& spec, const std::vector<std::string>& names) {
    std::vector<std::string>& known = all_[std::string(spec.name)].values.choices;
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }

  std::map<std::string, FieldHelp>& all_;
};

// Of warm-up, as far as they have no option among the run's.
std::map<std::string, FieldHelp> help_of_warmup() {
  std::map<std::string, FieldHelp> all;
  infer::KernelOptions adapt{infer::AdaptOptions{}};
  ValuesOfFields values(all);
  adapt.visit(values);
  for (const infer::FieldValue& field : infer::fields_of(adapt)) {
    const std::string name(field.spec.name);
    if (field.spec.option.empty())
      all[name].help = fmt::format("{}; default {}", field.spec.help, field.value);
    else
      all.erase(name);
  }
  return all;
}

std::vector<const infer::SamplerSpec*> rows_of(bool climbs) {
  std::vector<const infer::SamplerSpec*> rows;
  for (const infer::SamplerSpec* row : infer::samplers())
    if (infer::is_sampler(*row) != climbs) rows.push_back(row);
  return rows;
}

std::map<std::string, FieldHelp> help_by_field(bool climbs) {
  std::map<std::string, FieldHelp> all;
  for (const infer::SamplerSpec* row : rows_of(climbs))
    for (const infer::FieldValue& field : infer::fields_of(row->options())) {
      FieldHelp& known = all[std::string(field.spec.name)];
      known.samplers += (known.samplers.empty() ? "" : ", ") + std::string(row->name);
      if (known.help.empty()) known.help = field.spec.help;
    }
  ValuesOfFields values(all);
  for (const infer::SamplerSpec* row : rows_of(climbs)) row->options().visit(values);
  return all;
}

std::vector<std::string> names_of(bool climbs) {
  std::vector<std::string> names;
  for (const infer::SamplerSpec* row : rows_of(climbs)) names.emplace_back(row->name);
  return names;
}
}  // namespace

namespace {
// What was set of another sampler's options, and this one has, too.
infer::KernelOptions with_common_fields(infer::KernelOptions own,
                                        const infer::SampleOptions& before) {
  if (before.kernel.empty()) return own;
  const auto defaults = infer::fields_of(infer::find_sampler(before.sampler).options());
  const auto names = infer::fields_of(own), set = infer::fields_of(before.kernel);
  for (std::size_t k = 0; k < set.size(); ++k) {
    const bool is_known = std::any_of(names.begin(), names.end(), [&](const auto& field) {
      return field.spec.name == set[k].spec.name;
    });
    if (is_known && set[k].value != defaults[k].value)
      infer::set_field(own, set[k].spec.name, set[k].value);
  }
  return own;
}
}  // namespace

constexpr const char* kSeeHelp = "; credo sample --help shows the default";
constexpr const char* kSeeHelpOfClimbs = "; credo optimize --help shows what there is";

namespace {
void require_scheme(const infer::SampleOptions& options) {
  const auto* own = options.kernel.as<infer::SchemeOptions>();
  if (own != nullptr && !own->scheme)
    throw Error(ErrorCode::usage, "a composition needs a scheme that says of what it is made",
                "--sampler", "give that alone: --scheme FILE.json");
}

Error option_beside_scheme(std::string_view field) {
  return Error(
      ErrorCode::usage, "the options of samplers are told by the scheme", option_of_field(field),
      fmt::format(R"(write it there: {{"sampler": "...", "options": {{"{}": ...}}}})", field));
}

}  // namespace

std::string option_of_field(std::string_view field) {
  const auto* known = std::find_if(kShortNames.begin(), kShortNames.end(),
                                   [&](const auto& name) { return name.first == field; });
  return known == kShortNames.end() ? dashed(field) : std::string(known->second);
}

void SamplerArguments::describe(Arguments& a) {
  a.group("Sampler");
  a.option("--sampler", sampler, "sampling algorithm",
           {.choices = names_of(false), .may_be_other = true});  // optimisers are refused later
  a.group("Warm-up");
  for (const auto& [field, text] : help_of_warmup())
    a.option(dashed(field), texts_[field], text.help, text.values);
  a.group("Options of samplers (in brackets, whose)");
  describe_fields(a, false);
}

void SamplerArguments::describe_climbs(Arguments& a) {
  a.group("Method");
  a.option("--method", sampler, "optimisation algorithm",
           {.choices = names_of(true), .may_be_other = true});
  a.group("Options of methods (in brackets, whose)");
  describe_fields(a, true);
}

void SamplerArguments::describe_fields(Arguments& a, bool climbs) {
  for (const auto& [field, text] : help_by_field(climbs)) {
    const std::string name = option_of_field(field), plain = dashed(field);
    a.option(name == plain ? name : name + "," + plain, texts_[field],
             text.help + " (" + text.samplers + ")", text.values);
  }
}

void SamplerArguments::apply(infer::SampleOptions& options) const {
  const bool is_known = std::ranges::any_of(
      infer::samplers(), [&](const infer::SamplerSpec* row) { return row->name == sampler; });
  if (!is_known && sampler != infer::kCompositionName) {
    if (is_same_in_any_case(sampler, "hmc"))  // smc is near by letters only
      throw Error(ErrorCode::usage, fmt::format("there is no sampler '{}'", sampler), "--sampler",
                  "write nuts, or hmc_static for a fixed number of steps");
    infer::check_choice("--sampler", names_of(false), sampler);
  }
  try {
    const infer::SamplerSpec& row = infer::find_sampler(sampler);
    if (options.kernel.empty() || options.sampler != sampler)
      options.kernel = with_common_fields(row.options(), options);
    if (!row.has_warmup) options.num_warmup = 0;
    options.sampler = sampler;
    for (const auto& [field, text] : texts_)
      if (!text.empty()) infer::set_option(options, field, text);
  } catch (const Error& error) {
    if (sampler == infer::kCompositionName) throw option_beside_scheme(error.where());
    throw Error(error.code(), error.message(), option_of_field(error.where()),
                error.hint() + (infer::climbs_to_modes(sampler) ? kSeeHelpOfClimbs : kSeeHelp));
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
