// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/mandelbrot/mandelbrot.hpp"

#include "gangway/device.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <charconv>

namespace gangway::mandelbrot {
namespace {

constexpr int most_pixels_a_side = 1 << 20;

/// Zero, but the compiler cannot know: what went through an exclusive or with it is rounded.
std::uint32_t opaque_zero() {
  static volatile std::uint32_t zero = 0;
  return zero;
}

class Rounding {
public:
  /// x², rounded: no compiler can fuse it into the sum that it is for.
  [[nodiscard]] float square(float x) const {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x * x) ^ _zero);
  }
  template <Fused fused>
  [[nodiscard]] float difference(float re, float im) const {
    if constexpr (fused == Fused::re)
      return std::fma(re, re, -square(im));
    if constexpr (fused == Fused::im)
      return std::fma(-im, im, square(re));
    return square(re) - square(im);
  }
  template <Fused fused>
  [[nodiscard]] float length(float re, float im) const {
    if constexpr (fused == Fused::re)
      return std::fma(re, re, square(im));
    if constexpr (fused == Fused::im)
      return std::fma(im, im, square(re));
    return square(re) + square(im);
  }

private:
  std::uint32_t _zero = opaque_zero();
};

template <Fused difference, Fused length>
int steps_of(float c_re, float c_im, int limit, Orbits orbits) {
  const Rounding rounding;
  float re = 0;
  float im = 0;
  float mark_re = std::numeric_limits<float>::quiet_NaN(); // equals nothing
  float mark_im = 0;
  int next_mark = orbits == Orbits::until_closed ? 8 : std::numeric_limits<int>::max();
  for (int k = 1;; ++k) {
    const float next = rounding.difference<difference>(re, im) + c_re;
    im = static_cast<float>(2.0 * re * im + c_im);
    re = next;
    if (!(rounding.length<length>(re, im) < 4.0F) || k >= limit)
      return k;
    // Brent's search for a cycle: compare with one earlier z, which moves on ever more rarely.
    if (re == mark_re && im == mark_im)
      return limit;
    if (k == next_mark) {
      mark_re = re;
      mark_im = im;
      next_mark = next_mark < std::numeric_limits<int>::max() / 2 ? 2 * next_mark
                                                                  : std::numeric_limits<int>::max();
    }
  }
}

using Steps = int(float c_re, float c_im, int limit, Orbits orbits);

template <Fused difference>
Steps* steps_with_length(Fused length) {
  switch (length) {
  case Fused::neither:
    return steps_of<difference, Fused::neither>;
  case Fused::re:
    return steps_of<difference, Fused::re>;
  case Fused::im:
    return steps_of<difference, Fused::im>;
  }
  return nullptr;
}

Steps* steps_in(const Arithmetic& arithmetic) {
  switch (arithmetic.difference) {
  case Fused::neither:
    return steps_with_length<Fused::neither>(arithmetic.length);
  case Fused::re:
    return steps_with_length<Fused::re>(arithmetic.length);
  case Fused::im:
    return steps_with_length<Fused::im>(arithmetic.length);
  }
  return nullptr;
}

std::string text_of(Fused fused) {
  switch (fused) {
  case Fused::neither:
    return "rounded twice";
  case Fused::re:
    return "fused with re²";
  case Fused::im:
    return "fused with im²";
  }
  return "";
}

Window window_of(const harness::Parameters& parameters) {
  const std::string& text = parameters.text("window");
  Window window;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (double* const number : {&window.re_min, &window.re_max, &window.im_min, &window.im_max}) {
    const auto [stop, error] = std::from_chars(at, end, *number);
    // c is a float: what is larger has no finite square either.
    good = good && error == std::errc{} && std::abs(*number) <= 1e18;
    const bool last = number == &window.im_max;
    good = good && (last ? stop == end : stop != end && *stop == ',');
    if (!good)
      break;
    at = stop + 1;
  }
  if (!good || !(window.re_min < window.re_max) || !(window.im_min < window.im_max))
    throw base::UsageError(fmt::format("{}: window={} is not left,right,bottom,top of a part of "
                                       "the plane, each from -1e18 to 1e18, "
                                       "such as -2,2,-2,2",
                                       parameters.study(), text));
  return window;
}

int limit_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("iterations", 1, 1000000000));
}

int side(const harness::Parameters& parameters, const char* key) {
  return static_cast<int>(parameters.integer(key, 0, most_pixels_a_side));
}

std::vector<harness::Case> cases(harness::Effort effort, double /*memory_bytes*/) {
  const auto plane = [](const char* name, int side, int limit, const char* window) {
    return harness::Case{name,
                         {{"width", std::to_string(side)},
                          {"height", std::to_string(side)},
                          {"iterations", std::to_string(limit)},
                          {"window", window}}};
  };
  const char* const whole = "-2,2,-2,2";
  const char* const seahorses = "-0.8,-0.7,0.05,0.15"; // all border: hardly two points take as long
  switch (effort) {
  case harness::Effort::quick:
    return {plane("whole", 400, has_device ? 10000 : 300, whole)};
  case harness::Effort::normal:
    return {plane("whole", 800, has_device ? 10000 : 200, whole),
            plane("seahorses", 400, has_device ? 10000 : 1000, seahorses)};
  case harness::Effort::full:
    break;
  }
  // The document's size is 6e9 steps: milliseconds on a GPU, most of a minute on one thread.
  return {plane("whole", 800, has_device ? 100000 : 10000, whole),
          plane("seahorses", has_device ? 4096 : 800, 2000, seahorses)};
}

std::vector<harness::Case> edge_cases() {
  const auto points = [](const char* name, int width, int height, int limit,
                         const char* window = "-2,2,-2,2") {
    return harness::Case{name,
                         {{"width", std::to_string(width)},
                          {"height", std::to_string(height)},
                          {"iterations", std::to_string(limit)},
                          {"window", window}}};
  };
  return {points("no points", 0, 5, 10),
          points("no rows", 5, 0, 10),
          points("one point inside", 1, 1, 1000, "0,1,0,1"),
          points("one point outside", 1, 1, 1000, "1,2,1,2"),
          points("one step", 20, 10, 1),
          points("less than a tile", 7, 3, 100),
          points("more than a tile", 9, 5, 100),
          points("one row", 1025, 1, 100, "-2,0.5,0,1"),
          points("one column", 1, 129, 100, "-0.75,0.5,-1,1"),
          points("far outside", 33, 31, 50, "1e10,1e17,-1e18,1e18"),
          points("plane", 50, 50, 1000)};
}

double footprint(const harness::Parameters& parameters) {
  static_cast<void>(limit_of(parameters));
  static_cast<void>(window_of(parameters));
  // Beside the output, the expectation in as many arithmetics as the compilers turn out to use.
  return 4.0 * side(parameters, "width") * side(parameters, "height") *
         (1 + static_cast<double>(Arithmetic::all().size()));
}

constexpr harness::Key keys[]{
    {"width", "800", "points a row"},
    {"height", "800", "rows"},
    {"iterations", "1000", "steps after which a point counts as one that never escapes"},
    {"window", "-2,2,-2,2", "left,right,bottom,top of the part of the plane"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "mandelbrot",
    .title = "Mandelbrot set, float",
    .source = "short course on OpenACC (UFRJ), section 2.9.3",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

std::string Arithmetic::text() const {
  return fmt::format("difference {}, length {}", text_of(difference), text_of(length));
}

std::vector<Arithmetic> Arithmetic::all() {
  std::vector<Arithmetic> arithmetics;
  for (const Fused difference : {Fused::neither, Fused::re, Fused::im})
    for (const Fused length : {Fused::neither, Fused::re, Fused::im})
      arithmetics.push_back({difference, length});
  return arithmetics;
}

base::HostArray<int> reference(int width, int height, const Window& window, int limit,
                               const Arithmetic& arithmetic, Orbits orbits, long stride) {
  Steps* const steps = steps_in(arithmetic);
  const long points = static_cast<long>(width) * height;
  return base::filled<int>((points + stride - 1) / stride, [&](long i) {
    const long point = i * stride;
    const long whole_rows = point / width;
    const auto column = static_cast<double>(point % width);
    const auto row = static_cast<double>(whole_rows);
    const auto c_re =
        static_cast<float>(window.re_min + (window.re_max - window.re_min) * column / width);
    const auto c_im =
        static_cast<float>(window.im_min + (window.im_max - window.im_min) * row / height);
    return steps(c_re, c_im, limit, orbits);
  });
}

Problem::Problem(const harness::Parameters& parameters)
    : Problem(side(parameters, "width"), side(parameters, "height"), window_of(parameters),
              limit_of(parameters)) {}

Problem::Problem(int width, int height, const Window& window, int limit)
    : _width(width), _height(height), _window(window), _limit(limit),
      _iterations(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
      _stride(std::ssize(_iterations) / 4096 | 1) {
  const std::vector<Arithmetic> arithmetics = Arithmetic::all();
  for (std::size_t a = 0; a < arithmetics.size(); ++a)
    _sample.at(a) =
        reference(_width, _height, _window, _limit, arithmetics[a], Orbits::until_closed, _stride);
  for (const int steps : expected(0))
    _steps += steps;
  kernels_take(_width, _height, _window.re_min, _window.re_max, _window.im_min, _window.im_max,
               _limit, out("iterations", _iterations), result(_inside));
  described_as(
      fmt::format("{} x {} points of [{}, {}) x [{}, {}), at most {} steps each, {:.4g} in all; {} "
                  "points never escape (nothing fused)",
                  _width, _height, _window.re_min, _window.re_max, _window.im_min, _window.im_max,
                  _limit, _steps, std::ranges::count(expected(0), _limit)));
}

const base::HostArray<int>& Problem::expected(std::size_t arithmetic) const {
  base::HostArray<int>& expectation = _expected.at(arithmetic);
  if (expectation.size() != _iterations.size())
    expectation = reference(_width, _height, _window, _limit, Arithmetic::all()[arithmetic]);
  return expectation;
}

std::vector<std::size_t> Problem::candidates() const {
  std::vector<std::size_t> found;
  long fewest = std::numeric_limits<long>::max();
  for (std::size_t a = 0; a < _sample.size(); ++a) {
    long differ = 0;
    for (std::size_t i = 0; i < _sample[a].size(); ++i)
      differ += _iterations[i * static_cast<std::size_t>(_stride)] != _sample[a][i] ? 1 : 0;
    if (differ < fewest)
      found = {a};
    else if (differ == 0)
      found.push_back(a);
    fewest = std::min(fewest, differ);
  }
  return found;
}

harness::Check Problem::check() const {
  const std::vector<Arithmetic> arithmetics = Arithmetic::all();
  long fewest = std::numeric_limits<long>::max();
  harness::Check check;
  for (const std::size_t a : candidates()) {
    const base::HostArray<int>& truth = expected(a);
    std::atomic<long> differ{0};
    std::atomic<long> count{0};
    base::parallel_ranges(static_cast<long>(truth.size()), [&](long begin, long end) {
      long different = 0;
      long never = 0;
      for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
        different += _iterations[p] != truth[p] ? 1 : 0;
        never += truth[p] == _limit ? 1 : 0;
      }
      differ += different;
      count += never;
    });
    if (differ == 0) {
      _arithmetic = arithmetics[a];
      check.error = static_cast<double>(std::abs(_inside - count));
      check.passed = _inside == count;
      check.detail =
          check.passed
              ? fmt::format("every point exact; {}", _arithmetic.text())
              : fmt::format("every point is right ({}), but {} were counted inside, not {}",
                            _arithmetic.text(), _inside, count.load());
      return check;
    }
    if (differ < fewest) {
      fewest = differ;
      const auto wrong = static_cast<std::size_t>(std::ranges::mismatch(_iterations, truth).in1 -
                                                  _iterations.begin());
      check.error = static_cast<double>(fewest);
      check.detail = fmt::format(
          "of {} points {} differ from the nearest arithmetic ({}); the first: row {}, column {}: "
          "{} "
          "instead of {}",
          truth.size(), fewest, arithmetics[a].text(), wrong / static_cast<std::size_t>(_width),
          wrong % static_cast<std::size_t>(_width), _iterations[wrong], truth[wrong]);
    }
  }
  return check;
}

harness::Work Problem::work() const {
  return {.bytes = 4.0 * static_cast<double>(_iterations.size()),
          .flops = 8 * _steps,
          .single_precision = true,
          .reasoning =
              "a step is two squares, their sum, their difference, plus c, a doubled product "
              "plus c: 8; each point's steps are written once"};
}

} // namespace gangway::mandelbrot
