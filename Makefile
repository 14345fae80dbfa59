# make run    the demo, from nothing      make bench   benchmarks, against peers, as ratios
# make test   all tests                   make check   format, lint, pages
# make build  the release binary          make fuzz    the fuzzers, for a minute
# make sbom   what the release binary is made of, as SPDX      make image   the container, its base by digest
# make package  a Debian package and a .tar.xz, into .build/packages; make package-test tries them in fresh roots
# make site     the pages of docs/ as a searchable site, into .build/site
# make image-test  the container's file system without an engine
# make clients  the adapters against stand-ins; the package as an app takes it
# make cluster  ten rounds of three replicas while things are killed, and whether the simulation gives what was measured
# make trial    what readers of three replicas are shown, held against what editors were answered, for some minutes
# make prove    the service on one thread, under one seed after another: docs/simulation.md; SEED=7 SECONDS=600 JOBS=2, REPLICAS=1, RELEASE=1
# make faults   puts faults into the code, one at a time, and has the simulation look for each; SECONDS=600 JOBS=2
# make seeds    all seeds of the properties that take long; CI has a quarter of them
# make lenses   views, cells, searches and windows mixed, against a naive reading; SECONDS=600, SEED=7
# make lives    1,000 random lives of an app that edits; LIVES=100, SEED=7
# make kotlin   the generated Kotlin, compiled and run; needs Java, and 80 MB of PyPI's
# make hostile   attacks one by one, the quick ones; HOSTILE=--all for those that take minutes, too
# make sanitize  the tests under the thread and the address sanitizer, in a quarter of an hour
SWIFT ?= swift
RUN_ARGUMENTS ?=
BUILD_FLAGS ?=
FUZZ_SECONDS ?= 60

.PHONY: lenses lives seeds run test tests-built tests-web tests-swift bench check format build clean fuzz hostile sanitize sbom image packages package package-test image-test release-binary site prose clients cluster trial prove kotlin faults
.NOTPARALLEL:

# Not optimised: to look at it that is fast enough, and it is there in half the time. The tests use what is built, too.
run: packages
	@$(SWIFT) build --product tablecast
	@exec .build/debug/tablecast demo $(RUN_ARGUMENTS)

# The web's tests first, against the debug build, so that a run's last lines are those of `swift test`.
test: tests-built tests-web tests-swift

tests-built: packages
	$(SWIFT) build --build-tests $(BUILD_FLAGS)

tests-web:
	@./scripts/install-browser-tests.sh >/dev/null
	node --test Clients/JavaScript/test/*.test.mjs
	./Tests/Cookbook/cookbook.py .build/debug/tablecast
	./Tests/Cookbook/readme.py .build/debug/tablecast
	$$(./scripts/install-browser-tests.sh) -m unittest discover --start-directory Tests/BrowserTests

# PostgreSQL: the store's tests start a server of their own.
tests-swift:
	@./scripts/install-system-packages.sh postgresql pgbouncer
	TABLECAST_HOSTILE_SECONDS=10 $(SWIFT) test --skip-build --filter ReplySizeTests
	TABLECAST_HOSTILE_SECONDS=10 $(SWIFT) test --skip-build --filter HostileNetworkTests
	./scripts/run-tests.sh $(SWIFT)

# All seeds of the properties that take long; CI has a quarter of them.
seeds: packages
	TABLECAST_SEEDS=all $(SWIFT) test $(BUILD_FLAGS) --filter 'Table(Diff|Engine|Mapping|Model)Tests'

# CI has ten short ones; more by ROUNDS and SEED.
cluster: packages
	@./scripts/install-system-packages.sh postgresql nginx
	$(SWIFT) build --product tablecast
	./Benchmarks/Simulation/simulation.py --check
	./Tests/Cluster/cluster.py --service .build/debug/tablecast --rounds $(or $(ROUNDS),10) --seed $(or $(SEED),1)
	./Tests/Identity/callers.py .build/debug/tablecast --seconds 8 --seed $(or $(SEED),1)
	./Tests/Identity/users.py .build/debug/tablecast --seconds 20 --seed $(or $(SEED),1) --kill

trial: packages
	@./scripts/install-system-packages.sh postgresql
	$(SWIFT) build --product tablecast
	./Tests/Cluster/trial.py --service .build/debug/tablecast --rounds $(or $(ROUNDS),20) --seed $(or $(SEED),1) --seconds 10

# Clients that each see a table otherwise, held against a naive reading; CI has eight seconds.
lenses: packages
	$(SWIFT) build --product tablecast $(BUILD_FLAGS)
	./Tests/Lenses/trial.py .build/debug/tablecast --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1)

# JOBS: how many seeds at once. RELEASE=1: with the optimiser, which builds for some ten minutes, and is five times as fast then.
SIMULATION := .build/$(if $(RELEASE),release,debug)/Simulation
SIMULATED := $(SWIFT) build --product Simulation $(if $(RELEASE),--configuration release) $(BUILD_FLAGS)
prove: packages
	$(SIMULATED)
	$(SIMULATION) $(if $(SEED),--seed $(SEED)) --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1) \
	  $(if $(REPLICAS),--replicas)

# Puts the faults in, builds, takes them out again whatever comes, and looks for each: FAULTS="gate fence" SECONDS=600 JOBS=2.
FAULTY := .build/simulation-with-faults
faults: packages
	trap 'status=$$?; ./Tests/Simulation/faults.py take || status=1; exit $$status' EXIT; trap 'exit 1' INT TERM HUP; \
	  ./Tests/Simulation/faults.py put && $(SIMULATED) && cp $(SIMULATION) $(FAULTY)
	./Tests/Simulation/faults.py run $(FAULTS) --program $(FAULTY) --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1)

# Some ten seconds; what an attack needs and the machine has not, HAProxy and Varnish say, is passed over.
hostile: packages
	@./scripts/install-system-packages.sh nginx
	$(SWIFT) build --product tablecast $(BUILD_FLAGS)
	./Tests/Hostile/attacks.py .build/debug/tablecast $(HOSTILE)

build: packages
	$(SWIFT) build --configuration release --product tablecast

bench: packages
	./Benchmarks/run.sh

fuzz: packages
	./Fuzz/run.sh $(FUZZ_SECONDS)

sbom: build
	./scripts/sbom.py .build/release/tablecast tablecast.spdx.json

# A tag may be moved, a digest can't: the base of the build is what the registry has for its tag now.
image:
	docker build --tag tablecast --build-arg BUILD_IMAGE="$$(./scripts/image-digest.sh swift:6.3.1-bookworm)" .

# .build/packages: a .deb that uses the system's libraries, and a .tar.xz that has its own.
package: release-binary
	rm -rf .build/packages
	./packaging/make-deb.sh .build/release/tablecast .build/packages
	./packaging/make-tarball.sh .build/release/tablecast .build/packages

# Installed, served, edited, upgraded, removed and purged in fresh roots. As root, some minutes.
package-test: package
	$(SWIFT) build --product tablecast $(BUILD_FLAGS)
	./scripts/check-lean-icu.py .build/release/tablecast .build/debug/tablecast
	./scripts/test-packages.sh .build/packages/tablecast_*.deb .build/packages/tablecast-*-linux-*.tar.xz

# The container's file system, tried without an engine: read-only, without a shell, as its user; with the HTTP cases.
image-test: release-binary
	./scripts/check-image-tree.sh .build/release/tablecast

release-binary: packages
	SWIFT="$(SWIFT)" ./packaging/build-binary.sh .build/lean

# .build/site: the pages of docs/, searchable, and the references of the clients: Swift's where DocC is there, which comes with Swift.
# MkDocs is put into an environment of its own. SITE_PATH: where the site will stand on its host, such as /tablecast.
site:
	@./scripts/install-system-packages.sh nodejs node-typescript
	@.build-site/bin/python -c 'import mkdocs, pymdownx' 2>/dev/null || { ./scripts/install-system-packages.sh python3-venv && python3 -m venv --clear .build-site && \
	  .build-site/bin/pip install --quiet --disable-pip-version-check mkdocs==1.6.1 pymdown-extensions==13.1.2; }
	@! command -v docc >/dev/null || $(SWIFT) build --target TablecastClient $(BUILD_FLAGS)
	@$$(! command -v docc >/dev/null || echo env BUILD=.build/debug) .build-site/bin/python scripts/make-site.py .build/site

sanitize: packages
	./Sanitizers/run.sh

# Random lives of an app that edits, in both clients.
lives: packages
	node Clients/JavaScript/test/lives.mjs $(or $(LIVES),1000) $(SEED)
	$(SWIFT) build --build-tests $(BUILD_FLAGS)
	TABLECAST_LIVES=$(or $(LIVES),1000) TABLECAST_LIVES_SEED=$(SEED) $(SWIFT) test --skip-build --filter LivesTests

# What apps take: the adapters against stand-ins for UIKit and AppKit, and the package as a dependency.
clients:
	cd Tests/AdapterPackage && $(SWIFT) test
	SWIFT="$(SWIFT)" ./scripts/check-app-package.sh

kotlin:
	./Tests/Kotlin/run.sh

# Sentences of the pages that begin with a clause, or are too long.
prose:
	./scripts/check-prose.py

# swift-format's lint is strict: what `make format` would change, or a rule forbids, fails here. The faults for the simulation have to fit.
check: prose
	python3 Tests/Simulation/faults.py check
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

clean:
	rm -rf .build

packages:
	@./scripts/install-system-packages.sh
