#include "models/series/time_axis.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace credo::models {
namespace {
namespace calendar = std::chrono;
constexpr std::int64_t kDaySeconds = 86'400;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
bool has_digits(std::string_view text, std::size_t first, std::size_t count) {
  if (text.size() < first + count) return false;
  return std::ranges::all_of(text.substr(first, count),
                             [](char c) { return c >= '0' && c <= '9'; });
}

calendar::year_month_day date_of_days(std::int64_t days) {
  return calendar::year_month_day(calendar::sys_days(calendar::days(days)));
}
std::string text_of_days(std::int64_t days) {
  const auto date = date_of_days(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

unsigned last_day_of(const calendar::year_month_day& date) {
  return static_cast<unsigned>(
      calendar::year_month_day_last(date.year(), date.month() / calendar::last).day());
}
std::int64_t month_of_days(std::int64_t days) {
  const auto date = date_of_days(days);
  return static_cast<std::int64_t>(static_cast<int>(date.year())) * 12 +
         static_cast<unsigned>(date.month()) - 1;
}
// 202401 as a month; nullopt without a month from 01 to 12 and a year from 1700 to 2299.
std::optional<std::int64_t> month_of_digits(std::int64_t number) {
  const std::int64_t year = number / 100, month = number % 100;
  if (year < 1700 || year > 2299 || month < 1 || month > 12) return std::nullopt;
  return year * 12 + month - 1;
}

// hh:mm or hh:mm:ss behind a date.
std::optional<std::int64_t> seconds_of_clock(std::string_view text) {
  if (!has_digits(text, 0, 2) || text.size() < 5 || text[2] != ':' || !has_digits(text, 3, 2))
    return std::nullopt;
  std::int64_t seconds =
      *whole_number(text.substr(0, 2)) * 3600 + *whole_number(text.substr(3, 2)) * 60;
  text.remove_prefix(5);
  if (text.size() >= 3 && text[0] == ':' && has_digits(text, 1, 2)) {
    seconds += *whole_number(text.substr(1, 2));
    text.remove_prefix(3);
  }
  if (text == "Z") text.remove_prefix(1);
  return text.empty() && seconds < kDaySeconds ? std::optional(seconds) : std::nullopt;
}
}  // namespace

std::optional<ParsedTime> parse_time(std::string_view text) {
  if (const auto number = whole_number(text)) return ParsedTime{TimeUnit::number, *number};
  const bool is_quarter =
      text.size() >= 6 && has_digits(text, 0, 4) &&
      (text.substr(4, 1) == "Q" || text.substr(4, 2) == "-Q" || text.substr(4, 2) == " Q");
  if (is_quarter && text.back() >= '1' && text.back() <= '4' && text[text.size() - 2] == 'Q')
    return ParsedTime{TimeUnit::month,
                      *whole_number(text.substr(0, 4)) * 12 + 3 * (text.back() - '1')};
  if (!has_digits(text, 0, 4) || text.size() < 7 || text[4] != '-' || !has_digits(text, 5, 2))
    return std::nullopt;
  const auto year = *whole_number(text.substr(0, 4)), month = *whole_number(text.substr(5, 2));
  if (month < 1 || month > 12) return std::nullopt;
  if (text.size() == 7) return ParsedTime{TimeUnit::month, year * 12 + month - 1};
  if (text[7] != '-' || !has_digits(text, 8, 2)) return std::nullopt;
  const calendar::year_month_day date{
      calendar::year(static_cast<int>(year)), calendar::month(static_cast<unsigned>(month)),
      calendar::day(static_cast<unsigned>(*whole_number(text.substr(8, 2))))};
  if (!date.ok()) return std::nullopt;
  const auto days = calendar::sys_days(date).time_since_epoch().count();
  if (text.size() == 10) {
    const bool is_last =
        calendar::sys_days(date.year() / date.month() / calendar::last) == calendar::sys_days(date);
    return ParsedTime{TimeUnit::day, days, date.day() == calendar::day(1), is_last, true};
  }
  if (text[10] != 'T' && text[10] != ' ') return std::nullopt;
  const auto clock = seconds_of_clock(text.substr(11));
  if (!clock) return std::nullopt;
  return ParsedTime{TimeUnit::second, days * kDaySeconds + *clock, false, false, true};
}

std::string TimeAxis::label(Index place) const {
  const std::int64_t count = first + place * step;
  switch (unit) {
    case TimeUnit::month: {
      const std::int64_t year = count / 12, month = count % 12 + 1;
      if (!has_days) return fmt::format("{:04}-{:02}", year, month);
      const calendar::year_month_day start{calendar::year(static_cast<int>(year)),
                                           calendar::month(static_cast<unsigned>(month)),
                                           calendar::day(1)};
      const unsigned last = last_day_of(start);
      return fmt::format("{:04}-{:02}-{:02}", year, month,
                         is_last_day ? last : std::min(day, last));
    }
    case TimeUnit::day:
      return text_of_days(count);
    case TimeUnit::second: {
      const std::int64_t days = (count >= 0 ? count : count - kDaySeconds + 1) / kDaySeconds,
                         rest = count - days * kDaySeconds;
      return fmt::format("{} {:02}:{:02}:{:02}", text_of_days(days), rest / 3600, rest / 60 % 60,
                         rest % 60);
    }
    default:
      return fmt::format("{}", count);
  }
}

std::string TimeAxis::words() const {
  if (unit == TimeUnit::row) return fmt::format("{} rows", num_times);
  const auto every = [&](const char* one, const char* many) {
    return step == 1 ? std::string(one) : fmt::format("every {} {}", step, many);
  };
  std::string rhythm;
  if (unit == TimeUnit::month)
    rhythm = step == 3 ? "quarterly" : step == 12 ? "yearly" : every("monthly", "months");
  else if (unit == TimeUnit::day)
    rhythm = step == 7 ? "weekly" : every("daily", "days");
  else if (unit == TimeUnit::second)
    rhythm = step == 3600 ? "hourly" : every("every second", "seconds");
  else
    rhythm = every("in steps of 1", "units");
  return fmt::format("{} times, {}, from {} to {}", num_times, rhythm, label(0),
                     label(num_times - 1));
}

std::string TimeAxis::step_words() const {
  const std::string_view one = unit == TimeUnit::month    ? "month"
                               : unit == TimeUnit::day    ? "day"
                               : unit == TimeUnit::second ? "second"
                                                          : "unit";
  return fmt::format("{} {}{}", step, one, step == 1 ? "" : "s");
}

Index TimeAxis::season() const {
  if (unit == TimeUnit::month)
    return 12 % step == 0 && step < 12 ? static_cast<Index>(12 / step) : 0;
  if (unit == TimeUnit::day) return step == 1 ? 7 : 0;
  if (unit == TimeUnit::second) return step == 3600 ? 24 : 0;
  return 0;
}

bool is_time_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  static constexpr std::array kNames{"date", "time",    "month", "year",     "day",
                                     "week", "quarter", "ds",    "timestamp"};
  return std::ranges::find(kNames, name) != kNames.end();
}

TimeAxis row_times(Index num_rows) { return {.num_times = num_rows}; }

namespace {
// Times of all cells, in one unit. Days that are the same of each month, or the last ones, are months, and so are numbers as 202401.
struct TimeCells {
  TimeUnit unit = TimeUnit::number;
  std::vector<std::int64_t> counts = {};
  bool has_days = false, is_last_day = false;
  unsigned day = 1;
  std::optional<TimeFault> fault = {};
};
// True if all days are the same of their months, `day`, or the last one of a month that is shorter.
bool are_on_one_day(std::span<const std::int64_t> counts, unsigned& day) {
  day = 1;
  for (const std::int64_t count : counts)
    day = std::max(day, static_cast<unsigned>(date_of_days(count).day()));
  return std::ranges::all_of(counts, [&](std::int64_t count) {
    const auto date = date_of_days(count);
    return static_cast<unsigned>(date.day()) == std::min(day, last_day_of(date));
  });
}
void use_months_of_digits(TimeCells& all) {
  std::vector<std::int64_t> months;
  for (const std::int64_t count : all.counts)
    if (const auto month = month_of_digits(count)) months.push_back(*month);
  if (months.size() != all.counts.size() || months.size() < 2) return;
  all.unit = TimeUnit::month, all.counts = std::move(months);
}
TimeCells cells_of_times(std::span<const std::string> cells) {
  TimeCells all;
  bool are_last = true;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto time = parse_time(cells[k]);
    const auto row = static_cast<Index>(k);
    if (!time) {
      all.fault = {row,
                   cells[k].empty() ? "there is no time in this row"
                                    : fmt::format("'{}' is no time", cells[k]),
                   "times are whole numbers, 2024-03-31, 2024-03, 2024Q1 or 2024-03-31 12:00"};
      return all;
    }
    if (k == 0) all.unit = time->unit;
    if (time->unit != all.unit) {
      all.fault = {row,
                   fmt::format("'{}' is written in another way than the times before it", cells[k]),
                   "write all times in one way"};
      return all;
    }
    all.counts.push_back(time->count);
    are_last = are_last && time->is_last_day;
  }
  if (all.unit == TimeUnit::number) use_months_of_digits(all);
  if (all.unit != TimeUnit::day || all.counts.size() < 2 ||
      !(are_on_one_day(all.counts, all.day) || are_last))
    return all;
  for (std::int64_t& count : all.counts) count = month_of_days(count);
  all.unit = TimeUnit::month, all.has_days = true, all.is_last_day = are_last;
  return all;
}
std::optional<TimeFault> first_disorder(std::span<const std::int64_t> counts,
                                        std::span<const std::string> cells) {
  for (std::size_t k = 1; k < counts.size(); ++k) {
    if (counts[k] == counts[k - 1])
      return TimeFault{
          static_cast<Index>(k), fmt::format("the time {} is that of row {}, too", cells[k], k),
          "a series has one row for each time: keep one of them, or give each series a table"};
    if (counts[k] < counts[k - 1])
      return TimeFault{
          static_cast<Index>(k),
          fmt::format("the time {} is before that of row {}, {}", cells[k], k, cells[k - 1]),
          "sort the rows by time"};
  }
  return std::nullopt;
}
constexpr std::int64_t kMostTimes = 10'000'000;
}  // namespace

TimeReading read_times(std::span<const std::string> cells) {
  TimeReading found;
  TimeCells all = cells_of_times(cells);
  found.fault = all.fault;
  if (!found.fault) found.fault = first_disorder(all.counts, cells);
  if (found.fault || cells.empty()) return found;
  std::int64_t step = 0;
  for (const std::int64_t count : all.counts) step = std::gcd(step, count - all.counts[0]);
  if (step == 0) step = 1;
  const std::int64_t num_times = (all.counts.back() - all.counts[0]) / step + 1;
  if (num_times > kMostTimes) {
    found.fault = {ssize(cells) - 1,
                   fmt::format("the steps between times make {} places", num_times),
                   "round the times to a coarser step"};
    return found;
  }
  found.axis = {.unit = all.unit,
                .first = all.counts[0],
                .step = step,
                .num_times = num_times,
                .has_days = all.has_days,
                .is_last_day = all.is_last_day,
                .day = all.day};
  for (const std::int64_t count : all.counts)
    found.places.push_back((count - all.counts[0]) / step);
  return found;
}

std::optional<Index> place_of(const TimeAxis& axis, std::string_view text) {
  const auto time = parse_time(text);
  if (!time) return std::nullopt;
  std::int64_t count = time->count;
  if (time->unit == TimeUnit::day && axis.unit == TimeUnit::month) {
    count = month_of_days(count);
  } else if (time->unit == TimeUnit::number && axis.unit == TimeUnit::month) {
    const auto month = month_of_digits(count);
    if (!month) return std::nullopt;
    count = *month;
  } else if (time->unit == TimeUnit::day && axis.unit == TimeUnit::second) {
    count *= kDaySeconds;
  } else if (time->unit != axis.unit &&
             !(time->unit == TimeUnit::number && axis.unit == TimeUnit::row)) {
    return std::nullopt;
  }
  const std::int64_t off = count - axis.first;
  if (off < 0 || off % axis.step != 0) return std::nullopt;
  return off / axis.step;
}

TimeReading read_times_behind(const TimeAxis& axis, std::span<const std::string> cells) {
  TimeReading found;
  found.axis = axis;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto place = place_of(axis, cells[k]);
    const auto row = static_cast<Index>(k);
    const Index least = found.places.empty() ? axis.num_times : found.places.back() + 1;
    if (place && *place >= least) {
      found.places.push_back(*place);
      continue;
    }
    found.fault = {
        row,
        !place
            ? fmt::format("'{}' is no time in the steps of the series, {}", cells[k], axis.words())
            : fmt::format("the time {} isn't behind {}", cells[k], axis.label(least - 1)),
        "future rows follow the series in its steps"};
    return found;
  }
  return found;
}

}  // namespace credo::models
