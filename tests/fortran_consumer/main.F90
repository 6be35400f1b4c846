! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

! The smallest port there is: one region, one kernel.
#include <gangway/fortran/here.inc>
program consumer
  use, intrinsic :: iso_c_binding, only: c_double
  use gangway
  implicit none
  interface
    subroutine scale(in, out, factor) bind(c)
      import :: c_double
      real(c_double), intent(in) :: in(0:, :)
      real(c_double), intent(inout) :: out(0:, :)
      real(c_double), value :: factor
    end subroutine
  end interface
  real(c_double), target :: in(0:34, 100), out(0:34, 100)
  type(gangway_data) :: data
  integer :: i

  call gangway_initialize(GANGWAY_HERE)
  in = reshape([(real(i, c_double), i=1, 3500)], [35, 100])
  out = 0
  call data%copyin(in, "in", GANGWAY_HERE)
  call data%copyout(out, "out", GANGWAY_HERE)
  call scale(in, out, 3.0_c_double)
  call data%close(GANGWAY_HERE)
  print "(3a, i0, a)", "consumer: ", gangway_launch(1), ", ", count(out == 3*in), " elements are right"
  call gangway_finalize(GANGWAY_HERE)
end program
