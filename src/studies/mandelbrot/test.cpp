// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/mandelbrot/mandelbrot.hpp"

#include "testing/study_fixture.hpp"

#include "harness/ceilings.hpp"
#include "studies/mandelbrot/tiles.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gangway::mandelbrot {
namespace {

constexpr Arithmetic plain{Fused::neither, Fused::neither};
constexpr Arithmetic both_on_re{Fused::re, Fused::re};
constexpr int documents_side = 800;
constexpr int documents_limit = 100000;

long count_inside(const base::HostArray<int>& steps, int limit) {
  return std::ranges::count(steps, limit);
}

/// The document's plane after `limit` steps, by what is fused into the difference. 60 314 and 60
/// 312 are the document's own figures, of its runs with and without contraction; the third way to
/// contract gives a third number. How the length is fused makes no difference to the count.
long published(Fused difference, int limit) {
  const std::map<int, std::map<Fused, long>> counts{
      {100, {{Fused::neither, 61974}, {Fused::re, 61970}, {Fused::im, 61976}}},
      {documents_limit, {{Fused::neither, 60314}, {Fused::re, 60312}, {Fused::im, 60310}}}};
  return counts.at(limit).at(difference);
}

/// Small, and no two arithmetics agree on all of its points: the result tells which one was
/// compiled in.
Problem probe() {
  return {50, 50, Window{}, 1000};
}

Problem documents_plane(int limit) {
  return {documents_side, documents_side, Window{}, limit};
}

/// One run in which kernels move their own data; the arithmetic it was found to be in.
Arithmetic run(const harness::Variant& variant, Problem& problem) {
  testing::run_variant(variant, problem);
  return problem.arithmetic();
}

TEST(Mandelbrot, ReferenceHasThePublishedCounts) {
  for (const Fused difference : {Fused::neither, Fused::re, Fused::im})
    for (const int limit : {100, documents_limit})
      EXPECT_EQ(count_inside(reference(documents_side, documents_side, Window{}, limit,
                                       {difference, Fused::neither}),
                             limit),
                published(difference, limit));
  EXPECT_EQ(
      count_inside(reference(documents_side, documents_side, Window{}, documents_limit, both_on_re),
                   documents_limit),
      60312);
}

TEST(Mandelbrot, ReferenceIsTheSameWithEveryOrbitFollowedToTheLimit) {
  for (const Arithmetic& arithmetic : Arithmetic::all())
    EXPECT_EQ(reference(80, 60, Window{}, 3000, arithmetic, Orbits::until_closed),
              reference(80, 60, Window{}, 3000, arithmetic, Orbits::to_the_limit))
        << arithmetic.text();
}

/// The grid of the general window is the document's grid, to the last bit.
TEST(Mandelbrot, GridIsTheDocuments) {
  for (int index = 0; index < documents_side; ++index)
    EXPECT_EQ(static_cast<float>(-2.0 + (2.0 - -2.0) * index / documents_side),
              static_cast<float>((static_cast<float>(index) - 400.0) / 200.0));
}

TEST(Mandelbrot, ProbeTellsAllArithmeticsApart) {
  std::set<std::vector<int>> distinct;
  for (const Arithmetic& arithmetic : Arithmetic::all()) {
    const auto steps = reference(50, 50, Window{}, 1000, arithmetic);
    distinct.emplace(steps.begin(), steps.end());
  }
  EXPECT_EQ(distinct.size(), 9U);
}

/// The small plane tells which arithmetic a variant was compiled in; on the document's plane it
/// must then count exactly what belongs to that. A host takes 100 steps instead of 100 000, for
/// which the scalar loops would need a minute.
TEST(Mandelbrot, EveryVariantHasTheCountOfItsContraction) {
  const int limit = has_device ? documents_limit : 100;
  Problem small = probe();
  Problem plane = documents_plane(limit);
  for (const harness::Variant& variant : harness::variants_of(
           harness::study("mandelbrot"), testing::openacc_library(), harness::Scope::kernel)) {
    const std::string name = fmt::format("{}:{}", harness::name_of(variant.model), variant.name);
    const Arithmetic found = run(variant, small);
    fmt::print("{}: {}\n", name, found.text());
    EXPECT_EQ(run(variant, plane), found) << name;
    EXPECT_EQ(plane.inside(), published(found.difference, limit)) << name;
    if (variant.model == harness::Model::kokkos && !variant.beyond &&
        !harness::contracts_multiply_add()) {
      EXPECT_EQ(found, plain) << name << " was compiled without contraction";
    }
  }
}

/// The document's whole computation, where it takes no more than seconds: on a device, and on hosts
/// with fused multiply-add, whose vector instructions are wide enough.
TEST(Mandelbrot, DocumentsPlaneToTheDocumentsLimit) {
#ifndef FP_FAST_FMAF
  if (!has_device)
    GTEST_SKIP() << "compiled for a processor without fused multiply-add";
#endif
  Problem plane = documents_plane(documents_limit);
  EXPECT_EQ(run(testing::variant_of("mandelbrot", "balanced"), plane), both_on_re);
  EXPECT_EQ(plane.inside(), 60312);
}

/// Tiles with a point that never leaves, which all take the same time: the figures by which the
/// note explains who is ahead in `balanced`.
TEST(Mandelbrot, FullTilesOfTheCasesAreThoseOfTheNote) {
  const auto full_tiles = [](int side, const Window& window) {
    constexpr int limit = 10000;
    const auto steps = reference(side, side, window, limit, both_on_re);
    const Tiles tiles{side, side};
    int full = 0;
    for (long tile = 0; tile < tiles.count(); ++tile) {
      bool never = false;
      for (int point = 0; point < Tiles::points; ++point)
        never |= steps[static_cast<std::size_t>(tiles.row(tile, point)) * side +
                       tiles.column(tile, point)] == limit;
      full += never ? 1 : 0;
    }
    return full;
  };
  EXPECT_EQ(full_tiles(400, {-0.8, -0.7, 0.05, 0.15}), 3704);
  EXPECT_EQ(full_tiles(800, Window{}), 2126);
}

TEST(Mandelbrot, EveryVariantIsRightAmongTheSeahorses) {
  Problem problem(67, 41, {-0.8, -0.7, 0.05, 0.15}, 700);
  testing::expect_all_variants_right("mandelbrot", problem);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("mandelbrot", problem);
}

/// Variants that look only every few steps whether a point is still inside must not count beyond
/// the limit, nor stop short of it.
TEST(Mandelbrot, EveryVariantIsRightForLimitsBetweenTwoLooks) {
  for (int limit = 1; limit <= 18; ++limit) {
    Problem problem(19, 11, {-1.5, 0.5, -1, 1}, limit);
    testing::expect_all_variants_right("mandelbrot", problem);
  }
}

/// z overflows to infinity and on to NaN while the points beside it go on.
TEST(Mandelbrot, EveryVariantSurvivesOverflow) {
  Problem problem(40, 9, {-1e17, 1e18, -1e18, 1e18}, 300);
  testing::expect_all_variants_right("mandelbrot", problem);
}

TEST(Mandelbrot, CheckSeesOneWrongPointAndAWrongCount) {
  Problem problem = probe();
  const auto fill = [&](const Arithmetic& upper, const Arithmetic& lower, long more) {
    problem.call([&](int width, int height, double, double, double, double, int limit,
                     int* iterations, long* inside) {
      const auto first = reference(width, height, Window{}, limit, upper);
      const auto second = reference(width, height, Window{}, limit, lower);
      const auto half = static_cast<std::ptrdiff_t>(first.size() / 2);
      std::copy(first.begin(), first.begin() + half, iterations);
      std::copy(second.begin() + half, second.end(), iterations + half);
      *inside = std::count(iterations, iterations + first.size(), limit) + more;
    });
  };
  fill(plain, plain, 0);
  EXPECT_TRUE(problem.check().passed);
  fill(plain, plain, 1);
  EXPECT_FALSE(problem.check().passed);
  fill(plain, {Fused::im, Fused::neither}, 0); // one picture in two arithmetics
  EXPECT_FALSE(problem.check().passed);
  fill(plain, plain, 0);
  problem.call([](int width, int, double, double, double, double, int, int* iterations, long*) {
    ++iterations[23 * width + 7];
  });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("row 23, column 7"), std::string::npos)
      << problem.check().detail;
}

/// The check looks at every third point of this plane first, to see which arithmetics it may be.
TEST(Mandelbrot, CheckSeesAWrongPointInItsSampleAndBesideIt) {
  constexpr int width = 150;
  constexpr int height = 100;
  constexpr int limit = 500;
  Problem problem(width, height, Window{}, limit);
  for (const Arithmetic& arithmetic : Arithmetic::all())
    for (const int wrong : {-1, 0, 1, 2, 3, width * height - 1}) {
      problem.call(
          [&](int, int, double, double, double, double, int, int* iterations, long* inside) {
            std::ranges::copy(reference(width, height, Window{}, limit, arithmetic), iterations);
            *inside = std::count(iterations, iterations + width * height, limit);
            if (wrong >= 0)
              ++iterations[wrong];
          });
      const harness::Check check = problem.check();
      EXPECT_EQ(check.passed, wrong < 0) << arithmetic.text() << ": " << check.detail;
      if (wrong >= 0) {
        EXPECT_EQ(check.error, 1) << arithmetic.text();
      } else {
        EXPECT_EQ(problem.arithmetic(), arithmetic);
      }
    }
}

/// More points than 32 bits can count: the pictures would not fit, so the arithmetic alone.
TEST(Mandelbrot, TilesCoverPicturesBeyond32Bits) {
  const Tiles tiles{(1 << 20) - 3, (1 << 20) - 1};
  EXPECT_EQ(tiles.count(), 131072L * 262144L);
  const long last = tiles.count() - 1;
  EXPECT_EQ(tiles.column(last, Tiles::points - 1), (1 << 20) - 1); // reaches beyond the edge
  EXPECT_EQ(tiles.row(last, Tiles::points - 1), (1 << 20) - 1);
  EXPECT_EQ(tiles.column(131072L * 100000 + 5, 9), 41);
  EXPECT_EQ(tiles.row(131072L * 100000 + 5, 9), 400001);
}

TEST(Mandelbrot, TilesCoverEveryPointOnce) {
  for (const int width : {1, 7, 8, 9, 40})
    for (const int height : {1, 3, 4, 5, 12}) {
      const Tiles tiles{width, height};
      std::map<std::pair<int, int>, int> seen;
      for (long tile = 0; tile < tiles.count(); ++tile)
        for (int point = 0; point < Tiles::points; ++point)
          ++seen[{tiles.row(tile, point), tiles.column(tile, point)}];
      for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column)
          EXPECT_EQ((seen[{row, column}]), 1);
    }
}

TEST(Mandelbrot, RefusesWindowsThatAreNone) {
  for (const char* window :
       {"", "-2,2,-2", "-2,2,-2,2,", "-2,2,-2,2,5", "2,-2,-2,2", "-2,2,1,1", "-2,2,-2,nan",
        "-2,2,-2,inf", "-2,2,-2,1e19", "a,b,c,d", "-2;2;-2;2"}) {
    const harness::Parameters parameters(Problem::info, {{"window", window}});
    EXPECT_THROW(Problem{parameters}, base::UsageError) << window;
  }
}

} // namespace
} // namespace gangway::mandelbrot
