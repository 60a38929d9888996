// Command dump shows what is in a data directory while no server uses it.
//
//	go run ./tools/dump [-json] [-bodies] [-summary] DIR
//	go run ./tools/dump -salvage NEW_DIR DIR
//
// It lists the jobs, shard by shard, in the order in which a server would take
// them up: by id, then the buried ones in the order of their burials. Behind them
// stand the tubes with their counts, and the total. Times are UTC. As lines of
// JSON every object tells its type, "job", "tube" or "total"; a body that is no
// UTF-8 is in base64, under "body_base64" instead of "body".
//
// # What it changes
//
// Nothing that matters. The store is opened as a server opens it, so its log may
// be played into a table and an update without a job dropped, and a leftover of a
// change of the number of shards removed; the jobs stay as they are. The number
// of shards is the directory's. Where not even that may be, dump a copy.
// A directory that is not beanfield's, or in use, is left alone.
//
// # Salvage
//
// When a directory is damaged, so that neither a server nor a dump opens it,
// -salvage copies what is readable to a new directory, which must not exist, and
// lists what is not. It does not touch DIR. The price: a job whose delete was in
// an unreadable part is back, and one whose last release, bury or kick was there
// is in its state before that. New jobs get ids above the highest one that any
// readable part tells of, also of jobs that are deleted or cannot be read. A
// salvage that is killed leaves a directory that a server refuses.
//
// The exit status is 0 when all went well, 1 when not, 2 for wrong usage. A
// salvage that had to leave something out still ends with 0.
package main
