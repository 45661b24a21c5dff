// Times of a series: a column of dates, months or numbers becomes places on a grid of equal steps.
#pragma once
#include "base/types.hpp"

namespace credo::models {

enum class TimeUnit { row, number, month, day, second };

// Places 0, 1, ... of a series. `first` and `step` count units: months from year 0, days and seconds from 1970-01-01.
struct TimeAxis {
  TimeUnit unit = TimeUnit::row;
  std::int64_t first = 1, step = 1;
  Index num_times = 0;
  bool has_days = false;     // months are written with a day
  bool is_last_day = false;  // their last one
  unsigned day = 1;          // else this one, or the last one of shorter months

  std::string label(Index place) const;  // "1949-03"
  std::string words() const;             // "monthly from 1949-01 to 1960-12"
  std::string step_words() const;        // "1 day"
  // Steps of a natural cycle: 12 of months, 4 of quarters, 7 of days, 24 of hours; 0: the times have no cycle.
  Index season() const;
};

// A cell of a time column as a count of units; nullopt: it is no time.
struct ParsedTime {
  TimeUnit unit = TimeUnit::number;
  std::int64_t count = 0;
  bool is_first_day = true, is_last_day = false, has_day = false;
};
std::optional<ParsedTime> parse_time(std::string_view text);

struct TimeFault {
  Index row = 0;  // from 0
  std::string message, hint;
};
struct TimeReading {
  TimeAxis axis;
  std::vector<Index> places;  // place of each row
  std::optional<TimeFault> fault;
};
// Cells from the first row on. Times must ascend.
TimeReading read_times(std::span<const std::string> cells);
// True for names of columns that are taken as times: date, Month, ...
bool is_time_name(std::string name);
// Rows without a column of times: 1, 2, ...
TimeAxis row_times(Index num_rows);
// Rows behind an axis: those of another table that continue it. Places count on.
TimeReading read_times_behind(const TimeAxis& axis, std::span<const std::string> cells);
// The place of a time on an axis, or nullopt.
std::optional<Index> place_of(const TimeAxis& axis, std::string_view text);

}  // namespace credo::models
