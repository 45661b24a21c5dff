// credo plot: one picture of a fit, as a file or drawn in the terminal.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/repeat.hpp"
#include "cli/term/terminal.hpp"
#include "io/file.hpp"
#include "model/model.hpp"
#include "report/kinds.hpp"
#include "report/raster.hpp"
#include "report/states_picture.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace credo::cli {
namespace {

std::string kinds_help() {
  std::string text = "results, run files or CSV files, then the kind of picture: ";
  for (const report::PictureKind* kind : report::picture_kinds())
    text += fmt::format("{}{} ({})", kind == report::picture_kinds()[0] ? "" : ", ", kind->name,
                        kind->summary);
  return text + "; of a file of credo filter or credo smooth: states (its state over time)";
}

constexpr const char* kStates = "states";

class Plot final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", words_, kinds_help(), any_file());
    model_.describe(arguments, "--data-columns");
    arguments.option("-o,--output", file_,
                     "the picture: .svg, .png or .pdf; without it, it is drawn in the terminal",
                     output_file("*"));
    arguments.option("--columns", columns_,
                     "quantities to draw, as beta, 'b*', 'beta[1,*]' or lp__; may be repeated",
                     {.word = "PATTERN"});
    arguments.flag("--text", text_, "draw in the terminal, also with --output");
    arguments.option("--width", width_,
                     "pixels, or with --text characters; 0: 720, or the terminal's",
                     from_to(0, 10000));
    arguments.option("--height", height_,
                     "height of a panel, likewise; 0: the usual height of the kind",
                     from_to(0, 10000));
    arguments.option("--lags", pictures_.num_lags, "the last lag of autocorrelations",
                     from_to(1, 100000));
    arguments.option("--bins", pictures_.num_bins, "bins of histograms of ranks", from_to(2, 1000));
    arguments.option("--replicates", pictures_.num_replicates,
                     "replicated data sets for predictive checks", at_least(2));
    arguments.option("--pair", pictures_.pairs,
                     "DATA=GENERATED, as credo ppc has it; may be repeated");
    arguments.option("--group", pictures_.group,
                     "picture groups: the data variable that defines the groups; without it, "
                     "variables of whole numbers with two values or more per group",
                     {.word = "NAME"});
    arguments.option("--seed", pictures_.seed, "seed of replicates and of draws from the prior");
  }

  int run(Output& output) override {
    if (const auto states = states_of_file(); states != nullptr) {
      show(report::states_picture(*states, columns_), output);
      return 0;
    }
    if (words_.size() < 2)
      throw Error(ErrorCode::usage, "a fit and a kind of picture are needed", "files",
                  fmt::format("credo plot fit.nc trace; the kinds: {}",
                              fmt::join(report::picture_kind_names(), ", ")));
    const report::PictureKind& kind = report::find_picture_kind(words_.back());
    const std::vector<std::string> files(words_.begin(), words_.end() - 1);
    open(kind, files, output);
    std::vector<report::Subject> subjects;
    for (const Opened& one : opened_)
      subjects.push_back({one.name, one.fit.get(), one.model.get(),
                          data_of(*one.fit, one.model.get()), element_levels(*one.fit)});
    const report::Material material(std::move(subjects), pictures_);
    if (kind.least_fits > ssize(material.subjects()))
      throw Error(ErrorCode::usage, "one model can't be compared", std::string(kind.name),
                  "name two results");
    const std::vector<Index> quantities = chosen(kind, material);
    show(kind.draw(material, quantities), output);
    return 0;
  }

 private:
  struct Opened {
    std::string name;
    std::unique_ptr<Fit> fit;
    std::unique_ptr<model::Model> model;
  };
  // The file whose states are drawn, or null. The paths in a smoother's file are draws, for which there are other pictures.
  std::unique_ptr<results::ArrayResult> states_of_file() const {
    const bool names_states = !words_.empty() && words_.back() == kStates;
    if (!names_states && words_.size() != 1) return nullptr;
    if (words_.size() > 2 || words_.front() == kStates)
      throw Error(ErrorCode::usage, "states are drawn of one file", "files",
                  "credo plot filtered.nc states");
    auto file = open_answer(words_.front());
    if (file != nullptr && report::has_states(*file)) return file;
    if (!names_states) return nullptr;
    throw Error(ErrorCode::io, "this isn't a file of credo filter or credo smooth", words_.front());
  }

  // Several files are several fits where the kind compares them, and else chains of one.
  void open(const report::PictureKind& kind, const std::vector<std::string>& files,
            Output& output) {
    const std::size_t each = kind.least_fits > 1 ? 1 : files.size();
    for (std::size_t first = 0; first < files.size(); first += each) {
      auto fit = open_draws(std::span(files).subspan(first, each), output);
      auto model = kind.most_quantities > 0 && kind.name != "prior"
                       ? nullptr
                       : model_.of(*fit, output, json, "what the model computes can't be drawn");
      opened_.push_back({files[first], std::move(fit), std::move(model)});
    }
  }

  std::vector<Index> chosen(const report::PictureKind& kind,
                            const report::Material& material) const {
    if (columns_.empty()) return report::usual_quantities(kind, material);
    if (kind.most_quantities == 0)
      throw Error(ErrorCode::usage, fmt::format("the picture {} is of the whole run", kind.name),
                  "--columns", "leave it out");
    const std::vector<Index> quantities = named_quantities(material.fit(), columns_);
    if (ssize(quantities) > kind.most_quantities)
      throw Error(ErrorCode::usage,
                  fmt::format("{} quantities are named, and {} shows {} at most", quantities.size(),
                              kind.name, kind.most_quantities),
                  "--columns",
                  "name fewer, or make a report, which shows any of them: credo report");
    return quantities;
  }

  void show(const report::Picture& picture, Output& output) const {
    if (!file_.empty()) {
      const std::string ending = file_.substr(file_.find_last_of('.') + 1);
      if (ending != "svg" && ending != "png" && ending != "pdf")
        throw Error(
            ErrorCode::usage,
            fmt::format("the picture's name ends in neither .svg, .png nor .pdf: {}", file_),
            "--output", "-o picture.svg");
      const std::string svg =
          report::svg_of(picture, {.width = width_ > 0 ? static_cast<double>(width_) : 720.0,
                                   .height = static_cast<double>(height_)});
      io::OutputFile file(file_);
      file.write(ending == "svg" ? svg : report::converted(svg, ending));
      file.commit();
    }
    if (json) {
      output.print(report::json_text(picture) + "\n");
    } else if (file_.empty() || text_) {
      output.print(report::text_of(
          picture, {.width = width_ > 0 ? static_cast<int>(width_) : text_width(STDOUT_FILENO),
                    .height = height_ > 0 ? static_cast<int>(height_) : 12,
                    .has_colours = screen_of(STDOUT_FILENO).colour}));
    }
  }

  std::vector<std::string> words_, columns_;
  FittedModel model_;
  std::vector<Opened> opened_;
  std::string file_;
  bool text_ = false;
  Index width_ = 0, height_ = 0;
  report::PictureOptions pictures_;
};
}  // namespace

extern const CommandRow plot_command{
    "plot", "a picture of a result, as SVG, PNG, PDF or characters",
    "  credo plot fit.nc trace\n"
    "  credo plot fit.nc pairs --columns mu --columns tau -o pairs.svg\n"
    "  credo plot fit.nc forest --columns theta -o forest.pdf\n"
    "  credo plot a.nc b.nc compare --text\n"
    "  credo plot filtered.nc -o states.svg\n",
    make_command<Plot>,
    "--output: the picture. Without it, or with --text: standard output, as characters; with "
    "--json the "
    "picture's marks as numbers. PNG and PDF need the program rsvg-convert (Debian's "
    "librsvg2-bin)."};

}  // namespace credo::cli
