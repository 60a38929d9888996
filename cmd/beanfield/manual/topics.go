package manual

import (
	"embed"
	"fmt"
	"strings"

	"beanfield/conn/beanstalk"
)

// A Topic is a page and what it is about.
type Topic struct{ Name, Summary string }

// Topics are all pages in the order of reading.
var Topics = []Topic{
	{"migration", "moving from beanstalkd to beanfield, and back"},
	{"shards", "how many shards and event loops to run"},
	{"persistence", "jobs on disk, backups, and restoring them"},
	{"disks", "disks that are full, failing or damaged; salvage"},
	{"upgrade", "what an upgrade changes, and how to go back"},
	{"changes", "what changed in each version"},
	{"clusters", "several machines as one server, which survives the loss of one"},
	{"recovery", "a cluster whose nodes are lost, full or damaged"},
	{"kubernetes", "an example of three nodes, and what to change in it"},
	{"engine", "a cluster whose log is on the site's own NATS servers"},
	{"sizing", "how much memory and disk jobs take"},
	{"security", "who can reach the server, and how to limit that"},
	{"access", "who may do what: rules, tokens, the audit log"},
	{"rights", "which right each command needs, and the answer without it"},
	{"protocol", "the commands that beanstalkd does not have"},
	{"puts", "one of them: a put with a key, a name, milliseconds, tags and more"},
	{"reserves", "another: a reserve by tags, which tells more of its jobs"},
	{"batches", "those for many jobs at once"},
	{"clients", "what to set in client libraries, Laravel and Symfony"},
	{"moves", "moving jobs to another tube, and changing them"},
	{"browsers", "which web pages may use the server, and by what names"},
	{"monitoring", "what to watch, and when to be alerted"},
	{"console", "the pages for a browser, and their JSON interface"},
	{"policies", "dead letters, retries, ages, rates and fair shares for tubes"},
	{"limits", "how many jobs a tube and the whole server may have, and how large"},
	{"runtime", "policies and schedules that are set while the server runs"},
	{"cron", "jobs that the server puts by the clock"},
	{"queue", "the queue service, which pushes items over HTTP"},
	{"tour", "the queue service, typed from top to bottom"},
	{"differences", "the queue service beside workers, and beside the original"},
	{"trouble", "what each line of the log means, and what to do"},
	{"questions", "ten questions that users of beanstalkd ask; macOS and FreeBSD"},
}

//go:embed *.md
var pages embed.FS

// Page returns the text of a topic. RIGHTS and ADDED on a line of their own are lists made from the table of commands.
func Page(name string) (text string, ok bool) {
	for _, t := range Topics {
		if t.Name == name {
			b, err := pages.ReadFile(name + ".md")
			if err != nil {
				panic(fmt.Sprintf("the topic %s has no page: %v", name, err)) // a test reads them all
			}
			return strings.NewReplacer("\nRIGHTS\n", "\n"+beanstalk.Rights(), "\nADDED\n", "\n"+
				beanstalk.Added()).Replace(string(b)), true
		}
	}
	return "", false
}
