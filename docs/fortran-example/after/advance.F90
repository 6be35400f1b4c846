! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

module advance_m
  use, intrinsic :: iso_c_binding, only: c_double
  use tracer_m
  implicit none

  interface
    subroutine advance_kernel(c, next, flow, dt, mixing, change) bind(c) ! advance.cpp
      import :: c_double
      real(c_double), allocatable, intent(in) :: c(:, :, :), flow(:, :)
      real(c_double), allocatable, intent(inout) :: next(:, :, :)
      real(c_double), value :: dt, mixing
      real(c_double), intent(out) :: change
    end subroutine
  end interface

contains

  !> One step of length dt; `change` is the largest one of any cell.
  subroutine advance(t, dt, change)
    type(tracer), intent(inout) :: t
    real(wp), intent(in) :: dt
    real(wp), intent(out) :: change
    call advance_kernel(t%c, t%next, flow, dt, mixing, change)
  end subroutine

end module
