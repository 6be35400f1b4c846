! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Module variables that `declare` has on the device, used here and in the modules of declares_part.F90.
module declares_m
  use declares_part_m, only: real64, table, scale, weights => heights, offset, shared_count
  implicit none
  private
  public :: fill, sums, grow, counted
  real(real64) :: local(0:9)
  integer :: count
  logical :: is_on
  integer :: last, from, to
  integer :: step = 2
  !$acc declare create(local, count) device_resident(is_on)
  !$acc declare create(last, from, to)
  !$acc declare create(step)
  real(real64), allocatable :: buffer(:, :)
  !$acc declare copyin(buffer)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    integer :: i, j
    local = -1
    count = 3
    scale(1) = 100
    !$acc update device(local(2:9), count, scale(1:1))
    !$acc serial
    is_on = count == 3
    local(0) = scale(1)
    local(1) = offset
    !$acc end serial
    !$acc parallel loop
    do i = 2, n
      if (is_on) local(i) = local(i) + count*table(i) + scale(mod(i, 3) + 1)
    end do
    !$acc serial present(count)
    count = count + 1
    !$acc end serial
    !$acc update self(local, count)
    print '(10f9.4, i5)', local, count
    scale(2:3) = scale(2:3)/4
    !$acc update device(scale(2:3))
    last = 0
    !$acc update device(last)
    !$acc parallel loop reduction(max:last) copy(last)
    do i = 1, n
      last = max(last, 2*i)
    end do
    !$acc update self(last)
    print '(i5)', last
    from = 1
    to = n/2
    !$acc update device(from, to)
    !$acc kernels
    do i = from, to, step
      local(i) = local(i) + step
    end do
    to = to + 4
    do i = from + 1, to
      local(i) = local(i) + 100
    end do
    !$acc end kernels
    !$acc parallel loop collapse(2)
    do i = from, to
      do j = 1, step
        !$acc atomic update
        local(i) = local(i) + j
      end do
    end do
    !$acc update self(local, to)
    print '(10f9.4, i5)', local, to
  end subroutine
  subroutine grow(n)
    integer, intent(in) :: n
    integer :: i, j, stat
    if (allocated(buffer)) deallocate (buffer)
    allocate (buffer(0:n, 2), &
              source=0.5_real64, stat=stat)
    if (n > 5) allocate (weights(-n:n))
    !$acc parallel loop collapse(2)
    do j = 1, 2
      do i = 0, n
        buffer(i, j) = buffer(i, j)*i + j*scale(2)
      end do
    end do
    !$acc update self(buffer)
    print '(8f9.4)', buffer
    if (allocated(weights)) then
      !$acc parallel loop present(weights)
      do i = -n, n
        weights(i) = i + offset
      end do
      !$acc update self(weights(0:n))
      print '(8f9.4)', weights(0:n)
      deallocate (weights)
    end if
  end subroutine
  real(real64) function sums()
    integer :: i
    real(real64) :: total
    total = 0
    !$acc parallel loop reduction(+:total)
    do i = 0, 9
      total = total + local(i)*scale(1)
    end do
    sums = total
  end function
  integer function counted()
    integer :: i
    !$acc parallel loop
    do i = 1, 100
      if (mod(i, 3) == 0) then
        !$acc atomic update
        shared_count = shared_count + 1
      end if
    end do
    !$acc update self(shared_count)
    counted = shared_count
  end function
end module
program declares
  use declares_m, only: fill, sums, grow, counted
  use declares_part_m, only: make, drop, show
  implicit none
  integer :: pass
  call fill(8)
  print '(f12.4)', sums()
  do pass = 1, 3
    call grow(3*pass)
  end do
  call make(4)
  call show()
  call drop()
  call make(7)
  call show()
  print '(i5)', counted(), counted()
end program
