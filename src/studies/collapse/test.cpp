// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/collapse/collapse.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gangway::collapse {
namespace {

harness::Parameters of_size(const char* elements, const char* tracers, const char* levels) {
  return {Problem::info, {{"elements", elements}, {"tracers", tracers}, {"levels", levels}}};
}

/// The loop at the top of the header, in floating point.
void serial(int elements, int tracers, int levels, const double* tracer_mass, const double* wind,
            const double* metric, const double* axes, double* flux) {
  for (int element = 0; element < elements; ++element)
    for (int tracer = 0; tracer < tracers; ++tracer)
      for (int level = 0; level < levels; ++level)
        for (int j = 0; j < np; ++j)
          for (int i = 0; i < np; ++i) {
            const int p = j * np + i;
            const double q =
                tracer_mass[((element * tracers + tracer) * levels + level) * points + p];
            const double u = wind[(element * 2 * levels + level) * points + p] *
                             metric[element * points + p] * q;
            const double v = wind[((element * 2 + 1) * levels + level) * points + p] *
                             metric[element * points + p] * q;
            for (int c = 0; c < 2; ++c)
              flux[(((element * tracers + tracer) * 2 + c) * levels + level) * points + p] =
                  axes[((element * 2 + c) * 2 + 0) * points + p] * u +
                  axes[((element * 2 + c) * 2 + 1) * points + p] * v;
          }
}

TEST(Collapse, CheckAgreesWithTheSerialLoop) {
  Problem problem(of_size("3", "4", "5"));
  problem.call(serial);
  EXPECT_TRUE(problem.check().passed) << problem.check().detail;
}

/// One flux for all tracers, as the document's listing has it: the last tracer to write wins, so
/// all but one result of each element is missing.
TEST(Collapse, CheckSeesAFluxThatTracersShare) {
  Problem problem(of_size("3", "4", "5"));
  problem.call([](int elements, int tracers, int levels, const double* tracer_mass,
                  const double* wind, const double* metric, const double* axes, double* flux) {
    const int size = tracers * 2 * levels * points;
    serial(elements, tracers, levels, tracer_mass, wind, metric, axes, flux);
    for (int element = 0; element < elements; ++element)
      for (int k = 0; k < size; ++k)
        flux[element * size + k] =
            flux[element * size + (size - 2 * levels * points) + k % (2 * levels * points)];
  });
  EXPECT_FALSE(problem.check().passed);
}

TEST(Collapse, CheckSeesTheTwoAxesMixedUp) {
  Problem problem(of_size("2", "2", "2"));
  problem.call([](int elements, int tracers, int levels, const double* tracer_mass,
                  const double* wind, const double* metric, const double* axes, double* flux) {
    std::vector<double> turned(axes, axes + elements * 4 * points);
    for (int element = 0; element < elements; ++element)
      for (int p = 0; p < points; ++p)
        std::swap(turned[element * 4 * points + points + p],
                  turned[element * 4 * points + 2 * points + p]);
    serial(elements, tracers, levels, tracer_mass, wind, metric, turned.data(), flux);
  });
  EXPECT_FALSE(problem.check().passed);
}

/// One less and one more than the blocks of tracers and of levels that `hoisted` gives a gang, in
/// either model.
TEST(Collapse, AroundABlockOfAGang) {
  for (const char* tracers : {"4", "5", "6"})
    for (const char* levels : {"7", "8", "9", "23", "25"})
      testing::expect_all_variants_right(
          "collapse", {{"elements", "2"}, {"tracers", tracers}, {"levels", levels}});
}

/// Collapsed gangs are as many as elements times tracers, in the stage's own words, where that is
/// not more than the library lets share a loop.
TEST(Collapse, GangsAreElementsTimesTracers) {
  Problem problem(of_size("3", "4", "3"));
  const auto gangs_of = [&](const std::string& stage) {
    clear_launches();
    testing::run_variant("collapse", stage, problem);
    return launches().at(0).gangs;
  };
  EXPECT_EQ(gangs_of("gang-only"), 3);
  EXPECT_EQ(gangs_of("collapse-2"), 12);
  EXPECT_EQ(gangs_of("collapse-2-3"), 12);
}

/// More than 2^31 fluxes.
TEST(Collapse, IndicesBeyond32Bits) {
  constexpr int elements = 38000;
  constexpr int tracers = 25;
  constexpr int levels = 72;
  constexpr long fields = static_cast<long>(elements) * points;
  constexpr long results = fields * tracers * levels;
  static_assert(2 * results > 1L << 31);
  if (!testing::huge_arrays_fit(8.0 * (3 * results + 2 * fields * levels)))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<double> tracer_mass(results);
  testing::HugeArray<double> wind(2 * fields * levels);
  const std::vector<double> metric(fields, 2);
  const std::vector<double> axes(4 * fields, 3);
  testing::HugeArray<double> flux(2 * results);
  tracer_mass.set(results - 1, 5);
  wind.set(2 * fields * levels - 1, 7);
  wind.set(2 * fields * levels - 1 - levels * points, 11);
  for (Kernel* const kernel : {testing::kernels_of<Kernel>("collapse", "collapse-2-3").front(),
                               testing::kernels_of<Kernel>("collapse", "hoisted").back()}) {
    flux[2 * results - 1] = -1;
    kernel(elements, tracers, levels, tracer_mass.data(), wind.data(), metric.data(), axes.data(),
           flux.data());
    EXPECT_EQ(flux[2 * results - 1], 3 * (11 * 2 * 5) + 3 * (7 * 2 * 5));
  }
}

} // namespace
} // namespace gangway::collapse
