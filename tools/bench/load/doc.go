// Package load sends a load to a server and measures its replies.
//
// The generator must never be what is measured. It therefore drives all its connections from one loop (loop.go, over
// that of package socket): requests are built from pieces that were made beforehand (payload.go), one read and one
// write serve a whole batch, and nothing is allocated while it runs. A connection always has exactly one batch of
// commands outstanding; a plan (plan.go), which is a table, says which batch comes next. That is all the state there
// is, and every load (load.go) is a plan.
//
// Every reply is parsed (reply.go) and compared with the command that asked for it (verify.go): its word, its id, its
// body. No job may be handed out twice (ledger.go). Afterwards the server's own counts must agree with the generator's
// (audit.go). A wrong reply ends the run with an error, because the speed of a server that answers wrongly does not
// matter.
//
// Reading order: load.go, plan.go, conn.go, loop.go, verify.go, run.go.
package load
