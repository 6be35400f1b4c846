! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Data: clauses, regions, enter and exit, update, implicit clauses, components, pointers, module variables.
module fields_m
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  type :: field
    integer :: nx = 0, ny = 0
    real(real64), allocatable :: u(:, :), v(:, :)
  end type
  real(real64), allocatable, target :: weight(:)
  real(real64) :: factor = 0.75_real64
  integer :: i_of_module
contains
  subroutine create(f, nx, ny)
    type(field), intent(inout) :: f
    integer, intent(in) :: nx, ny
    integer :: i, j
    f%nx = nx; f%ny = ny
    allocate (f%u(0:nx + 1, 0:ny + 1), f%v(0:nx + 1, 0:ny + 1), weight(-1:nx))
    do j = 0, ny + 1
      do i = 0, nx + 1
        f%u(i, j) = 0.5_real64*i - 0.25_real64*j + 0.001_real64*i*j
      end do
    end do
    f%v = 0
    do i = -1, nx
      weight(i) = 1.0_real64/(i + 3)
    end do
    !$acc enter data copyin(f%u) create(f%v)
    !$acc enter data copyin(weight)
  end subroutine
  subroutine step(f, change)
    type(field), intent(inout) :: f
    real(real64), intent(out) :: change
    integer :: i, j
    change = 0
    !$acc parallel loop collapse(2) present(f%u, f%v)
    do j = 1, f%ny
      do i = 1, f%nx
        f%v(i, j) = factor*(f%u(i - 1, j) + f%u(i + 1, j)) - weight(i)*f%u(i, j)
      end do
    end do
    !$acc parallel loop collapse(2) default(present) reduction(max:change)
    do j = 1, f%ny
      do i = 1, f%nx
        change = max(change, abs(f%v(i, j) - f%u(i, j)))
        f%u(i, j) = f%v(i, j)
      end do
    end do
    !$acc update self(f%u(:, 1)) async(1)
    !$acc wait(1)
    f%u(:, 1) = f%u(:, 1) + 1
    !$acc update device(f%u(:, 1))
  end subroutine
  subroutine finish(f)
    type(field), intent(inout) :: f
    !$acc exit data copyout(f%u) delete(f%v)
    !$acc exit data delete(weight)
    print "(4z17)", transfer(f%u(1:3, :), [0_8])
    deallocate (f%u, f%v, weight)
  end subroutine
end module

program regions
  use fields_m
  implicit none
  type(field) :: f
  real(real64) :: change
  integer :: n
  call create(f, 9, 5)
  do n = 1, 3
    call step(f, change)
    print "(z16.16)", transfer(change, 0_8)
  end do
  call finish(f)
  call scalars(50)
  call conditional(.true., 20)
  call conditional(.false., 20)
  call sections(30)
  call hidden(12)
  call addresses(7)
contains

  subroutine scalars(n)
    integer, intent(in) :: n
    real(real64) :: x(n), most, shift
    integer :: i
    do i = 1, n
      x(i) = modulo(i*37, 29)
    end do
    most = 3; shift = 2
    !$acc data copyin(x) copy(most) copyin(shift)
    !$acc parallel loop reduction(max:most)
    do i = 1, n
      most = max(most, x(i)*shift)
    end do
    !$acc end data
    print *, most
    !$acc kernels copy(x)
    do i = 2, n
      x(i) = x(i) + x(i - 1)
    end do
    do i = 1, n
      x(i) = 2*x(i)
    end do
    most = x(n)
    !$acc end kernels
    print *, most, x(n/2)
    !$acc serial copy(x)
    x(1) = 5
    do i = 2, n
      if (x(i) > 100) then
        x(i) = x(i - 1)
      end if
    end do
    !$acc end serial
    print *, x(n)
  end subroutine

  subroutine conditional(on_device, n)
    logical, intent(in) :: on_device
    integer, intent(in) :: n
    integer :: a(n), i
    a = 1
    !$acc data copy(a) if(on_device)
    !$acc parallel loop if(on_device) async(2)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$acc wait
    !$acc end data
    print *, a
  end subroutine

  subroutine sections(n)
    integer, intent(in) :: n
    real(real64) :: a(-4:n), b(n)
    integer :: i
    a = 1; b = 0
    !$acc parallel loop copyin(a(2:n - 1)) copyout(b(3:9))
    do i = 3, 9
      b(i) = a(i - 1) + i
    end do
    print *, b
    !$acc data copyin(a(-4:n)) copy(b(1:n))
    !$acc kernels
    !$acc loop independent
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    !$acc end kernels
    !$acc end data
    print *, b(1), b(n)
  end subroutine

  subroutine addresses(n)
    integer, intent(in) :: n
    real(real64) :: a(-1:n, 2)
    integer, allocatable :: k(:)
    allocate (k(0:n))
    a = 1; k = 2
    !$acc data copy(a) copyin(k)
    !$acc host_data use_device(a, k)
    print *, lbound(a), ubound(a), size(k), lbound(k), shape(a)
    !$acc end host_data
    !$acc parallel loop
    do i_of_module = -1, n
      a(i_of_module, 2) = 5
    end do
    !$acc end data
    print *, a
  end subroutine

  subroutine hidden(n)
    integer, intent(in) :: n
    real(real64), pointer :: p(:)
    real(real64), allocatable :: q(:)
    integer :: i
    allocate (p(0:n), q(3:n))
    p = 4; q = 5
    !$acc enter data copyin(p)
    !$acc parallel loop
    do i = 3, n
      q(i) = q(i) + p(i - 3)
    end do
    !$acc exit data delete(p)
    print *, q, p(0)
    deallocate (p, q)
  end subroutine
end program
