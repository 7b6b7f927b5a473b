# Cross-compiles for arm64 with Debian's g++-aarch64-linux-gnu and a folder of arm64 libraries:
# ./dev arm64, or tools/arm64_sysroot.sh FOLDER and
# cmake --preset arm64 -DRIDGEWATT_SYSROOT=FOLDER
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(RIDGEWATT_SYSROOT "" CACHE PATH "Folder made by tools/arm64_sysroot.sh")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RIDGEWATT_SYSROOT)
set(CMAKE_SYSROOT "${RIDGEWATT_SYSROOT}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # uses protoc of the host
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${RIDGEWATT_SYSROOT}")
