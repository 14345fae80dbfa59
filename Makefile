# make run    the demo, from nothing      make bench   benchmarks, against peers, as ratios
# make test   all tests                   make check   format and lint
# make build  the release binary          make fuzz    the fuzzers, for a minute
# make clients  the adapters against stand-ins; the package as an app takes it
# make sanitize  the tests under the thread and the address sanitizer, in a quarter of an hour
SWIFT ?= swift
RUN_ARGUMENTS ?=
FUZZ_SECONDS ?= 60

.PHONY: run test bench check format build clean fuzz sanitize packages clients

run: packages
	@$(SWIFT) build --configuration release --product tablecast
	@exec .build/release/tablecast demo $(RUN_ARGUMENTS)

# The web's tests first, against the debug build, so that a run's last lines are those of `swift test`. PostgreSQL: the
# store's tests start a server of their own.
test: packages
	@./scripts/install-system-packages.sh postgresql
	@./scripts/install-browser-tests.sh >/dev/null
	node --test Clients/JavaScript/test/*.test.mjs
	$(SWIFT) build --build-tests
	$$(./scripts/install-browser-tests.sh) -m unittest discover --start-directory Tests/BrowserTests
	$(SWIFT) test --parallel

build: packages
	$(SWIFT) build --configuration release --product tablecast

bench: packages
	./Benchmarks/run.sh

fuzz: packages
	./Fuzz/run.sh $(FUZZ_SECONDS)

sanitize: packages
	./Sanitizers/run.sh

# What apps take: the adapters against stand-ins for UIKit and AppKit, and the package as a dependency.
clients:
	cd Tests/AdapterPackage && $(SWIFT) test
	SWIFT="$(SWIFT)" ./scripts/check-app-package.sh

# swift-format's lint is strict: what `make format` would change, or a rule forbids, fails here.
check:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

clean:
	rm -rf .build

packages:
	@./scripts/install-system-packages.sh
