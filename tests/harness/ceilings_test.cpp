// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/ceilings.hpp"

#include "doubling.hpp"
#include "gangway/device.hpp"
#include "harness/referee.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace gangway::harness {
namespace {

using testing::WithMemory;

Work work_of(double bytes, double flops = 0, bool single_precision = false) {
  Work work;
  work.bytes = bytes;
  work.flops = flops;
  work.single_precision = single_precision;
  return work;
}

TEST(ShareOfCeiling, IsOfWhatBinds) {
  Ceilings ceilings;
  ceilings.copy = 80;
  ceilings.triad = 100;
  ceilings.read = 90;
  ceilings.flops_double = 50;
  ceilings.flops_single = 200;
  ceilings.cache_bytes = 1000;
  // 1000 bytes at 100 a second, 100 operations at 50 a second.
  const Share bandwidth = share_of_ceiling(ceilings, work_of(1000, 100), 1e6, 20);
  EXPECT_EQ(bandwidth.ceiling, "bandwidth");
  EXPECT_DOUBLE_EQ(bandwidth.value, 0.5);
  ceilings.update = 200;
  EXPECT_DOUBLE_EQ(share_of_ceiling(ceilings, work_of(1000), 1e6, 20).value, 0.5);
  Work in_place = work_of(1000);
  in_place.in_place = true;
  EXPECT_DOUBLE_EQ(share_of_ceiling(ceilings, in_place, 1e6, 20).value, 0.25);
  ceilings.fill = 50;
  Work write_only = work_of(1000);
  write_only.write_only = true;
  EXPECT_DOUBLE_EQ(share_of_ceiling(ceilings, write_only, 1e6, 40).value, 0.5);
  const Share flops = share_of_ceiling(ceilings, work_of(1000, 1000), 1e6, 40);
  EXPECT_EQ(flops.ceiling, "flops (double)");
  EXPECT_DOUBLE_EQ(flops.value, 0.5);
  const Share single = share_of_ceiling(ceilings, work_of(100, 1000, true), 1e6, 10);
  EXPECT_EQ(single.ceiling, "flops (single)");
  EXPECT_DOUBLE_EQ(single.value, 0.5);
}

TEST(ShareOfCeiling, OfBandwidthNeedsMoreThanTheCache) {
  Ceilings ceilings;
  ceilings.copy = 100;
  ceilings.flops_double = 50;
  ceilings.cache_bytes = 1000;
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 1999, 20).value, 0);
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 1999, 20).ceiling, "fits in cache");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 2000, 20).ceiling, "bandwidth");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(10, 1000), 1999, 40).value, 0.5)
      << "of the processor a cache is no excuse";
}

TEST(ShareOfCeiling, IsNeverAbove1) {
  Ceilings ceilings;
  ceilings.copy = 100;
  ceilings.flops_double = 50;
  ceilings.flops_single = 200;
  ceilings.link_in = ceilings.link_out = 10;
  ceilings.cache_bytes = 1000;
  // 1000 bytes need 10 seconds.
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 1e6, 9.9).value, 1) << "the clock's scatter";
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 1e6, 9.9).ceiling, "bandwidth");
  const Share passed = share_of_ceiling(ceilings, work_of(1000), 1e6, 9);
  EXPECT_EQ(passed.value, 0) << "no result";
  EXPECT_EQ(passed.ceiling, "bandwidth passed");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 7999, 9).ceiling, "partly in cache");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 8000, 9).ceiling, "bandwidth passed");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 7999, 20).value, 0.5);
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(10, 1000), 1e6, 7).ceiling, "flops (double) passed");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(10, 1000, true), 1e6, 1).ceiling,
            "flops (single) passed");
  EXPECT_EQ(share_of_link(ceilings, 100, 100, 10).ceiling, "link passed");
  EXPECT_EQ(share_of_link(ceilings, 100, 100, 10).value, 0);
}

TEST(ShareOfCeiling, SaysWhyThereIsNone) {
  EXPECT_EQ(share_of_ceiling({}, work_of(100, 10), 1e6, 1).ceiling, "no ceiling measured");
  Ceilings ceilings;
  ceilings.copy = 100;
  EXPECT_EQ(share_of_ceiling(ceilings, {}, 1e6, 1).ceiling, "no work declared");
  for (const double seconds : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(share_of_ceiling(ceilings, work_of(100), 1e6, seconds).value, 0);
    EXPECT_EQ(share_of_ceiling(ceilings, work_of(100), 1e6, seconds).ceiling, "no time");
  }
}

TEST(ShareOfLink, CountsBothDirections) {
  Ceilings ceilings;
  EXPECT_EQ(share_of_link(ceilings, 100, 100, 1).ceiling, "no link");
  ceilings.link_in = ceilings.link_out = 5;
  ceilings.link_in_pinned = 10;
  ceilings.link_out_pinned = 20;
  EXPECT_DOUBLE_EQ(share_of_link(ceilings, 100, 100, 30).value, 0.5) << "of the link at its best";
  EXPECT_EQ(share_of_link(ceilings, 100, 100, 0).value, 0);
}

TEST(ShareOfRun, FollowsTheScope) {
  Ceilings ceilings;
  ceilings.copy = 100;
  ceilings.link_in = ceilings.link_out = 10;
  Doubling problem(10); // 160 bytes of work, 80 in, 80 out
  const Variant variant;
  EXPECT_DOUBLE_EQ(share_of_run(variant, problem, ceilings, Scope::kernel, 3.2).value, 0.5);
  const WithMemory separate(Memory::separate);
  EXPECT_DOUBLE_EQ(share_of_run(variant, problem, ceilings, Scope::kernel, 3.2).value, 0.5);
  EXPECT_DOUBLE_EQ(share_of_run(variant, problem, ceilings, Scope::whole, 32).value, 0.5)
      << "what crosses the link takes longest";
}

TEST(ShareOfRun, IsNoneOfWhatMovesLess) {
  Ceilings ceilings;
  ceilings.copy = 100;
  Doubling problem(10);
  Variant variant;
  variant.moves_less = "half of it";
  const Share share = share_of_run(variant, problem, ceilings, Scope::kernel, 3.2);
  EXPECT_EQ(share.value, 0);
  EXPECT_EQ(share.ceiling, "half of it");
}

TEST(CeilingsTest, AreThoseOfARealMachine) {
  const Ceilings c = measure_ceilings(Effort::quick);
  for (const double rate : {c.copy, c.triad, c.read, c.update, c.fill})
    EXPECT_GT(rate, 1e8);
#ifdef NDEBUG // else, or under a sanitizer, a triad is slow by its own code, and memcpy is not
  EXPECT_GT(c.triad, c.copy / 3);
#endif
  EXPECT_LT(c.triad, c.copy * 3);
  Work work;
  const double mixed = std::max({c.copy, c.triad, c.read});
  EXPECT_EQ(c.bandwidth(work), mixed);
  work.in_place = true;
  EXPECT_EQ(c.bandwidth(work), std::max(mixed, c.update));
  EXPECT_GT(c.flops_double, 1e8);
  EXPECT_GT(c.flops_single, 1e8);
  EXPECT_GT(c.launch, 0);
  EXPECT_LT(c.launch, 1);
  const double free = static_cast<double>(device_properties().free_memory);
  EXPECT_GE(c.array_bytes, std::min({2 * c.cache_bytes, 64e6, free / 16}))
      << "or it would measure the cache";
  for (const std::string& shape :
       {c.shapes.copy, c.shapes.triad, c.shapes.read, c.shapes.update, c.shapes.fill})
    EXPECT_NE(shape, "");
  if (!has_device) {
    EXPECT_EQ(c.link_in, 0) << "there is no link";
  } else {
    for (const double rate : {c.link_in, c.link_out, c.link_in_pinned, c.link_out_pinned})
      EXPECT_GT(rate, 1e8);
  }
}

} // namespace
} // namespace gangway::harness
