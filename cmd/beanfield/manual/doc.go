// Package manual holds the pages of beanfield help TOPIC. A page is a file in Markdown
// here; topics.go lists them. Every command line in a page that begins with "    beanfield "
// is one that the program accepts; a test of package command tries them.
//
// TestManualCommands in cmd/beanfield runs the blocks that begin with ```sh: all blocks of a
// page as one script, with a server configured as the packages configure it. Blocks that
// begin with ```toml are whole configurations that the server accepts. trouble.md has every
// message that is logged at warn or error; a test compares it with the source.
package manual
