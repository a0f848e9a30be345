# SPDX-License-Identifier: Apache-2.0
# A thin front: everything is built by CMake, in build/.
MAKEFLAGS += --no-print-directory

help:
	@echo "make demo     build the library and the tool, and show them at work on real matrices"
	@echo "make check    build and run the tests"
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

lint:
	@tools/lint.sh

clean:
	rm -rf build

.PHONY: help demo check lint clean
