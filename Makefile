# make help lists what can be done. Every target is one line of what you would type.

GO         ?= go
# Many packages wait for something half of their time, so more of them run at once than there are processors.
ATONCE     ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
LONGFIRST   = ./storage/pebblestore ./conn/beanstalk ./cmd/beanfield ./...
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# About ten seconds each. Counts, because a run limited by time may end with
# "context deadline exceeded" though nothing was found (mended in Go 1.27).
FUZZPARSE  ?= 130000x
FUZZCONN   ?= 10000x
FUZZQUERY  ?= 70000x
FUZZWATCH  ?= 7000x
FUZZRECORD ?= 35000x
FUZZWALK   ?= 13000x
FUZZREADER ?= 3500x
FAULTTIME  ?= 150s
TARGETS    ?= linux/arm64 darwin/amd64 darwin/arm64 freebsd/amd64 freebsd/arm64
BUDGET     ?= 10m

.DEFAULT_GOAL := help

# The profile in cmd/beanfield is for the server that people run: tests compile sooner without it.
export GOFLAGS += -pgo=off

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the server, as ./beanfield
	$(GO) build -pgo=auto -o beanfield ./cmd/beanfield

run: build ## build and run the server on port 11300
	./beanfield -V

test: ## all tests, the longest in their shorter forms; lint vets
	$(GO) run ./tools/suite test -short -vet=off -p $(ATONCE) -timeout 60m $(LONGFIRST)  # the time is only against hanging

thorough: ## the tests that have a shorter form, in full
	$(GO) run ./tools/suite thorough

evidence: ## the longest of all, and what draws from a seed for BUDGET each; results in tools/EVIDENCE.md
	$(GO) run ./tools/suite evidence -budget $(BUDGET)

race: ## all tests under the race detector, the longest in their shorter forms: thorough runs these in full
	$(GO) run ./tools/suite test -race -short -vet=off -p $(ATONCE) -timeout 60m $(LONGFIRST)

portable: ## tests of conn with the poller of macOS and FreeBSD
	$(GO) test -short -vet=off -p $(ATONCE) -timeout 20m -tags portable ./conn/...

# A cold target takes a minute; make package then uses what this has compiled.
targets: ## vet all for macOS and FreeBSD
	@for t in $(TARGETS); do echo "$$t"; \
		GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) vet -trimpath ./... || exit 1; done

cluster: ## tests of several machines, with real engines of NATS; their elections take seconds
	$(GO) test -count 1 -timeout 20m ./storage/jetstream ./storage/cluster ./storage/cluster/transfer -engine
	ENGINE=1 $(GO) test -count 1 -timeout 20m ./cmd/beanfield -run TestConversations/cluster-node

single: ## all tests on one processor each, the longest in their shorter forms
	GOMAXPROCS=1 $(GO) run ./tools/suite test -short -vet=off -count 1 -p 2 -timeout 60m $(LONGFIRST)  # count: or the results of two would do

lint: ## formatting, vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

fuzz: ## each fuzz target for about ten seconds
	$(GO) test ./conn/beanstalk -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZPARSE)
	$(GO) test ./conn/beanstalk -run '^$$' -fuzz '^FuzzConnection$$' -fuzztime $(FUZZCONN)
	$(GO) test ./conn/beanstalk/protocol -run '^$$' -fuzz '^FuzzEscape$$' -fuzztime $(FUZZQUERY)
	$(GO) test ./conn/beanstalk/protocol -run '^$$' -fuzz '^FuzzIDs$$' -fuzztime $(FUZZQUERY)
	$(GO) test ./conn/forward -run '^$$' -fuzz '^FuzzRequest$$' -fuzztime $(FUZZQUERY)
	$(GO) test ./conn/queueservice -run '^$$' -fuzz '^FuzzQuery$$' -fuzztime $(FUZZQUERY)
	$(GO) test ./conn/queueservice -run '^$$' -fuzz '^FuzzCodec$$' -fuzztime $(FUZZQUERY)
	$(GO) test ./conn/queueservice -run '^$$' -fuzz '^FuzzFrames$$' -fuzztime $(FUZZQUERY)
	$(GO) test ./conn/queueservice -run '^$$' -fuzz '^FuzzWatch$$' -fuzztime $(FUZZWATCH)
	$(GO) test ./storage/pebblestore/format -run '^$$' -fuzz '^FuzzDecodeRecord$$' -fuzztime $(FUZZRECORD)
	$(GO) test ./storage/pebblestore/format -run '^$$' -fuzz '^FuzzDecodeQueue$$' -fuzztime $(FUZZRECORD)
	$(GO) test ./storage -run '^$$' -fuzz '^FuzzPurgeOf$$' -fuzztime $(FUZZRECORD)
	$(GO) test ./storage/turns -run '^$$' -fuzz '^FuzzOps$$' -fuzztime $(FUZZRECORD)
	$(GO) test ./storage/pebblestore/repair -run '^$$' -fuzz '^FuzzWalk$$' -fuzztime $(FUZZWALK)
	$(GO) test ./cmd/beanfield/binlog -run '^$$' -fuzz '^FuzzReader$$' -fuzztime $(FUZZREADER) -fuzzminimizetime 20x

compat: ## compare with Debian's beanstalkd, reply by reply
	$(GO) run ./tools/compat
	$(GO) run ./tools/compat -reworded -seeds 6
	$(GO) run ./tools/compat -through plain -table '^(close|put)/'

crash: ## kill -9 under load, with a ledger; damaged directories
	$(GO) run ./tools/crash
	$(GO) run ./tools/crash -damage 24

faults: ## harm to three nodes while clients use them, with a ledger; then the histories are checked
	$(GO) run ./tools/faults -faults 1000 -time $(FAULTTIME) -within 5m

dist: ## a release, in dist: packages for Debian and RPM, archives, a container's files, checksums
	$(GO) run ./tools/package

package: ## make a release and try it: lintian, the same bytes twice, install, upgrade, container
	tools/package/run

monitoring: ## have Prometheus scrape the server, and promtool check metrics and alert rules
	tools/monitoring/run

clients: ## drive the server with real client libraries, and its console with a browser
	tools/clients/run
	$(GO) test ./tools/console -browser

bench: ## benchmarks of the parts and of the whole server
	$(GO) test -run '^$$' -bench . -benchmem ./...

profile: ## where the server spends its time, for the compiler: into cmd/beanfield/default.pgo
	$(GO) run ./tools/bench profile

bench-compare: ## beside Debian's beanstalkd, in the same run, into tools/bench: 25 minutes
	$(GO) run ./tools/bench compare -rows all -write

.PHONY: help build run test portable targets thorough evidence race cluster single lint fuzz compat crash faults dist package monitoring clients bench profile bench-compare
