// Package protocol has how the beanstalk protocol is written: lines that come in, and the words
// and documents that go out. It knows no connection, and not what a command does: which commands
// there are is in the table of package beanstalk, which gives the grammar here its words.
//
// Nothing here allocates for a line, whatever is wrong with it; names are borrowed from it.
package protocol
