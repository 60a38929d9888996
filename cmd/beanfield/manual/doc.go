// Package manual holds the pages of beanfield help TOPIC. A page is a file in Markdown
// here; topics.go lists them. Every command line in a page that begins with "    beanfield "
// is one that the program accepts; a test of package command tries them.
//
// Blocks that begin with ```sh are run by TestManualCommands in cmd/beanfield: those of a page
// one after the other, as one script, beside the service as the packages install it. Blocks
// that begin with ```toml are whole configurations that the server accepts. trouble.md has
// every line that is logged at warn or error; a test compares it with the source.
package manual
