// Command clients takes jobs through their whole life on a running server with
// go-beanstalk, unmodified, and checks every answer. What it does is in conversations.txt: a
// line is a call of the library, by its name, with what it must return (lines.go).
//
// It is a module of its own, so that the server's module does not depend on a
// client library; of the server's it uses the package checks. It is started by the run script beside this folder;
// alone:
//
//	clients HOST PORT
//
// from the parent folder, where stats-keys.json is. QUOTES says which strings the
// server quotes in stats: "needed", "always" or "never" (go-beanstalk returns them
// with the quotes). SERVER_PID is compared with the pid in stats. REFERENCE=1 says
// that the server is beanstalkd, of which less is asked.
package main
