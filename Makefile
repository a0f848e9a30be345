# SPDX-License-Identifier: Apache-2.0
# A thin front: everything is built by CMake, in build/.
MAKEFLAGS += --no-print-directory

help:
	@echo "make demo     build the library and the tool, and show them at work on real matrices"
	@echo "make check    build and run the tests"
	@echo "make petsc    build the plug-in for PETSc, and run an example on two ranks"
	@echo "make lint     formatting, layers, sizes"
	@echo "make clean    remove build/"
	@echo "To install:   cmake --preset demo && cmake --build --preset demo &&"
	@echo "              cmake --install build/demo"

demo:
	@tools/deps.sh demo
	@cmake --preset demo
	@cmake --build --preset demo
	@tools/demo.sh build/demo/bin/sparloom

check:
	@tools/deps.sh check
	@cmake --preset check
	@cmake --build --preset check
	@tools/run-tests.sh build/check -LE '^whole$$'

petsc:
	@tools/deps.sh petsc
	@cmake -S petsc -B build/petsc-demo -DSPARLOOM_EMULATOR=OFF
	@cmake --build build/petsc-demo --parallel "$$(nproc)"
	@tools/petsc-demo.sh build/petsc-demo

lint:
	@tools/lint.sh

clean:
	rm -rf build

.PHONY: help demo check petsc lint clean
