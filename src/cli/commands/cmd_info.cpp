// credo info: what a program with its data consists of: parameters, terms of the target, size of
// the graph. With --statements: the densities that the program states; with --families: the table of exponential families; with
// --messages: the factors of coordinate ascent; with --explain: the paths that the graph takes. Given
// a run file: its specification and its progress.
#include <fmt/format.h>

#include "cli/fit/family_table.hpp"
#include "cli/fit/message_table.hpp"
#include "cli/fit/path_table.hpp"
#include "cli/fit/run_file_info.hpp"
#include "cli/fit/statement_table.hpp"
#include "cli/load.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/files/fit.hpp"

namespace credo::cli {
namespace {

class Info final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.group("Model");
    arguments.optional_positional("model", model_.model,
                                  "Stan program (.stan), or a run file (OUTPUT.run)", any_file());
    model_.describe_options(arguments);
    arguments.flag(
        "--statements", lists_statements_,
        "list the densities that the program states, with outcome, distribution, arguments, "
        "rows and kind (prior, effects, likelihood); this needs no data");
    arguments.flag("--families", lists_families_,
                   "print the table of exponential families: statistics, natural parameters and "
                   "carrier; this needs no program",
                   needing("!--statements"));
    arguments.flag("--messages", lists_messages_,
                   "list the factors of coordinate ascent (credo approximate --method cavi) with "
                   "their families, and the statements that send them messages",
                   needing("!--statements,!--families"));
    arguments.flag("--explain", explains_,
                   "say for which statements the graph finds a shorter path for their rows "
                   "(groups, triangles, distinct rows), and which statement prevents one",
                   needing("!--statements,!--families,!--messages"));
  }

  int run(Output& output) override {
    if (lists_families_) {
      if (!model_.model.empty())
        throw Error(ErrorCode::usage, "the table of families has nothing of a program",
                    "--families", "leave out " + model_.model);
      output.print(json ? families_json() : families_text());
      return 0;
    }
    if (model_.model.empty())
      throw Error(ErrorCode::usage, "no program was given", "info",
                  "name a .stan file or a run file, or ask for --families");
    if (results::is_run_file(model_.model) || model_.model.ends_with(".run")) {
      results::require_run_file(model_.model);
      output.print(run_file_info(model_.model, json));
      return 0;
    }
    if (results::is_netcdf_file(model_.model))
      throw Error(ErrorCode::usage, "this is a result, not a program", model_.model,
                  "credo summary reads it");
    if (lists_statements_) {
      const auto program = load_program(model_.model, model_.include_dirs, output, json);
      output.print(json ? statements_json(*program) : statements_text(*program));
      return 0;
    }
    PathWatch paths(model_.passes);
    if (explains_) model_.observe = paths.observer();
    const auto model = load_model(model_, output, json);
    if (lists_messages_) {
      const auto form = model->moment_forms()->moment_form({});
      output.print(json ? messages_json(*form) : messages_text(*form));
      return 0;
    }
    if (explains_) paths.watch_effects(*model);
    const std::vector<double> origin(static_cast<std::size_t>(model->dimension()), 0.0);
    const auto traced = model->trace(origin);
    if (explains_) {
      output.print(json ? paths_json(*model, paths) : paths_text(*model, paths));
      return 0;
    }
    output.print(json ? as_json(*model, *traced) : as_text(*model, *traced));
    return 0;
  }

 private:
  static std::string as_text(const model::Model& model, const model::TracedDensity& traced) {
    std::string text = fmt::format("{}: {} unconstrained parameters, {} output columns\n",
                                   model.name(), model.dimension(), model.outputs().size());
    text += fmt::format("graph: {} nodes traced, {} with the gradient after the passes\n",
                        traced.num_traced_nodes, traced.num_nodes);
    text += "target:\n";
    for (const auto& [where, count, kind] : grouped(model, traced)) {
      text += fmt::format("  {:<20} {}{}\n", where, lang::to_string(kind),
                          count > 1 ? fmt::format(" x {}", count) : "");
    }
    return text;
  }

  struct Group {
    std::string where;
    Index count;
    lang::TermKind kind;
  };
  // Terms of one statement and kind that follow each other.
  static std::vector<Group> grouped(const model::Model& model, const model::TracedDensity& traced) {
    std::vector<Group> groups;
    for (const auto& term : traced.terms) {
      const std::string where = model.source().where(term.statement);
      if (!groups.empty() && groups.back().where == where && groups.back().kind == term.kind) {
        ++groups.back().count;
      } else {
        groups.push_back({where, 1, term.kind});
      }
    }
    return groups;
  }

  static std::string as_json(const model::Model& model, const model::TracedDensity& traced) {
    const std::vector<Group> terms = grouped(model, traced);
    results::ArrayList answer;
    answer.set("name", model.name());
    answer.set("dimension", model.dimension()), answer.set("nodes", Index{traced.num_nodes});
    add_list(answer, "free_names", "free_value", model.free_names());
    add_list(answer, "columns", "column", model.outputs().element_names());
    auto add = answer.add_rows("terms", terms).columns(terms);
    add("where", &Group::where);
    add("kind", [](const Group& group) { return lang::to_string(group.kind); });
    add("count", &Group::count);
    return answer_json(answer);
  }

  ModelArguments model_;
  bool lists_statements_ = false, lists_families_ = false, lists_messages_ = false,
       explains_ = false;
};
}  // namespace

extern const CommandRow info_command{
    "info",
    "parameters, terms of the target and graph of a program with its data; progress of a run file",
    "  credo info model.stan --data data.json\n"
    "  credo info model.stan --statements\n"
    "  credo info --families\n"
    "  credo info model.stan --data data.json --messages\n"
    "  credo info model.stan --data data.json --explain\n"
    "  credo info fit.nc.run\n",
    make_command<Info>, "Standard output: the list, as text or JSON. No files."};

}  // namespace credo::cli
