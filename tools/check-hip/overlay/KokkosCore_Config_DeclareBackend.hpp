#pragma once
// HIP after OpenMP: its headers use what the host backends declare.
#include_next <KokkosCore_Config_DeclareBackend.hpp>

#include <decl/Kokkos_Declare_HIP.hpp>
