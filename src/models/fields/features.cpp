#include "models/fields/features.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"

namespace credo::models {
namespace {
constexpr const char* kIntercept = "(label)";

[[noreturn]] void refuse_term(const Expression& e, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("'{}': {}", e.text(), message), "formula",
              "terms are columns and factor, suffix, prefix, lower, shape, prev, next, first, last "
              "of them: label ~ word + suffix(word, 3) + next(word)");
}

Index whole_number(const Expression& call, const Expression& e) {
  Index value = 0;
  const char* const end = e.word.data() + e.word.size();
  if (e.kind != Expression::Kind::number || std::from_chars(e.word.data(), end, value).ptr != end ||
      value < 1 || value > 1000)
    refuse_term(call, fmt::format("'{}' is no whole number from 1 to 1000", e.text()));
  return value;
}

using IsText = std::function<bool(const std::string&)>;

class TermReader {
 public:
  TermReader(const IsText& is_text, const std::vector<std::string>& dot_columns)
      : is_text_(is_text), dot_columns_(dot_columns) {}

  void read(const Expression& e, bool is_negative, FeatureTerms& to) const {
    if (e.is_operation("+") || e.is_operation("-")) {
      const bool is_minus = e.word == "-";
      if (e.parts.size() == 2) read(e.parts[0], is_negative, to);
      return read(e.parts.back(), is_negative != is_minus, to);
    }
    if (e.kind == Expression::Kind::number && (e.word == "0" || e.word == "1")) {
      to.has_intercept = (e.word == "1") != is_negative;
      return;
    }
    if (is_negative) refuse_term(e, "terms can't be subtracted");
    if (e.kind == Expression::Kind::name && e.word == ".") {
      for (const std::string& column : dot_columns_) add({column, {plain(column)}}, to);
      if (dot_columns_.empty()) refuse_term(e, "no column is left for .");
      return;
    }
    FeatureTerm term{.text = e.text(), .factors = {}};
    factors(e, 0, term.factors);
    add(std::move(term), to);
  }

 private:
  static void add(FeatureTerm term, FeatureTerms& to) {
    for (const FeatureTerm& known : to.terms)
      if (known.text == term.text) return;
    to.terms.push_back(std::move(term));
  }
  FeatureFactor plain(const std::string& column) const {
    return {.kind = is_text_(column) ? FeatureFactor::Kind::text : FeatureFactor::Kind::number,
            .column = column};
  }
  void factors(const Expression& e, Index shift, std::vector<FeatureFactor>& to) const {
    if (e.is_operation(":")) {
      for (const Expression& part : e.parts) factors(part, shift, to);
      return;
    }
    if (e.kind == Expression::Kind::name) {
      if (e.word == ".") refuse_term(e, ". stands for all columns, and alone");
      to.push_back(plain(e.word));
      to.back().shift = shift;
      return;
    }
    if (e.kind != Expression::Kind::call) refuse_term(e, "this is no term");
    if (e.word == "prev" || e.word == "next") {
      require_arguments(e, 1, 2);
      const Index step = e.parts.size() == 2 ? whole_number(e, e.parts[1]) : 1;
      return factors(e.parts[0], shift + (e.word == "prev" ? -step : step), to);
    }
    to.push_back(call(e));
    to.back().shift = shift;
  }
  static void require_arguments(const Expression& e, std::size_t least, std::size_t most) {
    if (e.parts.size() < least || e.parts.size() > most)
      refuse_term(e, fmt::format("{} has {} argument{}", e.word,
                                 least == most ? fmt::format("{}", least)
                                               : fmt::format("{} or {}", least, most),
                                 most == 1 ? "" : "s"));
  }
  FeatureFactor call(const Expression& e) const {
    using Kind = FeatureFactor::Kind;
    static const std::map<std::string, Kind, std::less<>> kKinds{
        {"factor", Kind::text}, {"suffix", Kind::suffix}, {"prefix", Kind::prefix},
        {"lower", Kind::lower}, {"shape", Kind::shape},   {"first", Kind::first},
        {"last", Kind::last}};
    const auto kind = kKinds.find(e.word);
    if (kind == kKinds.end()) refuse_term(e, fmt::format("there is no function {}", e.word));
    FeatureFactor made{.kind = kind->second};
    if (made.kind == Kind::first || made.kind == Kind::last) {
      require_arguments(e, 0, 0);
      return made;
    }
    const bool has_length = made.kind == Kind::suffix || made.kind == Kind::prefix;
    require_arguments(e, has_length ? 2 : 1, has_length ? 2 : 1);
    if (e.parts[0].kind != Expression::Kind::name) refuse_term(e, "its argument is a column");
    made.column = e.parts[0].word;
    is_text_(made.column);  // refuses a column that isn't there
    if (has_length) made.length = whole_number(e, e.parts[1]);
    return made;
  }

  const IsText& is_text_;
  const std::vector<std::string>& dot_columns_;
};

// Names stand one a line in files.
std::string on_one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2)
    text.replace(at, 1, "\\n");
  return text;
}

std::string form_of(const FeatureFactor& factor, const std::string& text) {
  switch (factor.kind) {
    case FeatureFactor::Kind::suffix:
      return suffix_of(text, factor.length);
    case FeatureFactor::Kind::prefix:
      return prefix_of(text, factor.length);
    case FeatureFactor::Kind::shape:
      return shape_of(text);
    case FeatureFactor::Kind::lower: {
      std::string made = text;
      for (char& c : made)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      return made;
    }
    default:
      return text;
  }
}

// Values of a factor at the rows of a table.
class FactorColumn {
 public:
  FactorColumn(const FeatureFactor& factor, LabelTable& table, ColumnScale scale)
      : factor_(factor), scale_(scale) {
    if (factor.uses_text()) {
      column_ = &table.texts(factor.column);
      for (const std::string& level : column_->levels)
        forms_.push_back(on_one_line(form_of(factor, level)));
    } else if (factor.kind == FeatureFactor::Kind::number) {
      column_ = &table.numbers(factor.column);
    }
  }
  bool is_text() const { return factor_.uses_text(); }
  // The row that the factor is about, or -1 before and -2 behind the sequence.
  Index row(Index n, const RowRange& range) const {
    const Index at = n + factor_.shift;
    return at < range.first ? -1 : at >= range.first + range.length ? -2 : at;
  }
  const std::string& text(Index row) const {
    static const std::string kStart = "<start>", kEnd = "<end>";
    if (row < 0) return row == -1 ? kStart : kEnd;
    return forms_[static_cast<std::size_t>(column_->codes[static_cast<std::size_t>(row)])];
  }
  double value(Index row, const RowRange& range) const {
    if (factor_.kind == FeatureFactor::Kind::first) return row == range.first ? 1.0 : 0.0;
    if (factor_.kind == FeatureFactor::Kind::last)
      return row == range.first + range.length - 1 ? 1.0 : 0.0;
    // Beyond the sequence a number is at its mean.
    if (row < 0) return 0.0;
    return (column_->numbers[static_cast<std::size_t>(row)] - scale_.mean) / scale_.sd;
  }
  const std::string& column_name() const { return factor_.column; }

 private:
  const FeatureFactor& factor_;
  ColumnScale scale_;
  const LabelColumn* column_ = nullptr;
  std::vector<std::string> forms_;
};

class TermColumns {
 public:
  TermColumns(const FeatureList& list, LabelTable& table) : list_(list) {
    for (const FeatureTerm& term : list.terms.terms) {
      columns_.emplace_back();
      for (const FeatureFactor& factor : term.factors) {
        const auto scale = list.scales.find(factor.column);
        columns_.back().emplace_back(factor, table,
                                     scale == list.scales.end() ? ColumnScale{} : scale->second);
      }
    }
  }
  // visit(term, name, value) for the features of a row that aren't 0.
  template <class Visit>
  void for_each(Index n, const RowRange& range, Visit visit) const {
    static const std::string kOwn = kIntercept;
    if (list_.terms.has_intercept) visit(std::size_t{0}, kOwn, 1.0, Index{-1});
    for (std::size_t t = 0; t < columns_.size(); ++t) {
      std::string name = list_.terms.terms[t].text;
      double value = 1.0;
      bool is_first = true;
      Index row = -1;
      for (const FactorColumn& column : columns_[t]) {
        row = column.row(n, range);
        if (!column.is_text()) {
          value *= column.value(row, range);
          continue;
        }
        name += is_first ? "=" : ":";
        name += column.text(row);
        is_first = false;
      }
      if (value != 0.0) visit(t, name, value, columns_[t].size() == 1 ? row : -1);
    }
  }
  const FactorColumn& only(std::size_t term) const { return columns_[term][0]; }

 private:
  const FeatureList& list_;
  std::vector<std::vector<FactorColumn>> columns_;
};

void learn_scales(FeatureList& list, LabelTable& table) {
  for (const FeatureTerm& term : list.terms.terms)
    for (const FeatureFactor& factor : term.factors) {
      if (factor.kind != FeatureFactor::Kind::number || list.scales.contains(factor.column))
        continue;
      const LabelColumn& column = table.numbers(factor.column);
      const auto n = static_cast<double>(column.numbers.size());
      double mean = 0.0, sum = 0.0;
      for (const double x : column.numbers) mean += x / n;
      for (const double x : column.numbers) sum += (x - mean) * (x - mean);
      const double sd = std::sqrt(sum / std::max(1.0, n - 1.0));
      if (!(sd > 1e-12 * std::abs(mean)))
        throw Error(ErrorCode::data, fmt::format("{} is the same in all rows", factor.column),
                    table.path(), fmt::format("leave it out, or use factor({})", factor.column));
      list.scales[factor.column] = {.mean = mean, .sd = sd};
    }
}

// All features of all rows, by the place in a list that grows.
template <class Place>
FeatureRows rows_by(const TermColumns& columns, std::span<const RowRange> sequences, Place place) {
  FeatureRows rows;
  for (const RowRange& range : sequences)
    for (Index n = range.first; n < range.first + range.length; ++n) {
      columns.for_each(n, range,
                       [&](std::size_t t, const std::string& name, double value, Index row) {
                         const std::int32_t at = place(t, name, row);
                         if (at < 0) return;
                         rows.features.push_back(at);
                         rows.values.push_back(value);
                       });
      rows.first.push_back(rows.features.size());
    }
  return rows;
}
}  // namespace

void FeatureList::add(const std::string& name) {
  places.emplace(name, static_cast<std::int32_t>(names.size()));
  names.push_back(name);
}

FeatureTerms read_feature_terms(const Expression& right, const IsText& is_text,
                                const std::vector<std::string>& dot_columns) {
  FeatureTerms made;
  TermReader(is_text, dot_columns).read(right, false, made);
  if (made.terms.empty() && !made.has_intercept) refuse_term(right, "there is no feature");
  return made;
}

FeatureRows learn_features(FeatureList& list, LabelTable& table,
                           std::span<const RowRange> sequences, Index min_count) {
  learn_scales(list, table);
  const TermColumns columns(list, table);
  std::vector<Index> counts;
  FeatureList all;
  const FeatureRows rows = rows_by(
      columns, sequences, [&](std::size_t /*term*/, const std::string& name, Index /*row*/) {
        auto found = all.places.find(name);
        if (found == all.places.end()) {
          all.add(name);
          counts.push_back(0);
          found = all.places.find(name);
        }
        ++counts[static_cast<std::size_t>(found->second)];
        return found->second;
      });
  std::vector<std::int32_t> place(counts.size(), -1);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < min_count) {
      ++list.num_rare;
      continue;
    }
    place[k] = static_cast<std::int32_t>(list.names.size());
    list.add(all.names[k]);
  }
  FeatureRows kept;
  for (Index n = 0; n < rows.num_rows(); ++n) {
    for (std::size_t k = rows.first[static_cast<std::size_t>(n)];
         k < rows.first[static_cast<std::size_t>(n) + 1]; ++k) {
      const std::int32_t at = place[static_cast<std::size_t>(rows.features[k])];
      if (at < 0) continue;
      kept.features.push_back(at);
      kept.values.push_back(rows.values[k]);
    }
    kept.first.push_back(kept.features.size());
  }
  if (list.names.empty())
    throw Error(
        ErrorCode::data, "no feature is left", table.path(),
        fmt::format("--min-count {} leaves out all of them: take a smaller one", min_count));
  return kept;
}

FeatureRows features_of(const FeatureList& list, LabelTable& table,
                        std::span<const RowRange> sequences, UnknownFeatures& unknown) {
  const TermColumns columns(list, table);
  return rows_by(columns, sequences, [&](std::size_t t, const std::string& name, Index row) {
    const auto found = list.places.find(name);
    if (found != list.places.end()) return found->second;
    ++unknown.num_cells;
    if (row >= 0 && columns.only(t).is_text())
      unknown.texts[list.terms.terms[t].text].insert(columns.only(t).text(row));
    return std::int32_t{-1};
  });
}

std::string shape_of(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char kind = c >= 'A' && c <= 'Z'                    ? 'X'
                      : (c >= 'a' && c <= 'z') || byte >= 128 ? 'x'
                      : c >= '0' && c <= '9'                  ? 'd'
                                                              : c;
    if (shape.empty() || shape.back() != kind) shape += kind;
  }
  return shape;
}

std::string prefix_of(std::string_view text, Index count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u && count-- == 0) break;
  return std::string(text.substr(0, at));
}
std::string suffix_of(std::string_view text, Index count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0)
    if ((static_cast<unsigned char>(text[--at]) & 0xC0u) != 0x80u) --count;
  return std::string(text.substr(at));
}

}  // namespace credo::models
