package manual

import (
	"embed"
	"fmt"
)

// A Topic is a page and what it is about.
type Topic struct{ Name, Summary string }

// Topics are all pages in the order of reading.
var Topics = []Topic{
	{"migration", "moving from beanstalkd to beanfield, and back"},
}

//go:embed *.md
var pages embed.FS

// Page returns the text of a topic.
func Page(name string) (text string, ok bool) {
	for _, t := range Topics {
		if t.Name == name {
			b, err := pages.ReadFile(name + ".md")
			if err != nil {
				panic(fmt.Sprintf("the topic %s has no page: %v", name, err)) // a test reads them all
			}
			return string(b), true
		}
	}
	return "", false
}
