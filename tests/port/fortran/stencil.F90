! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> A small program as people write them: modules, a region around time steps, halos on the host, a reduction.
module grid_m
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  integer, parameter :: hs = 2
  real(dp), allocatable :: state(:, :, :), flux(:, :, :), tend(:, :, :)
  real(dp) :: hy_dens(1 - hs:64)
  integer :: nx, nz
  logical :: periodic = .true.
end module

module steps_m
  use grid_m
  implicit none
contains
  subroutine tendencies(state, flux, tend, dt)
    real(dp), intent(in) :: state(1 - hs:nx + hs, 1 - hs:nz + hs, 3)
    real(dp), intent(out) :: flux(nx + 1, nz + 1, 3)
    real(dp), intent(out) :: tend(nx, nz, 3)
    real(dp), intent(in) :: dt
    integer :: i, k, ll, s
    real(dp) :: r, u, stencil(4), d3, vals(3)
    !$acc parallel loop collapse(2) private(ll, s, stencil, vals, d3, r, u) default(present)
    do k = 1, nz
      do i = 1, nx + 1
        do ll = 1, 3
          do s = 1, 2*hs
            stencil(s) = state(i - hs - 1 + s, k, ll)
          end do
          vals(ll) = -stencil(1)/12 + 7*stencil(2)/12 + 7*stencil(3)/12 - stencil(4)/12
          d3 = -stencil(1) + 3*stencil(2) - 3*stencil(3) + stencil(4)
        end do
        r = vals(1) + hy_dens(k)
        u = vals(2)/r
        flux(i, k, 1) = r*u - 0.25_dp*d3
        flux(i, k, 2) = r*u*u + vals(3)**2
        flux(i, k, 3) = r*u*vals(3)
      end do
    end do
    !$acc parallel loop collapse(3) default(present)
    do ll = 1, 3
      do k = 1, nz
        do i = 1, nx
          tend(i, k, ll) = -(flux(i + 1, k, ll) - flux(i, k, ll))/dt
        end do
      end do
    end do
  end subroutine

  subroutine halos()
    integer :: k, ll
    if (.not. periodic) return
    !$acc parallel loop collapse(2) present(state)
    do ll = 1, 3
      do k = 1, nz
        state(-1, k, ll) = state(nx - 1, k, ll)
        state(0, k, ll) = state(nx, k, ll)
        state(nx + 1, k, ll) = state(1, k, ll)
        state(nx + 2, k, ll) = state(2, k, ll)
      end do
    end do
  end subroutine
end module

program stencil
  use steps_m
  implicit none
  integer :: i, k, ll, n
  real(dp) :: mass, dt, largest
  nx = 40; nz = 24; dt = 0.05_dp
  allocate (state(1 - hs:nx + hs, 1 - hs:nz + hs, 3), flux(nx + 1, nz + 1, 3), tend(nx, nz, 3))
  do k = 1 - hs, 64
    hy_dens(k) = 1.2_dp - 0.001_dp*k
  end do
  do ll = 1, 3
    do k = 1 - hs, nz + hs
      do i = 1 - hs, nx + hs
        state(i, k, ll) = 0.01_dp*ll*sin(0.2_dp*i + 0.1_dp*k)
      end do
    end do
  end do
  !$acc data copy(state) copyin(hy_dens) create(flux, tend)
  do n = 1, 4
    call halos()
    call tendencies(state, flux, tend, dt)
    largest = 0
    !$acc parallel loop gang present(state, tend) reduction(max:largest)
    do ll = 1, 3
      !$acc loop vector collapse(2) reduction(max:largest)
      do k = 1, nz
        do i = 1, nx
          state(i, k, ll) = state(i, k, ll) + 1.0e-4_dp*dt*tend(i, k, ll)
          largest = max(largest, abs(state(i, k, ll)))
        end do
      end do
    end do
    print "(z16.16)", transfer(largest, 0_8)
    !$acc update host(state(:, :, 2))
    print "(z16.16)", transfer(state(3, 4, 2), 0_8)
  end do
  !$acc end data
  mass = 0
  do k = 1, nz
    do i = 1, nx
      mass = mass + state(i, k, 1)
    end do
  end do
  print "(z16.16)", transfer(mass, 0_8)
  print "(4z17)", transfer(state(1:4, 5, :), [0_8])
end program
