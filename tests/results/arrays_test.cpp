// Arrays of a result: in memory, in a NetCDF file, as tables and as JSON.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/file.hpp"
#include "io/netcdf_reader.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"
#include "results/arrays/array_tables.hpp"
#include "support/json_tree.hpp"

namespace credo::results::arrays_test {
namespace {

ArrayList small_answer() {
  ArrayList answer;
  answer.set("question", std::string("test"));
  answer.set("count", Index{3});
  answer.set("level", 0.25);
  answer.add_group("series", {{"time", 3}, {"x_dim_0", 2}})
      .add_numbers("time", 5)
      .add({.name = "x", .dims = {"time", "x_dim_0"}, .help = "state", .unit = "m"},
           {1.0, 2.0, 3.0, 4.0, 5.0, kNaN})
      .add({.name = "moved", .dims = {"time"}, .kind = density::Kind::flag}, {1.0, 0.0, 1.0})
      .add({.name = "total"}, {15.5});
  answer.add_group("methods", {{"method", 2}, {"nothing", 0}})
      .add_labels("method", {"=first, quoted", "second"})
      .add({.name = "count", .dims = {"method"}, .kind = density::Kind::whole}, {7.0, 8.0})
      .add({.name = "empty", .dims = {"nothing"}}, {});
  return answer;
}

class Arrays : public ::testing::Test {
 protected:
  Arrays()
      : folder_(std::filesystem::temp_directory_path() /
                ("credo_arrays_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Arrays() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Arrays, file_gives_back_what_was_written) {
  const ArrayList answer = small_answer();
  write_arrays(answer, at("a.nc"));
  const auto again = read_arrays(at("a.nc"));
  EXPECT_EQ(again->text("question"), "test");
  EXPECT_EQ(again->number("count"), 3.0);
  EXPECT_EQ(again->number("level"), 0.25);
  ASSERT_EQ(again->groups().size(), 2u);
  const Group& series = again->groups()[0];
  EXPECT_EQ(series.name, "series");
  const Field& x = *series.find("x");
  EXPECT_EQ(x.dims, (std::vector<std::string>{"time", "x_dim_0"}));
  EXPECT_EQ(x.help, "state");
  EXPECT_EQ(x.unit, "m");
  const std::vector<double> values = again->read(series, x);
  ASSERT_EQ(values.size(), 6u);
  EXPECT_EQ(values[4], 5.0);
  EXPECT_TRUE(std::isnan(values[5]));
  EXPECT_EQ(again->read(series, x, 1, 1), (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(answer.read(answer.groups()[0], *answer.groups()[0].find("x"), 1, 1),
            (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(series.find("moved")->kind, density::Kind::flag);
  EXPECT_EQ(again->find("series", "total"), std::vector<double>{15.5});
  const Group& methods = again->groups()[1];
  EXPECT_EQ(methods.find("method")->labels, (std::vector<std::string>{"=first, quoted", "second"}));
  EXPECT_EQ(methods.find("count")->kind, density::Kind::whole);
  EXPECT_EQ(methods.find("empty"), nullptr);  // a field without values isn't written
}

TEST_F(Arrays, texts_come_back_from_a_file) {
  const std::vector<std::string> texts{"", "two\nlines", R"(a \n b\)", "", "plain"};
  for (const auto& some : {texts, std::vector<std::string>{"", ""}}) {
    ArrayList answer;
    add_list(answer, "notes", "note", some);
    write_arrays(answer, at("t.nc"));
    const auto again = read_arrays(at("t.nc"));
    const Group& notes = *again->find_group("notes");
    const Field& text = *notes.find("text");
    const std::vector<double> places = again->read(notes, text);
    for (std::size_t k = 0; k < some.size(); ++k)
      EXPECT_EQ(text.labels.at(static_cast<std::size_t>(places[k])), some[k]);
  }
}

TEST_F(Arrays, answer_json_has_the_shape_that_is_described) {
  struct Method {
    std::string name;
    double bound;
    std::vector<double> steps;
    std::vector<std::string> notes;
  };
  const std::vector<Method> methods{{"a", kNaN, {1.0, kNaN}, {"x", ""}}, {"b", 2.0, {}, {}}};
  ArrayList answer("test");
  answer.set("total", 1.5, "total.value");
  answer.set("total_error", 0.5, "total.error");
  answer.set("given", kNaN, {}, Missing::null);
  answer.set("absent", std::string(), {}, Missing::left_out);
  answer.set("good", true);
  answer.add_group("fits", {{"method", 2}}, {.key = "methods"})
      .add_labels("method", {"a", "b"}, "name")
      .add_column({.name = "bound", .missing = Missing::left_out}, methods, &Method::bound)
      .add_column({.name = "rate_mean", .key = "rate.mean"}, methods, &Method::bound);
  const auto steps = elements_within(methods, &Method::steps);
  answer.add_lists("fits", "steps", steps);
  const auto notes = elements_within(methods, &Method::notes);
  answer.add_rows("notes", notes, {.of = "fits"})
      .columns(notes, Missing::null)("text", std::identity());
  answer.add_group("named", {{"i", 2}}, {.shape = Shape::named})
      .add_texts({.name = "name", .dims = {"i"}}, {"p.q", "r"})
      .add({.name = "value", .dims = {"i"}}, {1.0, 2.0});
  answer.add_group("sums", {{"i", 2}}, {.shape = Shape::object})
      .add({.name = "one", .key = "one[][]"}, {7.0})
      .add({.name = "two", .dims = {"i"}, .key = "list[]"}, {1.0, 2.0})
      .add({.name = "three", .key = "list[]"}, {3.0});
  EXPECT_EQ(answer_json(answer),
            R"({"total":{"value":1.5,"error":0.5},"given":null,"good":true,"methods":[
{"name":"a","rate":{"mean":"NaN"},"steps":[1,"NaN"],"notes":[
{"text":"x"},
{"text":null}]},
{"name":"b","bound":2,"rate":{"mean":2},"steps":[],"notes":[]}],)"
            R"("named":{"p.q":1,"r":2},"sums":{"one":[[7]],"list":[1,2,3]}})"
            "\n");
}

TEST_F(Arrays, lists_and_rows_are_told_as_json) {
  ArrayList answer;
  answer.set_all("n", Index{2}, "good", true);
  add_list(answer, "names", "name", std::vector<std::string>{"a", ""});
  add_list(answer, "numbers", "place", {0.5, kNaN});
  add_list(answer, "matrix", {"from", "to"},
           std::vector<std::vector<double>>{{1.0, 0.0}, {0.5, 0.5}});
  EXPECT_EQ(answer_json(answer),
            R"({"n":2,"good":true,"names":["a",""],"numbers":[0.5,"NaN"],"matrix":[
[1,0],
[0.5,0.5]]})"
            "\n");
  ArrayList rows;
  const std::vector<Index> counts{3, 1};
  rows.add_rows("counts", counts).columns(counts)("count", std::identity());
  EXPECT_EQ(rows_json(rows), "[\n{\"count\":3},\n{\"count\":1}]\n");
}

// A refused point has no values; lists of a list differ in length; settings are named by data.
TEST_F(Arrays, members_of_groups_within_belong_to_the_object_around_them) {
  struct Setting {
    std::string name;
    std::vector<double> values;
  };
  struct Point {
    std::string error;
    double value;
    std::vector<std::vector<double>> lists;
    std::vector<Setting> settings;
  };
  const std::vector<Point> points{{"outside", 0.0, {}, {}},
                                  {"", 2.0, {{1.0}, {}}, {{"a.b", {3.0, 4.0}}, {"c", {}}}}};
  ArrayList answer;
  answer.add_rows("points", points)
      .add_column({.name = "error", .missing = Missing::left_out}, points, &Point::error);
  const auto found = elements_within(points, [](const Point& point) {
    return point.error.empty() ? std::vector{&point} : std::vector<const Point*>{};
  });
  answer.add_rows("found", found, {.key = kWithin, .shape = Shape::row, .of = "points"})
      .add_column({.name = "value"}, found, &Point::value);
  const auto lists = elements_within(found, &Point::lists);
  answer.add_rows("lists", lists, {.of = "found", .has_lines = false});
  const auto elements = elements_within(lists, std::identity());
  answer.add_rows("elements", elements, {.key = kWithin, .shape = Shape::values, .of = "lists"})
      .add_column({.name = "x"}, elements, std::identity());
  const auto settings = elements_within(found, &Point::settings);
  answer.add_rows("settings", settings, {.shape = Shape::named, .of = "found"})
      .add_column({.name = "name"}, settings, &Setting::name);
  const auto values = elements_within(settings, &Setting::values);
  answer.add_rows("values", values, {.key = kWithin, .shape = Shape::values, .of = "settings"})
      .add_column({.name = "x"}, values, std::identity());
  EXPECT_EQ(rows_json(answer),
            "[\n{\"error\":\"outside\"},\n"
            R"({"value":2,"lists":[[1],[]],"settings":{"a.b":[3,4],"c":[]}}])"
            "\n");
}

// Passes the arrays of a list on, row by row.
class ByRows final : public ArrayResult {
 public:
  explicit ByRows(const ArrayList& list) : list_(list) {}
  const std::vector<std::pair<std::string, Attribute>>& attributes() const override {
    return list_.attributes();
  }
  const std::vector<Group>& groups() const override { return list_.groups(); }
  std::vector<double> read(const Group& group, const Field& field, Index first,
                           Index count) const override {
    most_ = std::max(most_, count);
    return list_.read(group, field, first, count);
  }
  Index most() const { return most_; }

 private:
  const ArrayList& list_;
  mutable Index most_ = 0;  // rows that were read at once
};

// Written in parts of 1 MiB, read back in one.
TEST_F(Arrays, long_fields_are_written_part_by_part) {
  constexpr Index kRows = 100'001;
  std::vector<double> values(static_cast<std::size_t>(3 * kRows));
  std::iota(values.begin(), values.end(), 0.0);
  ArrayList answer;
  answer.add_group("long", {{"row", kRows}, {"column", 3}})
      .add({.name = "x", .dims = {"row", "column"}}, values);
  const ByRows rows(answer);
  write_arrays_here(rows, at("long.nc"));
  EXPECT_EQ(rows.most(), (Index{1} << 17) / 3);
  EXPECT_EQ(read_arrays(at("long.nc"))->find("long", "x"), values);
}

TEST_F(Arrays, files_have_attributes_texts_and_groups_without_values) {
  ArrayList answer;
  Field text{.name = "file_0"};
  text.file.text = std::make_shared<const std::string>("a\nb");
  text.file.attributes = {{"path", "m.stan"}};
  answer.add_group("inputs", {}).add(text, {0.0});
  answer.add_group("empty", {{"draw", 0}})
      .keep_empty()
      .set("row", "draw")
      .add({.name = "x", .dims = {"draw"}, .file = {.attributes = {{"block", "parameters"}}}}, {});
  answer.add_group("made", {{"draw", 6}})
      .add_source({.name = "n",
                   .dims = {"draw"},
                   .kind = density::Kind::whole,
                   .file = {.chunks = {4}, .is_short = true}},
                  [] { return std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0, -6.0}; });
  write_arrays(answer, at("f.nc"));
  const auto again = read_arrays(at("f.nc"));
  ASSERT_EQ(again->groups().size(), 3u);
  const Group& empty = again->groups()[1];
  EXPECT_EQ(text_of(empty.attributes, "row"), "draw");
  EXPECT_EQ(text_of(empty.find("x")->file.attributes, "block"), "parameters");
  EXPECT_EQ(empty.size_of("draw"), 0);
  EXPECT_EQ(again->find("made", "n"), (std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0, -6.0}));
  const io::NetcdfReader file(at("f.nc"));
  const auto stored = file.find_variable(*file.find_group("inputs"), "file_0");
  EXPECT_EQ(file.read_text(*stored), "a\nb");
  EXPECT_EQ(file.attributes(*stored)["path"], "m.stan");
  const std::array<std::string, 2> names{"made", "missing"};
  EXPECT_EQ(read_groups(file, names)->groups().size(), 1u);
}

TEST_F(Arrays, tables_have_places_labels_and_values) {
  const ArrayList answer = small_answer();
  const std::vector<ArrayTable> tables = tables_of(answer.groups()[0]);
  ASSERT_EQ(tables.size(), 3u);  // by time and element, by time, one number
  EXPECT_EQ(table_text(answer, tables[0], 24, "all"),
            "series\n"
            "  time  x_dim_0  x\n"
            "     5        1  1\n"
            "     5        2  2\n"
            "     6        1  3\n"
            "     6        2  4\n"
            "     7        1  5\n"
            "     7        2  -\n");
  EXPECT_EQ(table_text(answer, tables[1], 2, "all is elsewhere"),
            "series\n"
            "  time  moved\n"
            "     5    yes\n"
            "     7    yes\n"
            "(2 of 3 rows; all is elsewhere)\n");
  EXPECT_EQ(table_text(answer, tables[2], 24, "all"), "series\n  total\n   15.5\n");
}

TEST_F(Arrays, csv_files_hold_every_value) {
  const std::vector<std::string> names = write_array_tables(small_answer(), at("t"));
  EXPECT_EQ(names, (std::vector<std::string>{at("t.series.csv"), at("t.series.time.csv"),
                                             at("t.series.single.csv"), at("t.methods.csv")}));
  EXPECT_EQ(io::read_file(at("t.series.csv")),
            "time,x_dim_0,x\n5,1,1\n5,2,2\n6,1,3\n6,2,4\n7,1,5\n7,2,nan\n");
  EXPECT_EQ(io::read_file(at("t.methods.csv")), "method,count\n\"'=first, quoted\",7\nsecond,8\n");
}

TEST_F(Arrays, json_nests_values_by_dimension) {
  const testing::Json json = testing::parse_json(arrays_json(small_answer()));
  EXPECT_EQ(json.at("attributes").at("level").value(), 0.25);
  const testing::Json& x = json.at("groups").at("series").at("fields").at("x");
  EXPECT_EQ(x.at("values").items[1].items[0].value(), 3.0);
  EXPECT_EQ(x.at("unit").text, "m");
  const testing::Json& methods = json.at("groups").at("methods").at("fields");
  EXPECT_EQ(methods.at("method").at("values").items[1].text, "second");
}

// Planted fault: a field with fewer values than its dimensions state must not pass.
TEST_F(Arrays, a_field_of_another_size_is_refused) {
  ArrayList answer;
  auto group = answer.add_group("g", {{"row", 3}});
  EXPECT_DEATH(group.add({.name = "x", .dims = {"row"}}, {1.0, 2.0}), "as many values");
}

}  // namespace
}  // namespace credo::results::arrays_test
