# SPDX-License-Identifier: Apache-2.0
# Ward's front door. CMake does the work; see README.md.
BUILD ?= build

.PHONY: all demo demo-cluster quick check full lock check-kernel check-packages soak soak-sum bench bench-kernel
.PHONY: install uninstall format clean deps

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@cmake -G Ninja -S . -B $(BUILD)

# Says what it installs, and installs only what is missing (Debian packages).
deps:
	@tools/deps.sh

demo: deps
	@$(MAKE) --no-print-directory all
	@tools/demo.sh $(BUILD)

# The main job of a cluster: one query on three machines, one of which is lost on the way. As root.
demo-cluster: deps
	@$(MAKE) --no-print-directory all
	@ninja -C $(BUILD) ward-counted
	@tools/demo-cluster.sh $(BUILD)

# In a few minutes, what says soonest what broke.
quick: deps
	@tools/check.sh $(BUILD) quick

# What continuous integration runs.
check: deps
	@tools/check.sh $(BUILD) check

# All tests, in both builds.
full: deps
	@tools/check.sh $(BUILD) full

# The kernel target, in a virtual machine with each kernel of Debian's; what that needs is unpacked below $(BUILD), and
# installed nowhere. WARD_KERNEL=SUITE: with that suite's alone, as bookworm-backports; empty: with this release's.
check-kernel: deps
	@$(MAKE) --no-print-directory all
	@tests/kernel/every.sh $(BUILD)

# The Debian packages, built and used in minimal systems below $(BUILD), as root; nothing is installed on this one.
check-packages:
	@tests/packaging/debian.sh . $(BUILD)

# After a change to what is proven: prove what changed, and write it down.
lock: $(BUILD)/build.ninja
	@ninja -C $(BUILD) z3-lock-write

# Hours of what `full` draws at random, with other seeds, in slices that each add a line to $(BUILD)/soak.log;
# soak-sum sums that up.
soak: deps
	@$(MAKE) --no-print-directory all
	@ninja -C $(BUILD) ward-fuzz
	@tools/soak.sh $(BUILD)

soak-sum:
	@tools/soak.sh --sum $(BUILD)

# Beside tracers that are installed: bpftrace, uftrace, lttng-tools and liblttng-ust-dev.
bench: deps
	@$(MAKE) --no-print-directory all
	@bench/run.sh $(BUILD)

# What probes of the kernel cost, in instructions, beside bpftrace, in such a virtual machine.
bench-kernel: deps
	@$(MAKE) --no-print-directory all
	@bench/kernel/run.sh $(BUILD)

# PREFIX: where to (default /usr/local); DESTDIR: a directory that stands for /, for packages.
install: all
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX)) >/dev/null
	@echo "ward: installed $$(wc -l <$(BUILD)/install_manifest.txt) files; 'make uninstall' removes them"

uninstall:
	@packaging/uninstall.sh $(BUILD)/install_manifest.txt

format:
	@command -v clang-format-19 >/dev/null || { echo "ward: format: no clang-format-19" >&2; echo "hint: apt-get install clang-format-19" >&2; exit 2; }
	@tests/tree/format.py . --list | xargs clang-format-19 -i

clean:
	@rm -rf $(BUILD)
