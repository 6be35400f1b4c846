// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waves_step.hpp"

#include "harness/check.hpp"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// The program before the port, without OpenACC: the truth.
namespace before {
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#define malloc(bytes) static_cast<double*>(malloc(bytes)) // it is C
#include "../../before/flux.c"
#include "../../before/sea.c"
#undef malloc
double gravity = waves_step::gravity;
double sponge[MAX_ROWS + 2];
double fastest;
double elapsed;
} // namespace before

namespace waves_step {

static constexpr const char* names[]{"h", "hu", "hv"};

static int rows(const harness::Parameters& given) {
  return static_cast<int>(given.integer("ny", 1, MAX_ROWS));
}
static int columns(const harness::Parameters& given) {
  return static_cast<int>(given.integer("nx", 1, 100000));
}

static std::vector<harness::Case> cases(harness::Effort effort, double /*memory_bytes*/) {
  if (effort == harness::Effort::quick)
    return {{"256x256", {{"nx", "256"}, {"ny", "256"}}}};
  return {{"2048x2048", {}}};
}

constexpr harness::Key keys[]{{"nx", "2048", "cells of a row"}, {"ny", "2048", "rows"}};

constinit const harness::StudyInfo Problem::info{
    .id = "waves_step",
    .title = "a step of shallow water, finite volumes, double",
    .source = "docs/second-example",
    .keys = keys,
    .cases = cases,
    .edge_cases = [] { return std::vector<harness::Case>{{"a cell", {{"nx", "1"}, {"ny", "1"}}}}; },
    .footprint =
        [](const harness::Parameters& given) {
          return 9 * 8.0 * columns(given) * (rows(given) + 2.0);
        },
};

static double depth(double x, double y) {
  return 1 + 0.2 * sin(6 * x) + 0.1 * cos(12 * y);
}

constexpr double courant = 0.2;

Problem::Problem(const harness::Parameters& given) : _nx(columns(given)), _ny(rows(given)) {
  const auto field = [this](auto value) {
    return base::filled<double>(cells(), [&](long at) {
      const double x = (at % _nx + 0.5) / _nx;
      const double y = (at / _nx - 0.5) / _ny;
      return value(depth(x, y), y);
    });
  };
  _before[0] = field([](double h, double) { return h; });
  _before[1] = field([](double h, double y) { return 0.5 * h * cos(6 * y); });
  _before[2] = field([](double h, double) { return 0.1 * h; });
  for (int k = 0; k < 3; ++k)
    _after[k] = _truth[k] = Field(static_cast<std::size_t>(cells()));

  for (int row = 0; row < _ny + 2; ++row)
    before::sponge[row] = sponge_at(row);
  const before::sea now{_nx, _ny, _before[0].data(), _before[1].data(), _before[2].data()};
  before::sea next{_nx, _ny, _truth[0].data(), _truth[1].data(), _truth[2].data()};
  before::advance(&now, &next, courant);

  kernels_take(_nx, _ny, courant, in(names[0], _before[0]), in(names[1], _before[1]),
               in(names[2], _before[2]), out("h_new", _after[0]), out("hu_new", _after[1]),
               out("hv_new", _after[2]));
  described_as(std::to_string(_ny) + " rows of " + std::to_string(_nx) + " cells");
}

/// Some hundred operations a cell, which compilers contract each in their own way.
harness::Check Problem::check() const {
  harness::Check check;
  for (int k = 0; k < 3 && (k == 0 || check.passed); ++k) {
    check = harness::check_within(
        static_cast<long>(_ny) * _nx, [&](long at) { return _after[k][_nx + at]; },
        [&](long at) { return _truth[k][_nx + at]; }, [](long) { return 1e-13; },
        "every cell within 1e-13 of the original program's");
    check.detail = std::string(names[k]) + ": " + check.detail;
  }
  return check;
}

harness::Work Problem::work() const {
  const double points = static_cast<double>(_ny) * _nx;
  return {.bytes = 6 * 8 * points, .reasoning = "three fields read once, three written once"};
}

} // namespace waves_step
