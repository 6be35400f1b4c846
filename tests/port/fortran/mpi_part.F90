! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Declared variables, and a stand-in for MPI, for mpi.F90.
module mpi_part_m
  implicit none
  integer :: rows = 3
  real :: weights(6)
  real, allocatable :: heights(:)
  !$acc declare copyin(weights, rows) create(heights)
contains
  subroutine start(code)
    integer, intent(out) :: code
    integer :: i
    code = -1
    call MPI_Init(code)
    !$acc parallel loop
    do i = 1, rows
      weights(i) = weights(i) + code
    end do
  end subroutine
end module
subroutine mpi_init(code)
  integer, intent(out) :: code
  code = 10
end subroutine
subroutine mpi_finalize(code)
  integer, intent(out) :: code
  code = 20
end subroutine
