package compare

import "beanfield/tools/bench/load"

// awaitedSet are the rows in which a client awaits each answer before it sends the next command, as
// most clients do. All but one sync before each reply.
const awaitedSet = "awaited"

// awaitedRows are durable cycles and puts, with the server on a processor of its own and with nothing pinned.
var awaitedRows = []row{
	manyAwait("always", "50 connections, fsync before each reply", false, nil),
	manyAwait("always-unpinned", "50 connections, fsync before each reply, nothing pinned", true, nil),
	manyAwait("always-puts", "50 connections put, fsync before each reply", false, putsAlone),
	manyAwait("always-puts-unpinned", "50 connections put, fsync before each reply, nothing pinned", true, putsAlone),
	oneAwaits("always-one-core", "1 connection, fsync before each reply", false, oneConnection),
	oneAwaits("always-one", "1 connection, fsync before each reply, nothing pinned", true, oneConnection),
	oneAwaits("always-one-core-puts", "1 connection puts, fsync before each reply", false, onePuts),
	oneAwaits("always-one-puts", "1 connection puts, fsync before each reply, nothing pinned", true, onePuts),
}

func putsAlone(ld *load.Load) { ld.Kind = load.KindPut }

func onePuts(ld *load.Load) { ld.Kind, ld.Connections = load.KindPut, 1 }

func manyAwait(name, title string, unpinned bool, change func(*load.Load)) row {
	return row{
		name: name, set: lifeSet, title: title, class: classAlways, awaited: true, unpinned: unpinned,
		load: base(change),
		goals: []goal{
			atLeast(metricThroughput, 6),
			beside(nameFork, atLeast(metricThroughput, 1)), beside(nameFork, atMost(metricCPU, 1.1)),
			beside(nameLogged, atLeast(metricThroughput, 0.95)), beside(nameLogged, atMost(metricCPU, 1.15)),
		},
	}
}

func oneAwaits(name, title string, unpinned bool, change func(*load.Load)) row {
	return row{
		name: name, set: lifeSet, title: title, class: classAlways, awaited: true, unpinned: unpinned,
		load: base(change),
		goals: []goal{
			atLeast(metricThroughput, 1), atMost(metricP99, 1),
			beside(nameFork, atLeast(metricThroughput, 1)), beside(nameFork, atMost(metricCPU, 1.15)),
			beside(nameLogged, atLeast(metricThroughput, 0.97)),
		},
	}
}
