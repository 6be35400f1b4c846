// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How every program begins and ends: apps/common/start.hpp, and the programs themselves.
#include "../../apps/common/start.hpp"

#include "gangway/device.hpp"

#include "testing/messages.hpp"
#include "testing/places.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace gangway::apps {
namespace {

using testing::expect_words;
using testing::message_of;

using Environment = std::map<std::string, std::string>;

Lookup lookup(const Environment& environment) {
  return [&environment](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
}

Variables bound(const Environment& environment, const std::vector<std::string>& arguments = {}) {
  return binding(lookup(environment), 8, arguments);
}

TEST(Binding, IsToCoresUnlessTheUserSaidSomething) {
  const Variables to_cores{{"OMP_PROC_BIND", "spread"}, {"OMP_PLACES", "cores"}};
  const Variables not_at_all{{"OMP_PROC_BIND", "false"}};
  EXPECT_EQ(bound({}), to_cores);
  EXPECT_EQ(bound({{"OMP_WAIT_POLICY", "passive"}}), to_cores);
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    EXPECT_EQ(bound({{name, "anything"}}), Variables{}) << name;
  EXPECT_EQ(bound({{"OMP_NUM_THREADS", "8"}}), to_cores);
  EXPECT_EQ(bound({{"OMP_NUM_THREADS", "64"}}), to_cores);
  EXPECT_EQ(bound({{"OMP_NUM_THREADS", "7"}}), not_at_all) << "two such programs would meet";
  EXPECT_EQ(bound({{"OMP_NUM_THREADS", "4,2"}}), not_at_all);
  EXPECT_EQ(bound({{"KOKKOS_NUM_THREADS", "2"}}), not_at_all);
  EXPECT_EQ(bound({}, {"--kokkos-num-threads=2"}), not_at_all);
  EXPECT_EQ(bound({{"OMP_NUM_THREADS", "2"}}, {"--kokkos-num-threads=8"}), to_cores);
  EXPECT_EQ(bound({{"OMP_NUM_THREADS", "junk"}}), to_cores);
}

Variables shared(const Environment& environment, int processors = 8,
                 const std::vector<std::string>& arguments = {}) {
  return share_of_threads(lookup(environment), processors, 8, arguments);
}

TEST(SharedThreads, AreOfRanksThatTheLauncherLeftUnbound) {
  const std::string ranks = "OMPI_COMM_WORLD_LOCAL_SIZE";
  const auto threads = [](const char* number) { return Variables{{"KOKKOS_NUM_THREADS", number}}; };
  EXPECT_EQ(shared({}), Variables{}) << "no launcher";
  EXPECT_EQ(shared({{ranks, "1"}}), Variables{});
  EXPECT_EQ(shared({{ranks, "2"}}), threads("4"));
  EXPECT_EQ(shared({{ranks, "3"}}), threads("2"));
  EXPECT_EQ(shared({{ranks, "64"}}), threads("1")) << "more ranks than processors";
  EXPECT_EQ(shared({{ranks, "2"}}, 4), Variables{}) << "bound to half of them";
  EXPECT_EQ(shared({{ranks, "4"}}, 4), threads("2")) << "two to each half, as to a socket";
  EXPECT_EQ(shared({{ranks, "2"}, {"OMP_NUM_THREADS", "3"}}), Variables{});
  EXPECT_EQ(shared({{ranks, "2"}, {"KOKKOS_NUM_THREADS", "junk"}}), Variables{}) << "to be refused";
  EXPECT_EQ(shared({{ranks, "2"}}, 8, {"--kokkos-num-threads=3"}), Variables{});
}

std::string refusal(const Environment& environment,
                    const std::vector<std::string>& arguments = {}) {
  return message_of<base::UsageError>(
      [&] { require_kokkos_settings(lookup(environment), arguments); });
}

TEST(KokkosSettings, AreRefusedWithAReason) {
  for (const char* name : {"KOKKOS_NUM_THREADS", "KOKKOS_DEVICE_ID"})
    for (const char* junk : {"", "few", "-1", "2x", " 2", "0x2", "99999999999999999999"})
      expect_words(refusal({{name, junk}}), {std::string(name) + "=" + junk, "whole number"});
  expect_words(refusal({{"KOKKOS_NUM_THREADS", "0"}}), {"from 1 up"});
  for (const char* name :
       {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS"})
    expect_words(refusal({{name, "maybe"}}), {std::string(name) + "=maybe", "true, false"});
  for (const char* junk : {"", "a", "0,", ",1", "0,-1", "0 1"})
    expect_words(refusal({{"KOKKOS_VISIBLE_DEVICES", junk}}), {"KOKKOS_VISIBLE_DEVICES="});
  expect_words(refusal({{"KOKKOS_MAP_DEVICE_ID_BY", "luck"}}), {"random, mpi_rank"});
  expect_words(refusal({}, {"--kokkos-num-threads"}), {"has no value", "--kokkos-num-threads=2"});
  expect_words(refusal({}, {"program", "--kokkos-device-id=x"}), {"--kokkos-device-id=x"});
#ifdef KOKKOS_ENABLE_OPENMP
  expect_words(refusal({}, {"--kokkos-num-threads=513"}), {"513 threads", "512"});
  expect_words(refusal({{"OMP_NUM_THREADS", "600"}}), {"600 threads"});
#endif
}

TEST(KokkosSettings, ThatAreRightAreTaken) {
  const Environment right{{"KOKKOS_NUM_THREADS", "2"},        {"KOKKOS_DEVICE_ID", "0"},
                          {"KOKKOS_DISABLE_WARNINGS", "Yes"}, {"KOKKOS_PRINT_CONFIGURATION", "0"},
                          {"KOKKOS_VISIBLE_DEVICES", "0,1"},  {"KOKKOS_MAP_DEVICE_ID_BY", "random"},
                          {"KOKKOS_TOOLS_LIBS", "none.so"},   {"OMP_NUM_THREADS", "2,2"}};
  EXPECT_NO_THROW(require_kokkos_settings(
      lookup(right), {"program", "--kokkos-num-threads=512", "--kokkos-print-configuration"}));
}

// The programs, in a shell.

struct Ended {
  int status;
  std::string error; ///< what standard error had
};

class Programs : public ::testing::Test {
protected:
  /// `line` with PROGRAM in place of its path. Standard error goes to a file first.
  [[nodiscard]] Ended shell(const std::string& program, std::string line) const {
    const std::string path = gangway::testing::beside_program(program).string();
    line.replace(line.find("PROGRAM"), 7, "'" + path + "'");
    const std::string command = "cd '" + _folder.path().string() + "' && exec 2> error && " + line;
    // NOLINTNEXTLINE(bugprone-command-processor): a shell's redirections are what is tested
    const int status = std::system(command.c_str());
    std::ifstream file(_folder / "error");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            {std::istreambuf_iterator<char>(file), {}}};
  }

  testing::TemporaryFolder _folder;
};

constexpr const char* picture = "PROGRAM --width 8 --height 8 --iterations 10 a.png";
constexpr const char* plate = "PROGRAM --rows 8 --columns 8 --sweeps 2";

TEST_F(Programs, DoTheirWorkWhereNobodyReadsTheErrors) {
  for (const char* where : {" 2> /dev/full", " 2>&-"}) {
    EXPECT_EQ(shell("mandelbrot", std::string(picture) + where).status, 0) << where;
    EXPECT_EQ(shell("mandelbrot", std::string("PROGRAM --width 0 a.png") + where).status, 2);
    EXPECT_EQ(shell("mandelbrot", std::string("PROGRAM /nowhere/a.png") + where).status, 2);
    EXPECT_EQ(shell("cg", std::string("PROGRAM nowhere.mtx > out") + where).status, 2);
  }
}

TEST_F(Programs, SayThatTheirOutputIsLost) {
  std::ofstream(_folder / "a.mtx")
      << "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n";
  for (const char* where : {" > /dev/full", " >&-"}) {
    const Ended heat = shell("heat", std::string(plate) + where);
    EXPECT_EQ(heat.status, 2) << where;
    expect_words(heat.error, {"heat: cannot write"});
    const Ended cg = shell("cg", std::string("PROGRAM a.mtx") + where);
    EXPECT_EQ(cg.status, 2) << where;
    expect_words(cg.error, {"cg: cannot write"});
    EXPECT_EQ(shell("heat", std::string("PROGRAM --help") + where).status, 2) << where;
    EXPECT_EQ(shell("cg", std::string("PROGRAM a.mtx 2>&-") + where).status, 2) << where;
  }
  EXPECT_EQ(shell("heat", std::string(plate) + " > out < /dev/null 2>&-").status, 0);
}

/// Two blocks of 512 bytes, so that every file is too large. LLVM's OpenMP needs as many: with less
/// it leaves an empty file in /dev/shm, and a later process with the same number ends by SIGBUS.
TEST_F(Programs, LeaveNothingWhereALimitEndsTheirFiles) {
  std::ofstream matrix(_folder / "a.mtx");
  matrix << "%%MatrixMarket matrix coordinate real symmetric\n1000 1000 1000\n";
  for (int row = 1; row <= 1000; ++row)
    matrix << row << ' ' << row << " 3\n";
  matrix.close();
  for (const auto& [program, line] :
       {std::pair{"heat", "PROGRAM --rows 99 --columns 99 --sweeps 2 --checkpoint lost"},
        {"mandelbrot", "PROGRAM --width 99 --height 99 lost.png"},
        {"cg", "PROGRAM a.mtx -o lost.mtx"}}) {
    const Ended ended = shell(program, std::string("ulimit -f 2 && ") + line + " > /dev/null");
    EXPECT_EQ(ended.status, 2) << line;
    expect_words(ended.error, {std::string(program) + ": ", "File too large"});
    for (const auto& file : std::filesystem::directory_iterator(_folder.path())) {
      const std::string name = file.path().filename().string();
      EXPECT_EQ(name.find("lost"), std::string::npos) << name;
      EXPECT_EQ(name.find("partial"), std::string::npos) << name;
    }
  }
}

TEST_F(Programs, RefuseWhatKokkosWouldEndThemOver) {
  std::vector<std::string> bad{"KOKKOS_NUM_THREADS=few", "KOKKOS_DEVICE_ID=-2",
                               "KOKKOS_PRINT_CONFIGURATION=perhaps"};
#ifdef KOKKOS_ENABLE_OPENMP
  bad.emplace_back("OMP_NUM_THREADS=600");
#endif
  for (const auto& [program, line] :
       {std::pair{"heat", plate}, {"mandelbrot", picture}, {"cg", "PROGRAM a.mtx"}}) {
    for (const std::string& setting : bad) {
      const Ended ended = shell(program, setting + " " + line + " > out");
      EXPECT_EQ(ended.status, 2) << program << " with " << setting;
      EXPECT_EQ(std::count(ended.error.begin(), ended.error.end(), '\n'), 1) << ended.error;
      const bool of_kokkos = setting.starts_with("KOKKOS");
      expect_words(ended.error,
                   {std::string(program) + ": " + (of_kokkos ? setting : "600 threads")});
    }
    EXPECT_EQ(shell(program, std::string(line) + " --kokkos-num-threads > out").status, 2);
  }
}

/// The device that a host plays has no room, as where cudaMalloc refuses.
TEST_F(Programs, SayWhichArrayFindsNoRoomOnTheDevice) {
  const auto library = gangway::testing::beside_program("fake") / "refused_memory.so";
  const auto lost_at_end = gangway::testing::beside_program("fake") / "lost_in_kernel.so";
  if (has_device)
    GTEST_SKIP() << "what is refused is a host's memory";
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer wants to be the first library of a program";
#endif
  std::ofstream matrix(_folder / "a.mtx");
  matrix << "%%MatrixMarket matrix coordinate real symmetric\n200000 200000 200000\n";
  for (int row = 1; row <= 200000; ++row)
    matrix << row << ' ' << row << " 3\n";
  matrix.close();
  const std::string large = "REFUSED_BYTES=1000000 ";
  // The first part of the picture, of 4 x 256 pixels: how large others are depends on their time.
  const std::string first_part = "REFUSED_BYTES=3072 REFUSED_MOST=3500 ";
  for (const auto& [program, line, refused, words] :
       {std::tuple{"heat", "PROGRAM --rows 998 --columns 998 --sweeps 2 --checkpoint lost", large,
                   std::vector<std::string>{"copy(temperatures)", "8000000 bytes"}},
        {"mandelbrot",
         "PROGRAM --width 999 --height 999 --iterations 10 lost.png",
         first_part,
         {"copyout(pixels)", "3072 bytes at "}},
        {"cg", "PROGRAM a.mtx -o lost.mtx", large, {"copyin(values)", "1600000 bytes"}}}) {
    const std::string environment =
        "GANGWAY_MEMORY=separate " + refused + "LD_PRELOAD='" + library.string() + "' ";
    const Ended ended = shell(program, environment + line + " > out");
    EXPECT_EQ(ended.status, 2) << line;
    EXPECT_EQ(std::count(ended.error.begin(), ended.error.end(), '\n'), 1) << ended.error;
    expect_words(ended.error, {std::string(program) + ": "});
    expect_words(ended.error, words);
    expect_words(ended.error, {"find no room on the device (Kokkos ERROR: ", "failed to allocate"});
    // A GPU without any room left: Kokkos cannot even end.
    const Ended lost = shell(program, environment + "KOKKOS_TOOLS_LIBS='" + lost_at_end.string() +
                                          "' LOST_AT=end " + line + " > out");
    EXPECT_EQ(lost.status, 2) << line;
    EXPECT_EQ(lost.error.find(ended.error.substr(0, ended.error.find(" bytes at "))), 0)
        << lost.error;
    expect_words(lost.error, {std::string("\n") + program + ": the program was aborted"});
    for (const auto& file : std::filesystem::directory_iterator(_folder.path()))
      EXPECT_EQ(file.path().filename().string().find("lost"), std::string::npos) << file.path();
    EXPECT_EQ(shell(program, "GANGWAY_MEMORY=separate LD_PRELOAD='" + library.string() + "' " +
                                 line + " > out")
                  .status,
              0);
    for (const char* name : {"lost", "lost.png", "lost.mtx"})
      std::filesystem::remove(_folder / name);
  }
}

TEST_F(Programs, BeginWithoutAWordAboutBinding) {
  for (const char* set : {"-u OMP_NUM_THREADS", "OMP_NUM_THREADS=1"}) {
    const std::string environment =
        std::string("env -u OMP_PROC_BIND -u OMP_PLACES -u GANGWAY_BINDING ") + set + " ";
    const Ended ended = shell("heat", environment + plate + " > out");
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.error, "");
  }
}

} // namespace
} // namespace gangway::apps
