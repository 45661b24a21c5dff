// The expressions are generated quantities of a program whose parameters are the values that they read. So they are checked,
// traced and computed as such.
#include "model/expressions.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/error.hpp"
#include "io/data/data_table.hpp"
#include "model/model.hpp"

namespace credo::model {
namespace {

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty()) words.insert(word);
    word.clear();
  }
  return words;
}

std::string declaration_of(const density::Variable& variable) {
  const std::vector<Index>& dims = variable.dims;
  if (dims.empty()) return fmt::format("real {};", variable.name);
  if (dims.size() == 1) return fmt::format("vector[{}] {};", dims[0], variable.name);
  std::string outer;
  for (std::size_t k = 0; k + 2 < dims.size(); ++k)
    outer += fmt::format("{}{}", k == 0 ? "" : ", ", dims[k]);
  const std::string array = outer.empty() ? "" : "array[" + outer + "] ";
  return fmt::format("{}matrix[{}, {}] {};", array, dims[dims.size() - 2], dims.back(),
                     variable.name);
}

// Operators of other languages, by which an expression is no expression here.
std::string operator_hint(std::string_view text) {
  const auto has_alone = [&](char c, std::string_view neighbours) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool follows = i > 0 && neighbours.find(text[i - 1]) != std::string_view::npos;
      const bool precedes =
          i + 1 < text.size() && neighbours.find(text[i + 1]) != std::string_view::npos;
      if (text[i] == c && !follows && !precedes) return true;
    }
    return false;
  };
  if (text.find("**") != std::string_view::npos) return "a power is written ^: b^2";
  if (has_alone('&', "&")) return "and is written &&: a > 0 && b > 0";
  if (has_alone('|', "|")) return "or is written ||: a > 0 || b > 0";
  if (has_alone('=', "<>=!")) return "to compare, write ==";
  return {};
}

// Throws for an error, and for what a program is warned of: here nobody would see the warning, only its number.
std::shared_ptr<const ProgramSource> compiled(const std::string& program, const std::string& text) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto done = compile_text("expression.stan", program, diagnostics, source);
  for (const lang::Diagnostic& d : diagnostics.all()) {
    if (d.code == lang::DiagCode::comparison_chain)
      throw Error(
          ErrorCode::usage,
          fmt::format("'{}' chains comparisons: a < b < c compares the outcome of a < b (0 or 1) "
                      "with c",
                      text),
          {}, "write a < b && b < c, or put (a < b) in parentheses if that is meant");
    if (d.code == lang::DiagCode::int_division)
      throw Error(ErrorCode::usage, fmt::format("'{}': {}", text, d.message()), {}, d.hint);
  }
  if (done != nullptr) return done;
  std::string first, hint = operator_hint(text);
  for (const lang::Diagnostic& d : diagnostics.all()) {
    if (first.empty()) first = d.message();
    if (hint.empty() && d.hint.find(" is written ") != std::string::npos) hint = d.hint;
  }
  throw Error(ErrorCode::usage,
              fmt::format("'{}' isn't an expression of one number: {}", text, first), {},
              hint.empty() ? "name outputs as in the program: theta[1] > theta[2]" : hint);
}
}  // namespace

Expressions::Expressions(const density::Layout& outputs, std::vector<std::string> texts,
                         std::vector<std::string> extra)
    : texts_(std::move(texts)) {
  std::set<std::string> words;
  for (const std::string& text : texts_) words.merge(words_of(text));
  std::string program = "parameters {\n";
  for (std::size_t v = 0; v < outputs.variables().size(); ++v) {
    const density::Variable& variable = outputs.variables()[v];
    if (!words.contains(variable.name)) continue;
    program += declaration_of(variable) + "\n";
    for (Index e = outputs.first(static_cast<Index>(v));
         e < outputs.first(static_cast<Index>(v) + 1); ++e)
      elements_.push_back(e);
  }
  for (const std::string& name : extra) program += fmt::format("real {};\n", name);
  std::string prefix = "answer_";
  while (std::any_of(words.begin(), words.end(),
                     [&](const std::string& w) { return w.starts_with(prefix); }))
    prefix = "the_" + prefix;
  program += "}\n";
  for (const std::string& text : texts_)  // one by one, so that an error is of one
    compiled(program + fmt::format("generated quantities {{ real {}0 = {}; }}", prefix, text),
             text);
  program += "generated quantities {\n";
  for (std::size_t k = 0; k < texts_.size(); ++k)
    program += fmt::format("real {}{} = {};\n", prefix, k, texts_[k]);
  model_ = std::make_unique<Model>(compiled(program + "}\n", "all"),
                                   io::DataTable(std::string(io::kNoDataFile)), ModelOptions{});
  first_answer_ = ssize(elements_) + ssize(extra);
}

Expressions::~Expressions() = default;

std::vector<std::vector<double>> Expressions::chosen(
    std::span<const std::vector<double>> outputs) const {
  std::vector<std::vector<double>> rows;
  for (const std::vector<double>& all : outputs) {
    std::vector<double>& row = rows.emplace_back();
    for (const Index element : elements_) row.push_back(all[static_cast<std::size_t>(element)]);
  }
  return rows;
}

const std::string& Expressions::random_text() const {
  static const std::string none;
  for (const std::string& text : texts_)
    for (const std::string& word : words_of(text))
      if (word.ends_with("_rng")) return text;
  return none;
}

std::vector<std::vector<double>> Expressions::evaluate(std::span<const std::vector<double>> rows,
                                                       const RowStreams& streams) const {
  density::Written what;
  what.columns.emplace();
  for (Index k = 0; k < ssize(texts_); ++k) what.columns->push_back(first_answer_ + k);
  const auto writer = model_->draw_outputs().make_writer(what);
  std::vector<std::vector<double>> answers;
  const auto lanes = static_cast<std::size_t>(std::max<Index>(writer->num_lanes(), 8));
  for (std::size_t begin = 0; begin < rows.size(); begin += lanes) {
    const std::size_t end = std::min(rows.size(), begin + lanes);
    std::vector<std::vector<double>> points;
    std::vector<density::DrawRequest> requests;
    for (std::size_t k = begin; k < end; ++k)
      points.push_back(model_->draw_outputs().unconstrain_row(rows[k]));
    for (std::size_t k = 0; k < points.size(); ++k)
      requests.push_back(
          {.point = points[k],
           .rng = Rng({.seed = streams.seed,
                       .purpose = purpose::kReplicate,
                       .chain = streams.chain,
                       .iteration = streams.first + static_cast<std::uint32_t>(begin + k)})});
    writer->write(requests);
    for (density::DrawRequest& request : requests) answers.push_back(std::move(request.row));
  }
  return answers;
}

}  // namespace credo::model
