! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> Module `openacc` as OpenACC 3.3 describes it, for `gangway port` to read programs that use it. It is read before
!> them, and never linked.
module openacc
  use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  implicit none
  private
  public :: openacc_version, acc_device_kind, acc_handle_kind, acc_device_property_kind
  integer, parameter :: acc_device_kind = int32, acc_handle_kind = int32, acc_device_property_kind = int32
  integer, parameter :: openacc_version = 201711
  integer(acc_device_kind), parameter, public :: acc_device_none = 0, &
    acc_device_default = 1, &
    acc_device_host = 2, &
    acc_device_not_host = 3, &
    acc_device_current = 4, &
    acc_device_nvidia = 5, &
    acc_device_radeon = 6
  integer(acc_handle_kind), parameter, public :: acc_async_noval = -1, acc_async_sync = -2, acc_async_default = 0
  integer(acc_device_property_kind), parameter, public :: acc_property_memory = 1, &
    acc_property_free_memory = 2, &
    acc_property_shared_memory_support = 3, &
    acc_property_name = 4, &
    acc_property_vendor = 5, &
    acc_property_driver = 6

  public :: acc_copyin
  interface acc_copyin
    subroutine f_copyin(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_copyin_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_copyin_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_copyin_async
  interface acc_copyin_async
    subroutine f_copyin_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_copyin_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_copyin_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_create
  interface acc_create
    subroutine f_create(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_create_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_create_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_create_async
  interface acc_create_async
    subroutine f_create_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_create_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_create_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_copyout
  interface acc_copyout
    subroutine f_copyout(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_copyout_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_copyout_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_copyout_async
  interface acc_copyout_async
    subroutine f_copyout_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_copyout_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_copyout_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_delete
  interface acc_delete
    subroutine f_delete(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_delete_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_delete_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_delete_async
  interface acc_delete_async
    subroutine f_delete_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_delete_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_delete_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_copyout_finalize
  interface acc_copyout_finalize
    subroutine f_copyout_finalize(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_copyout_finalize_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_copyout_finalize_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_copyout_finalize_async
  interface acc_copyout_finalize_async
    subroutine f_copyout_finalize_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_copyout_finalize_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_copyout_finalize_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_delete_finalize
  interface acc_delete_finalize
    subroutine f_delete_finalize(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_delete_finalize_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_delete_finalize_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_delete_finalize_async
  interface acc_delete_finalize_async
    subroutine f_delete_finalize_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_delete_finalize_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_delete_finalize_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_update_device
  interface acc_update_device
    subroutine f_update_device(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_update_device_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_update_device_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_update_device_async
  interface acc_update_device_async
    subroutine f_update_device_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_update_device_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_update_device_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_update_self
  interface acc_update_self
    subroutine f_update_self(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_update_self_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_update_self_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_update_self_async
  interface acc_update_self_async
    subroutine f_update_self_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_update_self_async_4(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine f_update_self_async_8(a, bytes, async)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
  end interface
  public :: acc_present_or_copyin
  interface acc_present_or_copyin
    subroutine f_present_or_copyin(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_present_or_copyin_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_present_or_copyin_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_present_or_create
  interface acc_present_or_create
    subroutine f_present_or_create(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_present_or_create_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_present_or_create_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_pcopyin
  interface acc_pcopyin
    subroutine f_pcopyin(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_pcopyin_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_pcopyin_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_pcreate
  interface acc_pcreate
    subroutine f_pcreate(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine f_pcreate_4(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
    end subroutine
    subroutine f_pcreate_8(a, bytes)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
    end subroutine
  end interface
  public :: acc_is_present
  interface acc_is_present
    function f_is_present(a) result(it)
      import
      type(*), dimension(..) :: a
      logical :: it
    end function
    function f_is_present_4(a, bytes) result(it)
      import
      type(*), dimension(..) :: a
      integer(int32), value :: bytes
      logical :: it
    end function
    function f_is_present_8(a, bytes) result(it)
      import
      type(*), dimension(..) :: a
      integer(int64), value :: bytes
      logical :: it
    end function
  end interface

  public :: acc_get_num_devices, acc_set_device_type, acc_get_device_type, acc_set_device_num
  public :: acc_get_device_num, acc_get_property, acc_get_property_string, acc_init
  public :: acc_init_device, acc_shutdown, acc_shutdown_device, acc_async_test
  public :: acc_async_test_all, acc_async_test_device, acc_async_test_all_device, acc_wait
  public :: acc_async_wait, acc_wait_all, acc_async_wait_all, acc_wait_device
  public :: acc_wait_all_device, acc_wait_async, acc_wait_all_async, acc_wait_device_async
  public :: acc_wait_any, acc_get_default_async, acc_set_default_async, acc_on_device
  public :: acc_malloc, acc_free, acc_map_data, acc_unmap_data
  public :: acc_deviceptr, acc_hostptr, acc_attach, acc_attach_async
  public :: acc_detach, acc_detach_async, acc_detach_finalize, acc_detach_finalize_async
  public :: acc_memcpy_to_device, acc_memcpy_to_device_async, acc_memcpy_from_device, acc_memcpy_from_device_async
  public :: acc_memcpy_device, acc_memcpy_device_async, acc_memcpy_d2d
  interface
    function acc_get_num_devices(device) result(it)
      import
      integer(acc_device_kind), value :: device
      integer :: it
    end function
    subroutine acc_set_device_type(device)
      import
      integer(acc_device_kind), value :: device
    end subroutine
    function acc_get_device_type() result(it)
      import
      integer(acc_device_kind) :: it
    end function
    subroutine acc_set_device_num(number, device)
      import
      integer, value :: number
      integer(acc_device_kind), value :: device
    end subroutine
    function acc_get_device_num(device) result(it)
      import
      integer(acc_device_kind), value :: device
      integer :: it
    end function
    function acc_get_property(number, device, property) result(it)
      import
      integer, value :: number
      integer(acc_device_kind), value :: device
      integer(acc_device_property_kind), value :: property
      integer(c_size_t) :: it
    end function
    subroutine acc_get_property_string(number, device, property, string)
      import
      integer, value :: number
      integer(acc_device_kind), value :: device
      integer(acc_device_property_kind), value :: property
      character(*), intent(out) :: string
    end subroutine
    subroutine acc_init(device)
      import
      integer(acc_device_kind), value :: device
    end subroutine
    subroutine acc_init_device(number, device)
      import
      integer, value :: number
      integer(acc_device_kind), value :: device
    end subroutine
    subroutine acc_shutdown(device)
      import
      integer(acc_device_kind), value :: device
    end subroutine
    subroutine acc_shutdown_device(number, device)
      import
      integer, value :: number
      integer(acc_device_kind), value :: device
    end subroutine
    function acc_async_test(wait) result(it)
      import
      integer(acc_handle_kind), value :: wait
      logical :: it
    end function
    function acc_async_test_all() result(it)
      import
      logical :: it
    end function
    function acc_async_test_device(wait, number) result(it)
      import
      integer(acc_handle_kind), value :: wait
      integer, value :: number
      logical :: it
    end function
    function acc_async_test_all_device(number) result(it)
      import
      integer, value :: number
      logical :: it
    end function
    subroutine acc_wait(wait)
      import
      integer(acc_handle_kind), value :: wait
    end subroutine
    subroutine acc_async_wait(wait)
      import
      integer(acc_handle_kind), value :: wait
    end subroutine
    subroutine acc_wait_all()
      import
    end subroutine
    subroutine acc_async_wait_all()
      import
    end subroutine
    subroutine acc_wait_device(wait, number)
      import
      integer(acc_handle_kind), value :: wait
      integer, value :: number
    end subroutine
    subroutine acc_wait_all_device(number)
      import
      integer, value :: number
    end subroutine
    subroutine acc_wait_async(wait, async)
      import
      integer(acc_handle_kind), value :: wait
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_wait_all_async(async)
      import
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_wait_device_async(wait, async, number)
      import
      integer(acc_handle_kind), value :: wait
      integer(acc_handle_kind), value :: async
      integer, value :: number
    end subroutine
    function acc_wait_any(count, waits, number) result(it)
      import
      integer, value :: count
      integer(acc_handle_kind), intent(in) :: waits(count)
      integer, value :: number
      integer :: it
    end function
    function acc_get_default_async() result(it)
      import
      integer(acc_handle_kind) :: it
    end function
    subroutine acc_set_default_async(async)
      import
      integer(acc_handle_kind), value :: async
    end subroutine
    function acc_on_device(device) result(it)
      import
      integer(acc_device_kind), value :: device
      logical :: it
    end function
    function acc_malloc(bytes) result(it)
      import
      integer(c_size_t), value :: bytes
      type(c_ptr) :: it
    end function
    subroutine acc_free(device)
      import
      type(c_ptr), value :: device
    end subroutine
    subroutine acc_map_data(a, device, bytes)
      import
      type(*), dimension(..) :: a
      type(c_ptr), value :: device
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine acc_unmap_data(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    function acc_deviceptr(a) result(it)
      import
      type(*), dimension(..) :: a
      type(c_ptr) :: it
    end function
    function acc_hostptr(device) result(it)
      import
      type(c_ptr), value :: device
      type(c_ptr) :: it
    end function
    subroutine acc_attach(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine acc_attach_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_detach(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine acc_detach_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_detach_finalize(a)
      import
      type(*), dimension(..) :: a
    end subroutine
    subroutine acc_detach_finalize_async(a, async)
      import
      type(*), dimension(..) :: a
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_memcpy_to_device(device, a, bytes)
      import
      type(c_ptr), value :: device
      type(*), dimension(..) :: a
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine acc_memcpy_to_device_async(device, a, bytes, async)
      import
      type(c_ptr), value :: device
      type(*), dimension(..) :: a
      integer(c_size_t), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_memcpy_from_device(a, device, bytes)
      import
      type(*), dimension(..) :: a
      type(c_ptr), value :: device
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine acc_memcpy_from_device_async(a, device, bytes, async)
      import
      type(*), dimension(..) :: a
      type(c_ptr), value :: device
      integer(c_size_t), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_memcpy_device(to, from, bytes)
      import
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine acc_memcpy_device_async(to, from, bytes, async)
      import
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
      integer(acc_handle_kind), value :: async
    end subroutine
    subroutine acc_memcpy_d2d(to, from, bytes, to_device, from_device)
      import
      type(*), dimension(..) :: to, from
      integer(c_size_t), value :: bytes
      integer, value :: to_device, from_device
    end subroutine
  end interface
end module
