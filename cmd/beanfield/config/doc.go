// Package config knows all settings of the server: it makes one typed configuration from flags and a TOML file, and
// reports what is wrong with them. It opens no address and writes nothing.
//
// # Where to start reading
//
//	flags.go       the command line, read as beanstalkd reads it
//	config.go      the settings, and flags over file over defaults
//	table.go       the table of all settings: a line for each key, with its default
//	setting.go     a row of the table, which knows the field that it sets
//	kind.go        the kinds of settings: how values of numbers, sizes, times and words are read and shown
//	value.go       TOML values, and how settings read them
//	file.go        the TOML file, checked against the table, and the line of each key
//	element.go     arrays of tables, such as [[listen]], all read by one loop
//	mistake.go     errors in flags or file, all reported at once
//	doubt.go       what is valid, but probably not what was meant
//	check.go       what check-config prints
//	merge.go       what a reload can change, and what needs a restart
//	standing.go    policies and schedules: those set at run time, and those of the file
//
// What the settings of a TOML table mean, and their checks, are in a file named after the table: storage.go, tls.go,
// access.go, tube.go, schedule.go, cluster.go, and fronts.go for the queue service and HTTP. address.go has addresses
// to listen on, with the permissions of their sockets, and user.go the user that the server becomes.
//
// A key exists if it has a line in the table of table.go. It sets the field that has its name, or the one in
// parentheses after it. The reader, check-config, reload, and the tests that compare config.example.toml and the manual
// with the code all use these lines. Keys marked + change at a reload. Fields have the types that shards, schedules and
// front ends take: nothing is converted later.
package config
