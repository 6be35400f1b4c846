! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gangway/fortran/here.inc>

!> channel NX NY NZ STEPS EVERY FILE
program channel
  use channel_m
  use gangway
  use tracer_m
  implicit none
  type(tracer), target :: t
  real(wp) :: change, highest
  integer :: nx, ny, nz, steps, every, n, cells, unit
  character(len=400) :: file

  call read_arguments()
  call gangway_initialize(GANGWAY_HERE)
  call create_tracer(t, nx, ny, nz)
  open (newunit=unit, file=file, access="stream", form="unformatted", status="replace")
  do n = 1, steps
    call step(t, 0.5_wp, change)
    if (mod(n, every) == 0) then
      call census(t, 0.01_wp, cells, highest)
      print "(i0, 1x, i0, 2(1x, es23.16))", n, cells, highest, change
      call write_plane(t, unit)
    end if
  end do
  close (unit)
  call delete_tracer(t)
  call gangway_finalize(GANGWAY_HERE)

contains

  subroutine read_arguments()
    integer :: numbers(5), i, status
    character(len=20) :: word
    do i = 1, 5
      call get_command_argument(i, word)
      read (word, *, iostat=status) numbers(i)
      if (status /= 0 .or. command_argument_count() /= 6) error stop "channel NX NY NZ STEPS EVERY FILE"
    end do
    nx = numbers(1); ny = numbers(2); nz = numbers(3); steps = numbers(4); every = numbers(5)
    call get_command_argument(6, file)
  end subroutine

end program
