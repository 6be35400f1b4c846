# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gangway for Spack 1.0 or newer, written from Spack's documentation; nobody has run it yet. In a clone of Gangway:

    spack repo create gangway-repo gangway
    mkdir gangway-repo/spack_repo/gangway/packages/gangway
    ln -s "$PWD/spack/package.py" gangway-repo/spack_repo/gangway/packages/gangway/
    spack repo add gangway-repo/spack_repo/gangway
    spack install gangway +port
"""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Gangway(CMakePackage, CudaPackage):
    """From OpenACC to Kokkos: levels and data regions in Kokkos, a translator, and a referee that compares both."""

    git = f"file://{Path(__file__).resolve().parents[1]}"  # the clone that this file is linked from

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("openmp", default=True, description="Run kernels of a host build on OpenMP's threads")
    variant("referee", default=True, description="The command, the case studies and the timing report")
    variant("mpi", default=True, when="+referee", description="Run across GPUs")
    variant("port", default=True, when="+referee", description="The translator, on Clang's libraries")
    variant("openacc", default=False, when="+referee", description="The OpenACC side, by GCC's offload compiler")
    variant("native", default=False, description="Compile what is measured for the processor that builds it")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("kokkos@4.6: cxxstd=20")
    depends_on("kokkos +openmp", when="+openmp")
    depends_on("kokkos +cuda", when="+cuda")
    for architecture in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos cuda_arch={architecture}", when=f"+cuda cuda_arch={architecture}")
    with when("+referee"):
        depends_on("cli11@2:")
        depends_on("fmt@8:")
        depends_on("libpng@1.6.22:")
        depends_on("nlohmann-json@3.11:")
        depends_on("zlib-api")
        depends_on("kokkos-kernels@4.6:")
        depends_on("cuda@12.4:", when="+cuda")
    depends_on("mpi@3:", when="+mpi")
    depends_on("llvm@22.1 +clang", when="+port")

    def cmake_args(self):
        return [
            self.define_from_variant("GANGWAY_STUDIES", "referee"),
            self.define_from_variant("GANGWAY_ACC_TIME", "referee"),
            self.define_from_variant("GANGWAY_MPI", "mpi"),
            self.define_from_variant("GANGWAY_PORT", "port"),
            self.define_from_variant("GANGWAY_OPENACC", "openacc"),
            self.define_from_variant("GANGWAY_NATIVE", "native"),
            self.define("GANGWAY_TESTS", False),
            self.define("GANGWAY_BENCHMARKS", False),
        ] + ([self.define("llvm_folder", self.spec["llvm"].prefix)] if self.spec.satisfies("+port") else [])
