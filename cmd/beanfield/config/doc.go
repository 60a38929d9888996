// Package config is all that is known about the server's settings: it makes one typed configuration of flags and a
// TOML file, and says what is wrong with them. It binds and writes nothing.
//
// # Where to start reading
//
//	flags.go       the command line, read as beanstalkd reads it
//	config.go      the settings, and flags over file over defaults
//	table.go       the table of all settings: a line for each key, with its default
//	setting.go     a row of it, which knows the field that it sets
//	kind.go        the kinds of settings: how values of numbers, sizes, times and words are read and shown
//	value.go       what a TOML value is, and what a setting makes of it
//	file.go        the TOML file, walked against that table, and the line of each key
//	element.go     arrays of tables, as [[listen]], all read by one loop
//	mistake.go     what is wrong with flags or file, all of it at once
//	doubt.go       what is valid, but probably not what was meant
//	check.go       what check-config prints
//	merge.go       what a reload can change, and what needs a restart
//	standing.go    policies and schedules: those that somebody has set at run time, and those of the file
//
// What the settings of a table mean, and their checks, are in a file of its name: storage.go, tls.go, access.go,
// tube.go, schedule.go, cluster.go, and fronts.go for those of the queue service and of HTTP. address.go is an address
// to listen on, with the permissions of its socket, and user.go a user to become.
//
// A key exists if it has a line in the table, and it sets the field that has its name, or the one in parentheses behind
// it. The reader, check-config, reload, and the tests that hold config.example.toml and the manual to the code use
// these lines. What is marked + changes at a reload. Fields have the types that shards, schedules and front ends take:
// nothing is converted later.
package config
