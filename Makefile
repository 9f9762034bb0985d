# Ward's front door. CMake does the work; see README.md.
BUILD ?= build

.PHONY: all demo check soak bench install format clean deps

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

check: deps
	@tools/check.sh $(BUILD)

# An hour of what `check` draws at random, with other seeds; prints its figures.
soak: deps
	@$(MAKE) --no-print-directory all
	@ninja -C $(BUILD) ward-fuzz
	@tools/soak.sh $(BUILD)

bench: deps
	@$(MAKE) --no-print-directory all
	@bench/run.sh $(BUILD)

install: all
	@cmake --install $(BUILD)

format:
	@command -v clang-format-19 >/dev/null || { echo "ward: format: no clang-format-19" >&2; echo "hint: apt-get install clang-format-19" >&2; exit 2; }
	@git ls-files '*.c' '*.h' | xargs clang-format-19 -i

clean:
	@rm -rf $(BUILD)
