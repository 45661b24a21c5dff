// credo exact: exact results for the discrete parameters of a program, or for those of a conjugate model.
#include <fmt/format.h>

#include <charconv>

#include "base/nearest_name.hpp"
#include "cli/command.hpp"
#include "cli/fit/exact_network.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/state_space_arguments.hpp"
#include "cli/load.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "density/require.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/data_digest.hpp"
#include "results/files/write_fit.hpp"

namespace credo::cli {
namespace {

// "z[2]=1": which parameter, and its value.
std::pair<Index, std::int32_t> read_given(const std::string& word, const density::Layout& layout) {
  const auto equals = word.rfind('=');
  if (equals == std::string::npos)
    throw Error(ErrorCode::usage, fmt::format("'{}' has no value", word), "--given", "z[2]=1");
  const std::string name = word.substr(0, equals), text = word.substr(equals + 1);
  const auto place = layout.find(name);
  if (!place)
    throw Error(ErrorCode::usage, fmt::format("the program has no discrete parameter '{}'", name),
                "--given", did_you_mean(density::dotted_name(name), layout.element_names()));
  std::int32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    throw Error(ErrorCode::usage, fmt::format("'{}' is no whole number", text), "--given",
                "z[2]=1");
  return {*place, value};
}

// "z[1], z[4]": places of parameters, ascending. Commas within brackets belong to an index.
numerics::Scope read_joint(const std::string& words, const density::Layout& layout) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : words) {
    depth += (c == '[' ? 1 : 0) - (c == ']' ? 1 : 0);
    if (c == ',' && depth == 0)
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  }
  numerics::Scope scope;
  for (const std::string& name : names) {
    const auto place = layout.find(name);
    if (!place)
      throw Error(ErrorCode::usage, fmt::format("the program has no discrete parameter '{}'", name),
                  "--joint", did_you_mean(density::dotted_name(name), layout.element_names()));
    scope.push_back(static_cast<std::int32_t>(*place));
  }
  std::ranges::sort(scope);
  if (std::ranges::adjacent_find(scope) != scope.end())
    throw Error(ErrorCode::usage, "a parameter is named twice", "--joint", "name each once");
  return scope;
}

class Exact final : public Command {
 public:
  void describe(Arguments& arguments) override {
    model_.describe(arguments);
    arguments.group("Exact inference");
    method_.describe(arguments);
    arguments.option("--at", at_,
                     "values of the continuous parameters, as initial values are given",
                     file_ending(".json"));
    arguments.option("--fit", fit_,
                     "or the draws of a fit of the program, over which the probabilities are "
                     "averaged: a result, or a run file",
                     needing("!--at", any_file()));
    arguments.option(
        "--given", given_,
        "the value of a discrete parameter, as \"z[2]=1\", or the state of a network's node, as "
        "smoke=yes: results are conditional on it; may be repeated",
        needing("!--fit", {.word = "NAME=VALUE"}));
    arguments.flag("--pairs", options_.pairs,
                   "the joint probabilities of parameters that meet in a term, too",
                   needing("!--fit"));
    arguments.option("--joint", joint_,
                     "the joint probabilities of these parameters, whether or not they meet in a "
                     "term, as \"z[1], z[4]\"; may be repeated",
                     needing("!--fit", {.word = "NAMES"}));
    arguments.option("--number", options_.num_draws, "independent draws of all parameters, too",
                     needing("!--fit", at_least(0)));
    arguments.option("--query", query_,
                     "networks: probabilities for these nodes only, as \"lung, bronc\"; "
                     "nodes that don't matter for them are left out of the sums",
                     needing("!--fit,!--pairs,!--joint,!--number", {.word = "NODES"}));
    arguments.flag("--normalise", rules_.normalise,
                   "networks: divide rows of tables by their sums; without it rows "
                   "that don't sum to 1 are refused",
                   needing("!--fit"));
    arguments.option("--predict", predict_,
                     "data with the rows whose outcomes are predicted, for --method conjugate; the "
                     "outcomes may be missing. Without it: new outcomes of the rows of --data",
                     needing("!--fit", any_file()));
    arguments.option("--after", after_,
                     "result of credo exact whose posterior is the prior of these data, for "
                     "--method conjugate; parameters that it lacks keep the program's prior",
                     needing("!--fit", file_ending(".nc")));
    arguments.flag("--equal-data", has_equal_data_,
                   "data that equal earlier ones are new observations; without it they are refused",
                   needing("--after"));
    arguments.option("-o,--output", output_, "the result, as NetCDF-4", output_file(".nc"));
    method_.describe_options(arguments);
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (is_network()) return answer_network(output);
    refuse_options();
    model_.discrete = "gibbs";  // the parameters stay in the density, and are summed here
    model_.jacobian = false;
    const auto fit = fit_.empty() ? nullptr : open_draws({&fit_, 1}, output);
    if (fit != nullptr) read_like_or_own(*fit, model_);
    const auto model = load_model(model_, output, json);
    density::require_likelihood(*model, "credo exact");
    if (method_.name().empty())
      method_.choose(model->discrete().size() > 0 ? "elimination" : "conjugate");
    const std::unique_ptr<ExactMethod> method = method_.make();
    if (fit != nullptr) density::require(method->can_average());
    density::require(method->applies(*model), model_.model);
    if (!predict_.empty() || !after_.empty()) density::require(method->can_predict());
    results::FitOutput to{.path = output_};
    to.readers = model_.files.readers();
    if (!output_.empty()) require_places(to, 1, inputs());
    if (fit != nullptr) require_data_of(*fit, *model, output, json);
    const auto predicted = model_to_predict(*model, output);
    ExactQuestion question = question_of(*model, fit.get());
    question.predicted = predicted.get();
    const ExactAnswer answer = method->answer(question);
    const results::ArrayList arrays =
        with_spec(answer.arrays, with_inputs(asked, model_.files.contents()));
    if (!output_.empty()) write_arrays(arrays, to.path, to.readers);
    output.print(json ? answer_json(arrays) : answer.text);
    return 0;
  }

 private:
  void refuse_options() const {
    if (model_.discrete == "sum")
      throw Error(ErrorCode::usage, "exact sums over discrete parameters itself", "--discrete",
                  "leave it out");
    if (!query_.empty() || rules_.normalise)
      throw Error(ErrorCode::usage, model_.model + " is no network",
                  query_.empty() ? "--normalise" : "--query",
                  "networks are files that end in .bif, .net, .uai or .json");
    if (!fit_.empty() && model_.terms != "all")
      throw Error(ErrorCode::usage, "the draws are those of all terms", "--terms", "leave it out");
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> paths;
    for (const auto& [path, text] : model_.files.contents()) paths.push_back(path);
    if (!fit_.empty()) paths.push_back(fit_);
    if (!predict_.empty()) paths.push_back(predict_);
    if (!after_.empty()) paths.push_back(after_);
    return paths;
  }

  // The program with the data of --predict; null without it. Codes of a table's levels would be those of its own rows, so tables are refused.
  std::unique_ptr<model::Model> model_to_predict(const model::Model& model, Output& output) {
    if (predict_.empty()) return nullptr;
    if (!predict_.ends_with(".json"))
      throw Error(ErrorCode::usage, "rows to predict are a JSON file with the program's data",
                  "--predict",
                  "write the rows as JSON: a table's codes of levels would be its own");
    ModelArguments other = model_;
    other.data = {};
    other.reading = {};
    other.reading.files = {predict_};
    other.may_lack_outcomes = true;
    auto predicted = load_model(other, output, json);
    note_centres(model, *predicted, output);
    return predicted;
  }

  results::DiscreteNames names_of(const model::Model& model) const {
    const model::DiscreteRanges& ranges = model.discrete();
    results::DiscreteNames names{ranges.layout, ranges.lower, ranges.upper,
                                 std::vector<std::int32_t>(ranges.lower.size(), -1)};
    for (const std::string& word : given_) {
      const auto [place, value] = read_given(word, ranges.layout);
      const auto m = static_cast<std::size_t>(place);
      if (value < ranges.lower[m] || value > ranges.upper[m])
        throw Error(ErrorCode::usage,
                    fmt::format("{} is {}, must be in {}..{}", ranges.layout.element_name(place),
                                value, ranges.lower[m], ranges.upper[m]),
                    "--given");
      if (names.given[m] >= 0 && names.given[m] != value - ranges.lower[m])
        throw Error(ErrorCode::usage, ranges.layout.element_name(place) + " has two values",
                    "--given", "give one");
      names.given[m] = value - ranges.lower[m];
    }
    return names;
  }

  // The continuous ones of --at; discrete ones are summed, so that theirs don't count.
  std::vector<double> position(const model::Model& model) {
    const Index free = model.num_continuous();
    std::vector<double> fill(static_cast<std::size_t>(free), kNaN);
    fill.insert(fill.end(), model.discrete().lower.begin(), model.discrete().lower.end());
    if (at_.empty() && free > 0)
      throw Error(ErrorCode::usage, "the program has continuous parameters, too", model_.model,
                  "give their values (--at values.json), or the draws of a fit (--fit fit.nc)");
    if (at_.empty()) return fill;
    const auto at = model.unconstrain(io::parse_json_data(model_.files.read(at_), at_), fill);
    for (Index d = 0; d < free; ++d)
      if (std::isnan(at[static_cast<std::size_t>(d)]))
        throw Error(ErrorCode::data,
                    model.free_names()[static_cast<std::size_t>(d)] + " has no value", at_,
                    "give values of all continuous parameters");
    return at;
  }

  ExactQuestion question_of(const model::Model& model, const Fit* fit) {
    ExactQuestion question{.model = model,
                           .fit = fit,
                           .position = [this, &model] { return position(model); },
                           .names = names_of(model),
                           .options = options_,
                           .sum_is = what_sum_is(model),
                           .has_values = !at_.empty(),
                           .after = after_,
                           .has_equal_data = has_equal_data_};
    question.options.seed = model_.seed;
    for (const std::string& words : joint_)
      question.options.joints.push_back(read_joint(words, model.discrete().layout));
    return question;
  }

  std::string what_sum_is(const model::Model& model) const {
    const bool has_values = model.num_continuous() > 0 && model.discrete().size() > 0;
    const std::string density = has_values ? "log density of the continuous parameters" : "log sum";
    if (!after_.empty()) return "log evidence of these data after those of " + after_;
    if (model_.terms == "prior") return density + " of the prior";
    if (model_.terms == "likelihood") return density + " of the likelihood";
    return has_values ? "log density of data and continuous parameters" : "log evidence";
  }

  bool is_network() {
    return models::network_format(model_.model) != nullptr &&
           models::is_network_text(model_.model, model_.files.read(model_.model));
  }

  // Options about programs are refused: nothing would be made of them.
  void refuse_program_options() const {
    for (const auto& [option, value] :
         {std::pair("--at", &at_), std::pair("--fit", &fit_), std::pair("--predict", &predict_),
          std::pair("--after", &after_)})
      if (!value->empty())
        throw Error(ErrorCode::usage, "the option is about programs", option,
                    "leave it out: a network's tables have no parameters");
    if (!model_.reading.files.empty())
      throw Error(ErrorCode::usage, "the option is about programs", "--data",
                  "states of nodes are given by --given NODE=STATE; credo network learns tables "
                  "from data");
  }
  int answer_network(Output& output) {
    refuse_program_options();
    std::vector<std::string> notes;
    const models::Network network =
        models::read_network(model_.model, model_.files.read(model_.model), rules_, notes);
    for (const std::string& note : notes) output.note(visible(note) + "\n");
    if (method_.name().empty()) method_.choose("elimination");
    const std::unique_ptr<ExactMethod> method = method_.make();
    density::require(method->can_sum_tables());
    NetworkQuestion question{
        .given = given_, .joint = joint_, .query = query_, .options = options_};
    question.options.seed = model_.seed;
    question.options.on_plan = [&](const numerics::EliminationPlan& plan) {
      constexpr std::int64_t kWorthANote = 1 << 20;
      if (plan.num_entries > kWorthANote)
        output.note(fmt::format("width {}: the tables take {:.3g} MB\n", plan.width,
                                static_cast<double>(plan.num_entries) * 16e-6));
    };
    const ExactAnswer answer = exact_network(network, question, *method);
    print_answer(with_spec(answer.arrays, with_inputs(asked, model_.files.contents())), answer.text,
                 output_, json, output);
    return 0;
  }

  ModelArguments model_;
  std::string query_;
  models::NetworkRules rules_;
  std::string at_, fit_, predict_, after_, output_;
  bool has_equal_data_ = false;
  std::vector<std::string> given_, joint_;
  results::ExactOptions options_;
  MethodArguments<ExactMethod> method_{
      exact_methods(), "",
      "; if it isn't given: elimination for programs with discrete parameters, otherwise "
      "conjugate"};
};
}  // namespace

extern const CommandRow exact_command{
    "exact",
    "exact probabilities of discrete parameters or of a network's nodes, posteriors of conjugate "
    "models, and the evidence",
    "  credo exact model.stan --data data.json\n"
    "  credo exact model.stan --data data.json --given 'z[3]=1' --pairs\n"
    "  credo exact model.stan --data data.json --at values.json --number 1000 -o exact.nc\n"
    "  credo exact model.stan --data data.json --method enumeration\n"
    "  credo exact model.stan --fit fit.nc\n"
    "  credo exact network.bif --given smoke=yes --query \"lung, bronc\"\n"
    "  credo exact conjugate.stan --data may.json --predict new.json -o may.nc\n"
    "  credo exact conjugate.stan --data june.json --after may.nc -o june.nc\n",
    make_command<Exact>,
    "Standard output: sums and probabilities, or the posterior by name, as text or JSON. With "
    "--output: one NetCDF-4 file (groups marginals, most_probable, posterior; or "
    "posterior_parameters, covariance, predictive)."};

}  // namespace credo::cli
