// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdlib.h> // mkdtemp

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace gangway::testing {

/// A fresh folder in the system's place for temporary files, removed with all that is in it at the
/// end. Throws std::system_error if there can be none.
class TemporaryFolder {
public:
  TemporaryFolder() {
    // mkdtemp puts letters for the six X.
    std::string name = (std::filesystem::temp_directory_path() / "gangway-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), name);
    _path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(_path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return _path; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
    return _path / name;
  }

private:
  std::filesystem::path _path;
};

} // namespace gangway::testing
