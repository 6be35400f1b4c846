! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> A program whose Kokkos begins after MPI_Init, and with it what modules declare.
program mpi
  use mpi_part_m
  implicit none
  integer :: code, i
  real :: x(6)
  rows = 4 ! before Kokkos begins
  weights = [(0.5*i, i=1, 6)]
  call start(code)
  allocate (heights(0:5))
  heights = 2
  !$acc update device(heights)
  !$acc parallel loop copyout(x)
  do i = 1, 6
    heights(i - 1) = heights(i - 1) + weights(i)*i
    x(i) = heights(i - 1)
  end do
  !$acc update self(heights)
  deallocate (heights)
  call mpi_finalize(code)
  print *, x, code
end program
