// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Everything a port links: loops, data regions, the runtime library.
#include "gangway/atomic.hpp"
#include "gangway/data.hpp"
#include "gangway/device.hpp"
#include "gangway/farray.hpp"
#include "gangway/handles.hpp"
#include "gangway/intrinsics.hpp"
#include "gangway/levels.hpp"
#include "gangway/linked.hpp"
#include "gangway/parallel.hpp"
#include "gangway/policy.hpp"
#include "gangway/queues.hpp"
#include "gangway/range.hpp"
#include "gangway/reduction.hpp"
#include "gangway/runtime.hpp"
#include "gangway/tile.hpp"
#include "gangway/verify.hpp"
