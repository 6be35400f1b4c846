// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/jacobi/jacobi.hpp"

#include "harness/check.hpp"

#include <atomic>
#include <bit>

namespace gangway::jacobi {

constexpr long longest_side = 1000000000;

static Setup setup_of(const harness::Parameters& parameters) {
  return parameters.choice("setup", {"document", "guide"}) == "guide" ? Setup::guide
                                                                      : Setup::document;
}

static long rows_of(const harness::Parameters& parameters) {
  if (parameters.text("n").empty())
    return setup_of(parameters) == Setup::guide ? 4094 : 1000;
  return parameters.integer("n", 0, longest_side);
}

static long columns_of(const harness::Parameters& parameters) {
  return parameters.text("columns").empty() ? rows_of(parameters)
                                            : parameters.integer("columns", 0, longest_side);
}

static int iterations_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("iterations", 0, 1000000000));
}

static double tolerance_of(const harness::Parameters& parameters) {
  if (parameters.text("tolerance").empty())
    return setup_of(parameters) == Setup::guide ? 1e-6 : 0.01;
  return parameters.real("tolerance", 0, 1e300);
}

static std::size_t cells(long rows, long columns) {
  return static_cast<std::size_t>(rows + 2) * static_cast<std::size_t>(columns + 2);
}

/// Keeps the larger one; for non-negative doubles the order of the bits is the order of the values.
static void raise(std::atomic<std::int64_t>& largest, std::int64_t bits) {
  std::int64_t seen = largest.load();
  while (bits > seen && !largest.compare_exchange_weak(seen, bits)) {
  }
}

constexpr harness::Key keys[]{
    {"setup", "document", "document (two edges rise to 100) or guide (one edge is 1)"},
    {"n", "", "rows and columns inside the edges; default 1000, guide 4094"},
    {"columns", "", "columns, where they are not n"},
    {"iterations", "1000", "sweeps at most"},
    {"tolerance", "", "stop when no cell changes by more; default 0.01, guide 1e-6"}};

static std::vector<harness::Case> cases(harness::Effort effort, double) {
  const auto sweeps = [&](int quick, int normal, int full) {
    return std::to_string(effort == harness::Effort::quick  ? quick
                          : effort == harness::Effort::full ? full
                                                            : normal);
  };
  // Even numbers of sweeps: a solver that swaps its two plates has nothing to copy at the end.
  harness::Case document{"document", {{"n", "1000"}, {"iterations", sweeps(20, 100, 1000)}}};
  harness::Case guide{"guide",
                      {{"setup", "guide"}, {"n", "4094"}, {"iterations", sweeps(2, 10, 100)}}};
  // 67 GB over the link.
  if (effort == harness::Effort::full)
    guide.without = {"no-data"};
  return {document, guide};
}

static std::vector<harness::Case> edge_cases() {
  return {
      {"no cell", {{"n", "0"}, {"iterations", "5"}}},
      {"one cell", {{"n", "1"}, {"iterations", "7"}, {"tolerance", "0"}}},
      {"no sweep", {{"n", "9"}, {"iterations", "0"}}},
      {"one sweep", {{"n", "33"}, {"iterations", "1"}}},
      {"no rows", {{"n", "0"}, {"columns", "40"}, {"iterations", "3"}}},
      {"one row", {{"n", "1"}, {"columns", "1025"}, {"iterations", "20"}, {"tolerance", "0"}}},
      {"one column", {{"n", "257"}, {"columns", "1"}, {"iterations", "20"}, {"tolerance", "0"}}},
      {"one less than tiles", {{"n", "15"}, {"columns", "127"}, {"iterations", "21"}}},
      {"one more than tiles", {{"n", "17"}, {"columns", "257"}, {"iterations", "21"}}},
      {"one more than a piece of a row",
       {{"n", "3"}, {"columns", "513"}, {"iterations", "21"}, {"tolerance", "0"}}},
      {"as many sweeps as between reads", {{"n", "6"}, {"iterations", "256"}, {"tolerance", "0"}}},
      {"one sweep more", {{"n", "6"}, {"iterations", "257"}, {"tolerance", "0"}}},
      {"converges between reads", {{"n", "12"}, {"iterations", "100000"}}},
      {"converges to the last bit", {{"n", "3"}, {"iterations", "100000"}, {"tolerance", "0"}}},
      {"guide", {{"setup", "guide"}, {"n", "61"}, {"columns", "200"}, {"iterations", "14"}}},
      {"document", {{"n", "100"}, {"columns", "130"}, {"iterations", "25"}}}};
}

static double footprint(const harness::Parameters& parameters) {
  static_cast<void>(iterations_of(parameters));
  static_cast<void>(tolerance_of(parameters));
  return 3 * sizeof(double) * static_cast<double>(rows_of(parameters) + 2) *
         static_cast<double>(columns_of(parameters) + 2);
}

constinit const harness::StudyInfo Problem::info{
    .id = "jacobi",
    .title = "heat in a plate: Jacobi sweeps until nothing changes, double",
    .source = "short course on OpenACC (UFRJ), section 2.9.2; set-up `guide`: OpenACC Programming "
              "and Best "
              "Practices Guide",
    .whole_by_default = true,
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(setup_of(parameters), rows_of(parameters), columns_of(parameters),
              iterations_of(parameters), tolerance_of(parameters)) {}

Problem::Problem(Setup setup, long rows, long columns, int iterations, double tolerance)
    : _setup(setup), _rows(rows), _columns(columns), _iterations(iterations), _tolerance(tolerance),
      _plate(cells(rows, columns)), _next(_plate.size()), _reference(_plate.size()) {
  solve_reference();
  kernels_find(inout("plate", _plate, [this] { fill(_setup, _rows, _columns, _plate.data()); }),
               scratch("next", _next));
  kernels_find(result(_change));
  kernels_find(result(_done));
  kernels_take(Task{_rows, _columns, _iterations, _tolerance, _plate.data(), _next.data(), &_change,
                    &_done});
  described_as(
      fmt::format("{} x {} cells inside the edges, set-up {}; {} sweeps, the last of which changes "
                  "a cell by {:.6f}",
                  _rows, _columns, _setup == Setup::guide ? "guide" : "document", _reference_done,
                  _reference_change));
}

/// The loops at the head of jacobi.hpp, but for the copy back: the plates are swapped.
void Problem::solve_reference() {
  const long stride = _columns + 2;
  fill(_setup, _rows, _columns, _reference.data());
  fill(_setup, _rows, _columns, _next.data());
  _reference_change = std::numeric_limits<double>::infinity();
  while (_reference_done < _iterations && _reference_change > _tolerance) {
    std::atomic<std::int64_t> largest{0};
    base::parallel_ranges(_rows * _columns, [&](long begin, long end) {
      std::int64_t mine = 0;
      for (long cell = begin; cell < end;) {
        const long first = cell % _columns;
        const long last = std::min(_columns, first + end - cell);
        const double* const old = _reference.data() + (cell / _columns + 1) * stride + 1;
        double* const mean = _next.data() + (cell / _columns + 1) * stride + 1;
        for (long j = first; j < last; ++j) {
          mean[j] = 0.25 * (old[j + stride] + old[j - stride] + old[j + 1] + old[j - 1]);
          mine = std::max(mine, std::bit_cast<std::int64_t>(std::abs(mean[j] - old[j])));
        }
        cell += last - first;
      }
      raise(largest, mine);
    });
    _reference.swap(_next);
    _reference_change = std::bit_cast<double>(largest.load());
    ++_reference_done;
  }
}

harness::Check Problem::check() const {
  // A sweep rounds four times, each time by at most half a unit of rounding of the hottest edge; a
  // mean amplifies no error of the sweeps before.
  const double hottest = _setup == Setup::guide ? 1 : 200; // 100 (n + 1) / n in the corner
  const double bound = 2 * std::numeric_limits<double>::epsilon() * hottest * (_reference_done + 1);
  if (_done != _reference_done)
    return {false, std::abs(static_cast<double>(_done) - _reference_done), 1,
            fmt::format("{} sweeps instead of {}", _done, _reference_done)};
  const long stride = _columns + 2;
  const auto index = [=](long i, long j) { return static_cast<std::size_t>(i * stride + j); };
  harness::Check check = harness::check_within(
      _rows + 2, stride, [&](long i, long j) { return _plate[index(i, j)]; },
      [&](long i, long j) { return _reference[index(i, j)]; }, [=](long, long) { return bound; },
      "plate, change and sweeps against plain loops, in units of their rounding bound");
  if (!check.passed) {
    std::size_t cell = 0;
    while (std::abs(_plate[cell] - _reference[cell]) <= bound)
      ++cell;
    check.detail = fmt::format("the first wrong one is row {}, column {}; the worst is {}",
                               static_cast<long>(cell) / stride, static_cast<long>(cell) % stride,
                               check.detail);
    return check;
  }
  // Both infinite: no sweep at all.
  if (_change == _reference_change)
    return check;
  const double error = std::abs(_change - _reference_change) / bound;
  check.error = std::max(check.error, error);
  check.passed = error <= check.tolerance;
  if (!check.passed)
    check.detail = fmt::format("change {} instead of {}", _change, _reference_change);
  return check;
}

harness::Work Problem::work() const {
  const double updates =
      static_cast<double>(_rows) * static_cast<double>(_columns) * _reference_done;
  return {.bytes = 16 * updates,
          .flops = 6 * updates,
          .single_precision = false,
          .reasoning =
              "each sweep reads each cell once and writes it once; four operations for the "
              "mean, two for the change"};
}

} // namespace gangway::jacobi
