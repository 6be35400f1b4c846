// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program half-way: `advance` is Kokkos' already, everything else still C with OpenACC.
#include <gangway/gangway.hpp>
#include <gangway/openacc.hpp>

#include <cmath>
#include <cstdlib>

#pragma GCC diagnostic ignored "-Wunknown-pragmas"

extern "C" {
#include "../before/waves.h"
int waves_main(int argc, char** argv); // before/main.c
/// The one of before/sea.c, for the host.
void original_advance(const struct sea* now, struct sea* next, double courant);
}

namespace after { // the names are those of the C functions
#include "../after/sea.cpp"
}

// [advance]
/// Called by main.c. OpenACC holds every array and scalar on the device.
extern "C" void advance(const struct sea* now, struct sea* next, double courant) {
  using gangway::named;
  using Scalar = Kokkos::View<double, gangway::DeviceSpace>;
  const int rows = now->ny + 2;
  gangway::Data data;
  const auto field = [&](const char* name, double* array) {
    static_cast<void>(data.present(named(name, array), rows, now->nx));
  };
  field("h", now->h), field("hu", now->hu), field("hv", now->hv);
  field("new h", next->h), field("new hu", next->hu), field("new hv", next->hv);
  const after::ClockView clock{Scalar(data.present(named("fastest", &fastest), 1).data()),
                               Scalar(data.present(named("elapsed", &elapsed), 1).data())};

  const after::Sea old{now->nx, now->ny, now->h, now->hu, now->hv};
  after::Sea made{next->nx, next->ny, next->h, next->hu, next->hv};
  gangway::verify(
      "advance", [&] { original_advance(now, next, courant); },
      [&] { after::advance(&old, &made, clock, courant); });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos;
  gangway::share_with_openacc(); // before OpenACC's first construct
  return waves_main(argc, argv);
}
// [advance]
