// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/one_kernel.hpp"

#include "harness/referee.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

namespace gangway::harness::one_kernel {
namespace {

/// Arrays of every kind and of three types: a matrix times a vector, what it sums to, how many rows
/// there are, and a vector that is added to.
void reference(int n, float factor, const double* a, float* x, double* y, int* rows, double* sum) {
  *rows = n;
  *sum = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    for (int j = 0; j < n; ++j)
      y[i] += a[i * n + j];
    *sum += y[i];
    x[i] += factor;
  }
}

/// It adds in another order.
void right(int n, float factor, const double* a, float* x, double* y, int* rows, double* sum) {
  *rows = n;
  *sum = 0;
  for (int i = n - 1; i >= 0; --i) {
    y[i] = 0;
    for (int j = n - 1; j >= 0; --j)
      y[i] += a[i * n + j];
    *sum += y[i];
    x[i] += factor;
  }
}

int mistake = 0; ///< which one `right` has here

void with_mistakes(int n, float factor, const double* a, float* x, double* y, int* rows,
                   double* sum) {
  right(n, factor, a, x, y, rows, sum);
  if (mistake == 1)
    x[n - 1] -= factor;
  if (mistake == 2)
    y[0] *= 1 + 1e-10;
  if (mistake == 3)
    ++*rows;
  if (mistake == 4)
    *sum = poison<double>;
}

const OneKernel registered(
    {.id = "one_kernel", .title = "every kind of array", .n = "10", .flops = 3}, reference,
    with_mistakes, [](long n) {
      return std::tuple(static_cast<int>(n), 2.0F,
                        in("a", n * n, [](long i) { return 0.1 * static_cast<double>(i); }),
                        inout("x", n, [](long i) { return static_cast<float>(i); }),
                        out<double>("y", n), out<int>("rows", 1), out<double>("sum", 1));
    });

std::unique_ptr<Problem> problem_of(const StudyEntry& entry) {
  return make_problem(entry, Parameters(entry, {}));
}

Check checked(int with) {
  const StudyEntry& entry = study("one_kernel");
  const auto problem = problem_of(entry);
  mistake = with;
  problem->reset();
  entry.kokkos.front().prepare (*problem)();
  return problem->check();
}

TEST(OneKernel, IsAStudy) {
  const StudyEntry& entry = study("one_kernel");
  EXPECT_EQ(entry.title, "every kind of array");
  EXPECT_EQ(entry.stages(), std::vector<std::string>{"kernel"});
  ASSERT_EQ(entry.keys.size(), 1U);
  EXPECT_EQ(entry.keys.front().fallback, "10");
  EXPECT_EQ(entry.cases(Effort::normal, 1e9).front().name, "n=10");
  // a once; x, y, rows and the sum also as the reference has them.
  EXPECT_EQ(entry.footprint(Parameters(entry, {})), 8 * 100 + 2 * (4 * 10 + 8 * 10 + 4 + 8));
}

TEST(OneKernel, CountsItsWork) {
  const Work work = problem_of(study("one_kernel"))->work();
  EXPECT_EQ(work.bytes, 8 * 100 + 2 * 4 * 10 + 8 * 10 + 4 + 8);
  EXPECT_EQ(work.flops, 30);
  EXPECT_FALSE(work.single_precision || work.in_place || work.write_only);
}

TEST(OneKernel, IsHeldToThePlainLoop) {
  const Check check = checked(0);
  EXPECT_TRUE(check.passed) << check.detail;
  for (const auto& [with, words] :
       std::vector<std::pair<int, std::string>>{{1, "x: element 9: 9 instead of 11"},
                                                {2, "y: element 0: "},
                                                {3, "rows: 1 of 1 elements are wrong"},
                                                {4, "sum: element 0: nan"}}) {
    const Check failed = checked(with);
    EXPECT_FALSE(failed.passed);
    EXPECT_TRUE(failed.detail.starts_with(words)) << failed.detail;
  }
}

void nothing(int /*n*/, const double* /*a*/) {}

void nothing_to_two(double* /*a*/, double* /*b*/) {}

/// What a description of `kernel`'s arguments is refused for.
template <class... Arguments, class Describe>
std::string refused(void (*kernel)(Arguments...), Describe /*describe*/) {
  using P = detail::KernelProblem<void(Arguments...), Describe>;
  static constexpr Key keys[]{{"n", "10", "size"}};
  P::said.id = "refused";
  P::reference = kernel;
  return testing::message_of<base::UsageError>(
      [&] { const P problem(Parameters("refused", keys, {})); });
}

TEST(OneKernel, RefusesADescriptionWithNothingToCompare) {
  testing::expect_words(refused(nothing,
                                [](long n) {
                                  return std::tuple(static_cast<int>(n),
                                                    in("a", n, [](long) { return 1.0; }));
                                }),
                        {"refused: no array is compared", "out<TYPE>(NAME, COUNT) or inout("});
}

TEST(OneKernel, RefusesArraysThatCannotBe) {
  testing::expect_words(
      refused(nothing,
              [](long n) { return std::tuple(static_cast<int>(n), out<double>("a", n - 11)); }),
      {"refused: a has -1 elements for n=10"});
  testing::expect_words(
      refused(nothing_to_two,
              [](long n) { return std::tuple(out<double>("a", n), out<double>("a", n)); }),
      {"refused: two arrays are called a; give each its own name"});
}

} // namespace
} // namespace gangway::harness::one_kernel
