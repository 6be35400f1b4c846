// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/adjacent/adjacent.hpp"

#include "gangway/levels.hpp"
#include "harness/check.hpp"

namespace gangway::adjacent {
namespace {

long entries(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1000000000000);
}

/// Numbers of 20 bits, another in each place: their products and the means of two products are
/// exact in double, fused multiply-add or not.
base::HostArray<double> numbers(long n, long factor) {
  return base::filled<double>(
      n, [=](long i) { return static_cast<double>((i + 1) * factor % 1048573 - 524286) / 1024; });
}

constexpr harness::Key keys[]{{"n", "8000000", "entries of each array"}};

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  if constexpr (!has_device)
    return {{"default", {{"n", "8000000"}}}};
  // A compiler may leave `kernels` to one thread of a GPU: that stage has a case of its own size.
  const bool large = effort == harness::Effort::full && memory_bytes > 12e9;
  return {{"every stage", {{"n", "1000000"}}},
          {"large", {{"n", large ? "67108864" : "33554432"}}, {"kernels"}}};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "adjacent",
    .title = "two adjacent loops, the second on the first one's neighbours, double",
    .source = "kernels versus parallel (notes in Chinese)",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      return {{"empty", {{"n", "0"}}},
              {"one", {{"n", "1"}}},
              {"two", {{"n", "2"}}},
              {"three", {{"n", "3"}}},
              {"one less than a block", {{"n", "2047"}}},
              {"one more than a block inside", {{"n", "2051"}}},
              {"one less than a host block inside", {{"n", "8193"}}},
              {"one more than a host block inside", {{"n", "8195"}}},
              {"several blocks", {{"n", "100003"}}}};
    },
    .footprint = [](const harness::Parameters& given) { return 32.0 * entries(given); },
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(numbers(entries(parameters), 7919), numbers(entries(parameters), 104729)) {}

Problem::Problem(base::HostArray<double> mob, base::HostArray<double> charge)
    : _mob(std::move(mob)), _charge(std::move(charge)), _a(_mob.size()), _c(_mob.size()) {
  kernels_take(std::ssize(_mob), in("mob", _mob), in("charge", _charge), out("a", _a),
               out("c", _c));
  described_as(fmt::format("{} entries", _mob.size()));
}

harness::Check Problem::check() const {
  const auto product = [&](long i) {
    return _mob[static_cast<std::size_t>(i)] * _charge[static_cast<std::size_t>(i)];
  };
  harness::Check check = harness::check_exact(_a, product);
  if (!check.passed) {
    check.detail = "a: " + check.detail;
    return check;
  }
  check = harness::check_exact(
      std::max(std::ssize(_c) - 2, 0L), [&](long i) { return _c[static_cast<std::size_t>(i + 1)]; },
      [&](long i) { return 0.5 * (product(i) + product(i + 2)); });
  if (!check.passed)
    check.detail = "c, inside: " + check.detail;
  return check;
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_mob.size());
  return {.bytes = 32 * n,
          .flops = 3 * n,
          .single_precision = false,
          .reasoning = "mob and charge are read once, a and c written once"};
}

} // namespace gangway::adjacent
