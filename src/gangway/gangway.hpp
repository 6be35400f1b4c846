// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Everything a port links: levels of parallelism and data regions.
#include "gangway/data.hpp"
#include "gangway/levels.hpp"
#include "gangway/streaming.hpp"
