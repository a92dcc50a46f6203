# For people: each target does all of its own set-up. The build itself is Meson's (meson.build).

BUILD := build
ASAN := build-asan
export CC := clang-19

.PHONY: all demo check check-random check-positions check-memory check-why check-slice check-native check-mutations check-editor check-page check-field bench bench-machine bench-check bench-field bench-record bench-power bench-replay bench-desk bench-order bench-slice bench-native bench-messages bench-region lint format install clean deps deb check-package
.DEFAULT_GOAL := all

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

# What the project is for, in a minute or two: nodes are recorded, and two bugs are found from their flash chips.
demo: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet src/cli/hindcast firmware/mho-rec.elf firmware/mho-numbered.elf firmware/storm-rec.elf
	@tools/demo $(BUILD)

# Everything that can be checked, twice: as users run it, and under ASan and UBSan (with the firmware that the first made).
check: $(BUILD)/build.ninja $(ASAN)/build.ninja
	@tools/check $(BUILD) $(ASAN)

# For a night: random programs, resets and pairs of interrupts at random places, and spoilt replays, many more than in check.
check-random: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet src/cli/hindcast tests/replay/test_positions tests/replay/small.elf \
	    tests/replay/threads-short.elf tests/replay/preemptive-short.elf tests/replay/longjmp-short.elf \
	    tests/replay/ramcode-short.elf
	HINDCAST_PAIRS=100000 $(BUILD)/tests/replay/test_positions
	@ninja -C $(BUILD) --quiet tests/replay/test_self_check tests/replay/checked.elf tests/replay/other.elf tests/replay/idle.elf \
	    tests/replay/turns.elf tests/replay/checked_dma.elf
	HINDCAST_SPOILT=2000 $(BUILD)/tests/replay/test_self_check
	@ninja -C $(BUILD) --quiet tests/replay/test_resets tests/replay/blink-c.elf firmware/blink-rec.elf firmware/count-rec.elf
	for image in firmware/blink-rec firmware/count-rec tests/replay/blink-c; do \
	    HINDCAST_RESETS=1000 $(BUILD)/tests/replay/test_resets $(BUILD)/$$image.elf 0 1000 || exit 1; done
	tests/replay/random_nodes $(BUILD)/src/cli/hindcast firmware/kit/build 1000 1000
	tests/replay/random_firmware $(BUILD)/src/cli/hindcast firmware/kit/build 1000 200
	@ninja -C $(BUILD) --quiet tests/power/test_random tests/power/test_heap tests/power/test_torn tests/power/test_inputs \
	    tests/firmware/power_heap.elf tests/firmware/power_versioned.elf
	$(BUILD)/tests/power/test_random first 20000
	$(BUILD)/tests/power/test_heap first 5000
	$(BUILD)/tests/power/test_torn first 5000
	$(BUILD)/tests/power/test_inputs first 50000
	@ninja -C $(BUILD) --quiet
	meson test -C $(BUILD) --benchmark --suite overflow --no-rebuild

# Ten million interrupts in loops that nobody counts: no position comes twice.
check-positions: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet tests/replay/test_campaign tests/replay/uncounted.elf tests/replay/threads-short.elf \
	    tests/replay/preemptive-short.elf
	HINDCAST_INTERRUPTS=10000000 $(BUILD)/tests/replay/test_campaign

# Memory runs out at every single allocation of every command.
check-memory: $(BUILD)/build.ninja
	@ninja -C $(BUILD) check-memory

# Ten thousand logs with mended checksums and ten thousand ELF files, spoilt at random: no crash, and no wrong replay unnoticed.
check-mutations: $(BUILD)/build.ninja
	@ninja -C $(BUILD) check-mutations

# Chains of variables: what was explained changes when its source is changed. Faults that are planted in applications of the kit: each is in the chain of
# causes of its symptom, and every edge of those chains is tried.
EXPLAINED = blink count oscilloscope mho em storm
check-why: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet src/cli/hindcast tests/why/test_counterfactual tests/why/edges firmware/mho-rec.elf $(EXPLAINED:%=firmware/%.elf)
	$(BUILD)/tests/why/test_counterfactual $(EXPLAINED:%=$(CURDIR)/$(BUILD)/firmware/%.elf)
	tests/why/planted $(BUILD)/src/cli/hindcast firmware/kit/build firmware $(BUILD)/tests/why/edges
	tests/why/hour $(BUILD)/src/cli/hindcast $(BUILD)/firmware/mho-rec.elf

# The test cases of the paper on slices, level by level, with its figures for functions, code, log, time and energy.
bench-slice: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet src/cli/hindcast $(foreach app,late co2 busy,firmware/$(app)-rec.elf)
	bench/slice $(BUILD)/src/cli/hindcast firmware/kit/build $(BUILD)/firmware

# What is seen to flow into a variable in the machine lies in its slice: a thousand random programs, and all applications.
SLICED = blink count oscilloscope mho em collect surge storm
check-slice: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet src/cli/hindcast $(SLICED:%=firmware/%.elf) $(SLICED:%=firmware/%-rec.elf)
	tests/depend/applications $(BUILD)/src/cli/hindcast 20 $(foreach app,$(SLICED),$(BUILD)/firmware/$(app).elf $(BUILD)/firmware/$(app)-rec.elf)
	tests/depend/sound $(BUILD)/src/cli/hindcast firmware/kit/build 1 1000

# Regions that csmith made, on the host and in the machine.
check-native: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet src/cli/hindcast tests/region/test_native
	tests/region/random_native $(BUILD)/src/cli/hindcast firmware/kit/build $(BUILD)/tests/region/test_native 1 200

# Regions of all applications of the kit, nine nodes, ten minutes: no visit differs.
.PHONY: check-regions
check-regions: $(BUILD)/build.ninja
	@ninja -C $(BUILD) check-regions

# hindcast dap, driven by the client that editors' makers test debug adapters with (from npm).
check-editor: $(BUILD)/build.ninja
	@tools/check-editor $(BUILD)

# The space-time diagram in a browser: opens it, pans, clicks, and says how long that takes.
check-page: $(BUILD)/build.ninja
	@tools/check-page $(BUILD)

# A million messages of emulated nodes over channels that lose, repeat and reorder them, with resets, outages and logs that come round: no pair is wrong.
# Then 800,000 of nodes that are recorded whole and lose their supply, with numbers of their own and with those of frames.
.PHONY: check-order
check-order: $(BUILD)/build.ninja
	@ninja -C $(BUILD) check-order
	@ninja -C $(BUILD) check-order-all

# A hundred nodes of LEACH, recorded: each replays to the instruction. With the faults and without.
.PHONY: check-leach
check-leach: $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j1 check-nodes-leach check-nodes-leach-race check-nodes-leach-fix

# Networks of nodes that record: each node of each application verified, full lengths, and one that records for forty hours.
RECORDED := blink count oscilloscope mho mho-fix mho-lpl64 mho-lpl512 collect surge em
check-field: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet recorded check-field-images
	@for app in $(RECORDED); do echo "== $$app" && \
	    tests/replay/record_and_verify $(BUILD)/src/cli/hindcast $(BUILD)/firmware/$$app-rec.elf 60 9 || exit 1; done
	$(BUILD)/tests/field/test_collection
	NETWORK_VARIANT=-rec $(BUILD)/tests/field/test_collection long
	@ninja -C $(BUILD) check-field-long

bench: bench-machine bench-check bench-field bench-record bench-power bench-replay bench-desk bench-order bench-slice bench-messages bench-region

bench-machine: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-machine

bench-field: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-field

bench-record: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-record

bench-replay: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-replay

bench-desk: $(BUILD)/build.ninja
	@tools/install-deps browser
	@ninja -C $(BUILD) bench-desk

bench-order: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-order

bench-check: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-check

bench-region: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-region

bench-native: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-native

bench-messages: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-messages

bench-power: $(BUILD)/build.ninja
	@ninja -C $(BUILD) bench-power

lint: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet
	@tools/lint $(BUILD)

format: deps
	@tools/sources | xargs clang-format-19 -i

install: $(BUILD)/build.ninja
	meson install -C $(BUILD)

# Debian packages in BUILD/deb: hindcast, and hindcast-kit with the firmware kit, the recorder, scenarios and documents.
deb: $(BUILD)/build.ninja
	@tools/make-deb $(BUILD)

# The packages on a bare Debian 12, made by debootstrap: docs/first-hour.md is followed there. Needs root, and the network.
check-package: deb
	@tools/check-package $(BUILD)

clean:
	rm -rf $(BUILD) $(ASAN)

deps:
	@tools/install-deps

$(BUILD)/build.ninja: | deps
	meson setup $(BUILD)

$(ASAN)/build.ninja: | deps
	meson setup $(ASAN) -Dfirmware=$(CURDIR)/$(BUILD) -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1
