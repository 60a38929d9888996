// Package manual holds the pages of beanfield help TOPIC. A page is a file in Markdown
// here; topics.go lists them. Every command line in a page that begins with "    beanfield "
// is one that the program accepts; a test of package command tries them.
package manual
