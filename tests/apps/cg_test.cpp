// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program cg, run as people run it.
#include "inputs/matrix_market.hpp"
#include "testing/places.hpp"
#include "testing/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gangway::apps {
namespace {

namespace fs = std::filesystem;

class Cg : public ::testing::Test {
protected:
  Cg() { fs::create_directory(_folder / "results"); }

  /// A file with this text.
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(_folder / name) << text;
    return (_folder / name).string();
  }
  /// A symmetric matrix: entry(row, column) is told for the band below the diagonal, from 1.
  [[nodiscard]] std::string band(int rows, int width,
                                 const std::function<double(int, int)>& entry) const {
    std::ostringstream text;
    long entries = 0;
    for (int row = 1; row <= rows; ++row)
      for (int column = std::max(1, row - width); column <= row; ++column, ++entries)
        text << row << ' ' << column << ' ' << entry(row, column) << '\n';
    std::ostringstream head;
    head << "%%MatrixMarket matrix coordinate real symmetric\n"
         << rows << ' ' << rows << ' ' << entries << '\n';
    return file("matrix.mtx", head.str() + text.str());
  }
  /// The second difference: 2 on the diagonal, -1 beside it. Takes as many iterations as rows.
  [[nodiscard]] std::string chain(int rows) const {
    return band(rows, 1, [](int row, int column) { return row == column ? 2 : -1; });
  }

  [[nodiscard]] std::string result(const std::string& name = "x.mtx") const {
    return (_folder / "results" / name).string();
  }
  [[nodiscard]] bool nothing_written() const { return fs::is_empty(_folder / "results"); }

  [[nodiscard]] pid_t start(std::vector<std::string> arguments) const {
    // The programs lie beside the tests.
    arguments.insert(arguments.begin(), gangway::testing::beside_program("cg").string());
    std::vector<char*> argv;
    for (std::string& argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string out = (_folder / "out").string();
    const std::string err = (_folder / "err").string();
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGINT, SIG_DFL); // a shell's background jobs ignore it
      constexpr int mode = O_WRONLY | O_CREAT | O_TRUNC;
      dup2(open(out.c_str(), mode, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), mode, 0600), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    return child;
  }
  /// Its exit status; 128 and the signal, if one ended it.
  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] int run(const std::vector<std::string>& arguments) const {
    return wait_for(start(arguments));
  }

  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream stream(_folder / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::string out() const { return text_of("out"); }
  [[nodiscard]] std::string err() const { return text_of("err"); }

  /// The residuals that were printed, with their iterations.
  [[nodiscard]] std::vector<std::pair<int, double>> history() const {
    std::vector<std::pair<int, double>> pairs;
    std::istringstream lines(out());
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      int iteration = 0;
      double residual = 0;
      double relative = 0;
      if (words >> iteration >> residual >> relative)
        pairs.emplace_back(iteration, residual);
    }
    return pairs;
  }

  void expect_refused(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& words) const {
    EXPECT_EQ(run(arguments), 2) << out();
    for (const std::string& word : words)
      EXPECT_NE(err().find(word), std::string::npos) << "no '" << word << "' in: " << err();
    EXPECT_TRUE(nothing_written());
  }

private:
  testing::TemporaryFolder _folder;
};

TEST_F(Cg, SolvesForAGivenRightHandSide) {
  const std::string matrix = file("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                           "3 3 5\n1 1 4\n2 1 1\n2 2 3\n3 2 -1\n3 3 2\n");
  // A (1, 2, 3)
  const std::string b = file("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n6\n4\n4\n");
  ASSERT_EQ(run({matrix, "-b", b, "-o", result()}), 0) << err();
  const std::vector<double> x = inputs::read_vector_matrix_market(result());
  ASSERT_EQ(x.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(x[i], static_cast<double>(i) + 1, 1e-7);
  EXPECT_NE(out().find("3 rows, 7 non-zeros"), std::string::npos) << out();
}

/// The second difference of x is 1: x is a parabola, known in closed form.
TEST_F(Cg, TellsItsHistory) {
  ASSERT_EQ(run({chain(40), "-o", result()}), 0) << err();
  const auto residuals = history();
  ASSERT_EQ(residuals.size(), 21U) << "symmetry halves the 40 iterations, the start is one more";
  EXPECT_DOUBLE_EQ(residuals.front().second, 6.324555) << "the norm of b";
  for (std::size_t k = 0; k < residuals.size(); ++k)
    EXPECT_EQ(residuals[k].first, static_cast<int>(k));
  EXPECT_LE(residuals.back().second, 1e-8 * 6.324556);
  const std::vector<double> x = inputs::read_vector_matrix_market(result());
  for (int i = 1; i <= 40; ++i)
    EXPECT_NEAR(x[static_cast<std::size_t>(i - 1)], i * (41 - i) / 2.0, 1e-4);
  ASSERT_EQ(run({chain(40), "--every", "8"}), 0);
  std::vector<int> told;
  for (const auto& [iteration, residual] : history())
    told.push_back(iteration);
  EXPECT_EQ(told, (std::vector<int>{0, 8, 16, 20}));
}

/// An arrow: a dense first row and column, a diagonal otherwise. Its rows are so uneven that shares
/// of rows would be no shares of work. The solution is known in closed form.
TEST_F(Cg, SolvesWithOneRowThatIsDense) {
  constexpr int rows = 20001;
  std::ostringstream text;
  text << "%%MatrixMarket matrix coordinate real symmetric\n"
       << rows << ' ' << rows << ' ' << 2 * rows - 1 << "\n1 1 " << rows << '\n';
  for (int row = 2; row <= rows; ++row)
    text << row << " 1 1\n" << row << ' ' << row << " 2\n";
  ASSERT_EQ(run({file("arrow.mtx", text.str()), "-t", "1e-12", "-o", result()}), 0) << err();
  const std::vector<double> x = inputs::read_vector_matrix_market(result());
  ASSERT_EQ(x.size(), static_cast<std::size_t>(rows));
  const double first = (3.0 - rows) / (1.0 + rows);
  EXPECT_NEAR(x.front(), first, 1e-9);
  for (std::size_t i = 1; i < x.size(); ++i)
    ASSERT_NEAR(x[i], (1 - first) / 2, 1e-9) << "entry " << i + 1;
}

/// A diagonal matrix is its own Jacobi preconditioner: one iteration instead of as many as there
/// are different entries.
TEST_F(Cg, JacobiScalesTheDiagonalAway) {
  const std::string matrix = band(12, 0, [](int row, int) { return std::pow(2, row % 6); });
  ASSERT_EQ(run({matrix}), 0);
  EXPECT_EQ(history().back().first, 6);
  ASSERT_EQ(run({matrix, "--preconditioner", "jacobi", "-o", result()}), 0);
  EXPECT_EQ(history().back().first, 1);
  EXPECT_NEAR(inputs::read_vector_matrix_market(result()).at(4), 0.03125, 1e-12);
}

TEST_F(Cg, GoesOnFromAGuess) {
  ASSERT_EQ(run({chain(60), "-o", result("first.mtx")}), 0);
  ASSERT_EQ(run({chain(60), "-g", result("first.mtx")}), 0);
  EXPECT_EQ(history().size(), 1U) << "the solution needs no iteration";
}

TEST_F(Cg, SaysSoWhenItDoesNotConverge) {
  EXPECT_EQ(run({chain(100), "-i", "5", "-o", result()}), 1);
  EXPECT_NE(out().find("not converged after 5 iterations"), std::string::npos) << out();
  EXPECT_EQ(history().size(), 6U);
  EXPECT_EQ(inputs::read_vector_matrix_market(result()).size(), 100U);
}

TEST_F(Cg, ZeroRightHandSide) {
  const std::string b = file("b.mtx", "%%MatrixMarket matrix coordinate real general\n9 1 0\n");
  ASSERT_EQ(run({chain(9), "-b", b, "-o", result()}), 0) << err();
  EXPECT_EQ(inputs::read_vector_matrix_market(result()), std::vector<double>(9, 0.0));
}

TEST_F(Cg, RefusesWhatItCannotSolve) {
  expect_refused({(fs::path("no") / "such.mtx").string(), "-o", result()}, {"such.mtx", "no such"});
  expect_refused({file("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n"),
                  "-o", result()},
                 {"a.mtx", "2 rows and 3 columns"});
  expect_refused({file("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                "3 3 4\n1 1 1\n2 2 1\n3 3 1\n2 3 0.5\n"),
                  "-o", result()},
                 {"not symmetric", "entry (2, 3) is 0.5", "entry (3, 2) is 0"});
  const std::string b = file("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  expect_refused({chain(3), "-b", b, "-o", result()}, {"right-hand side has 2 entries", "3 rows"});
  expect_refused({chain(3), "-g", b, "-o", result()}, {"first guess has 2 entries", "3 rows"});
  const std::string saddle =
      file("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n");
  expect_refused({saddle, "-o", result()}, {"not positive definite"});
  expect_refused({saddle, "-p", "jacobi", "-o", result()},
                 {"not positive definite", "row 2 is -1"});
  const std::string huge = file("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                         "2 2 2\n1 1 1e300\n2 2 1e308\n");
  const std::string far =
      file("g.mtx", "%%MatrixMarket matrix array real general\n2 1\n1e300\n1e300\n");
  expect_refused({huge, "-g", far, "-o", result()}, {"beyond what double holds"});
}

TEST_F(Cg, AsksForMemoryBeforeItReads) {
  if (static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) >
      175e9)
    GTEST_SKIP() << "this machine could hold it";
  expect_refused({file("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                "2147483647 2147483647 1\n1 1 1\n"),
                  "-o", result()},
                 {"needs 163.2 GB of memory"});
}

TEST_F(Cg, RefusesBadUsage) {
  expect_refused({}, {"matrix"});
  expect_refused({chain(3), "--preconditioner", "ilu"}, {"ilu"});
  expect_refused({chain(3), "--tolerance", "-1"}, {"tolerance"});
  expect_refused({chain(3), "--iterations", "few"}, {"iterations"});
  expect_refused({""}, {"the name is empty"});
  expect_refused({chain(3), "--restart", "kept", "-g", "x.mtx"}, {"excludes"});
  for (const std::string option : {"-b", "-g", "-o", "--checkpoint", "--restart"})
    expect_refused({chain(3), option, ""}, {"the name is empty"});
  for (const std::string option : {"--tolerance", "--iterations", "--every", "--checkpoint-every"})
    for (const std::string value : {"nan", "0x10", "010", "1_0"})
      expect_refused({chain(3), "--checkpoint", result("kept"), option, value},
                     {fmt::format("{}: '{}' is not a finite", option, value)});
  expect_refused({chain(3), "-o", result("no/such/folder/x.mtx")}, {"there is no directory"});
  expect_refused({chain(3), "--checkpoint", result("no/such/x")}, {"there is no directory"});
  expect_refused({chain(3), "--checkpoint-every", "5"},
                 {"--checkpoint-every requires --checkpoint"});
  expect_refused({chain(3), "--restart", "missing"}, {"cannot go on from missing: No such file"});
}

/// The first line is printed when the solution begins.
TEST_F(Cg, RefusesAnOutputThatIsNoFileBeforeItSolves) {
  const std::string pipe = file("pipe", "");
  fs::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& output : {pipe, std::string("/dev/full"), std::string("/dev/null")}) {
    expect_refused({chain(3), "-o", output}, {output, "is not a regular file"});
    EXPECT_EQ(out(), "") << output;
  }
  // The tests' standard output is a file, which x would replace.
  expect_refused({chain(3), "-o", "/dev/stdout"},
                 {"cannot write /dev/stdout", "name another file"});
  EXPECT_EQ(out(), "");
}

TEST_F(Cg, ARestartEndsWithTheSameBits) {
  const std::string matrix = band(3000, 3, [](int row, int column) {
    return row == column ? 7 + row % 5 : -1.0 / (1 + row % 3);
  });
  const std::string b = file("b.mtx", [] {
    std::ostringstream text;
    text << "%%MatrixMarket matrix array real general\n3000 1\n";
    for (int i = 0; i < 3000; ++i)
      text << 1.0 / (i % 11 + 1) << '\n';
    return text.str();
  }());
  for (const std::string preconditioner : {"none", "jacobi"}) {
    const std::vector<std::string> system{matrix, "-b", b, "-t", "1e-12", "-p", preconditioner};
    const auto with = [&](const std::vector<std::string>& more) {
      std::vector<std::string> all = system;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    ASSERT_EQ(run(with({"-o", result("whole.mtx"), "--checkpoint", result("whole")})), 0) << err();
    const auto whole = history();
    ASSERT_GT(whole.size(), 10U);
    // An odd number of iterations, and checkpoints that are replaced on the way.
    ASSERT_EQ(run(with({"-i", "7", "--checkpoint", result("part"), "--checkpoint-every", "2"})), 1)
        << err();
    ASSERT_EQ(run(with({"--restart", result("part"), "-o", result("joined.mtx"), "--checkpoint",
                        result("joined")})),
              0)
        << err();
    EXPECT_EQ(history(), std::vector(whole.begin() + 7, whole.end()));
    EXPECT_EQ(text_of("results/joined.mtx"), text_of("results/whole.mtx")) << preconditioner;
    EXPECT_EQ(text_of("results/joined"), text_of("results/whole")) << preconditioner;
    EXPECT_NE(text_of("results/part"), text_of("results/whole")) << preconditioner;
  }
}

TEST_F(Cg, RefusesACheckpointThatIsNotOfThisSystem) {
  const std::string a = chain(50);
  ASSERT_EQ(run({a, "-i", "9", "--checkpoint", result("kept")}), 1) << err();
  const std::string kept = text_of("results/kept");
  const auto refuses = [&](const std::vector<std::string>& system, const std::string& words) {
    std::vector<std::string> arguments = system;
    arguments.insert(arguments.end(), {"--restart", result("kept"), "-o", result()});
    EXPECT_EQ(run(arguments), 2) << out();
    EXPECT_NE(err().find("cannot go on from " + result("kept") + ": "), std::string::npos) << err();
    EXPECT_NE(err().find(words), std::string::npos) << "no '" << words << "' in: " << err();
    EXPECT_FALSE(fs::exists(result()));
  };
  const std::string b =
      file("b.mtx", "%%MatrixMarket matrix coordinate real general\n50 1 1\n7 1 0.5\n");
  refuses({a, "-b", b}, "it is of another right-hand side");
  refuses({a, "-p", "jacobi"},
          "it is of a run with --preconditioner none, and this one has jacobi");
  refuses({chain(51)}, "it is of a matrix with 50 rows and 148 non-zeros, and");
  refuses({band(50, 1, [](int row, int column) { return row == column ? 2.5 : -1; })},
          "it is of a matrix with other entries than");
  refuses(
      {band(50, 1, [](int row, int column) { return row == column ? 2
                                                    : row == 9    ? -1.5
                                                                  : -1; })},
      "it is of a matrix with other entries than");
  // In the same place of the folder.
  static_cast<void>(chain(50));
  const auto damaged = [&](const std::string& bytes, const std::string& words) {
    std::ofstream(result("kept"), std::ios::binary) << bytes;
    refuses({a}, words);
  };
  damaged("", "it is no checkpoint of this program; one begins with 'gangway cg checkpoint 1'");
  damaged("gangway heat checkpoint 2\n" + kept.substr(kept.find('\n') + 1),
          "it is no checkpoint of this program");
  damaged("gangway cg checkpoint 2\n" + kept.substr(kept.find('\n') + 1),
          "another version, and this program reads version 1");
  damaged(kept.substr(0, kept.size() - 1), "an iteration on 50 rows takes ");
  damaged(kept + "more", "an iteration on 50 rows takes ");
  damaged(kept.substr(0, 60), "its second line is damaged");
  std::string flipped = kept;
  flipped[flipped.size() - 20] = static_cast<char>(flipped[flipped.size() - 20] ^ 1);
  damaged(flipped, "not what was written (checksum)");
  std::string later = kept;
  later.replace(later.find(" none 9 "), 8, " none 8 ");
  damaged(later, "not what was written (checksum)");
}

TEST_F(Cg, InterruptedKeepsACheckpoint) {
  const std::string matrix = chain(200000);
  const pid_t child =
      start({matrix, "-t", "0", "-i", "1000000000", "--checkpoint", result("kept")});
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (history().size() < 3 && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_NE(err().find("iterations; --restart " + result("kept")), std::string::npos) << err();
  const int last = history().back().first;
  EXPECT_EQ(run({matrix, "-t", "0", "-i", std::to_string(last + 2), "--restart", result("kept")}),
            1)
      << err();
  EXPECT_EQ(history().front().first, last);
  EXPECT_EQ(history().back().first, last + 2);
}

class CgEndedBy : public Cg, public ::testing::WithParamInterface<int> {};

/// In the middle of many iterations: no file, nor half of one.
TEST_P(CgEndedBy, ASignalLeavesNoFile) {
  const pid_t child = start({chain(200000), "-t", "0", "-i", "1000000000", "-o", result()});
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (history().size() < 3 && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, GetParam());
  EXPECT_EQ(wait_for(child), 128 + GetParam());
  EXPECT_NE(err().find("interrupted; nothing was written"), std::string::npos) << err();
  EXPECT_TRUE(nothing_written());
}

INSTANTIATE_TEST_SUITE_P(Signals, CgEndedBy, ::testing::Values(SIGINT, SIGTERM));

} // namespace
} // namespace gangway::apps
