package client

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ListedJob is a job in the reply of list-jobs. The document has its keys but those of the tags, of where
// it has been, and of the body.
type ListedJob struct {
	Document
	Tags Document
	Been []Been
	Body []byte // as much as was asked for
}

// Been says that a job was a dead letter of a tube, or was moved from it: when, why, and how often it
// had been delivered by then.
type Been struct {
	Tube     string    `json:"tube"`
	Why      string    `json:"why"`
	When     time.Time `json:"when"`
	Reserves uint32    `json:"reserves"`
	Timeouts uint32    `json:"timeouts"`
	Releases uint32    `json:"releases"`
}

// ListJobs asks a server that has list-jobs for a page of the jobs that options choose, each as
// Option makes it. cursor is for the next page; "" if this is the last one.
func (c *Client) ListJobs(options ...string) (jobs []ListedJob, cursor string, _ error) {
	r, err := c.Get("OK", "%s", strings.Join(append([]string{"list-jobs"}, options...), " "))
	if err != nil {
		return nil, "", err
	}
	return parseListed(r.Body)
}

// Option is an option of a command, with its value as the line has it.
func Option(name, value string) string { return escape(name) + "=" + escape(value) }

// escape writes bytes that a line or an option cannot have as %XX.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c > ' ' && c < 127 && c != '%' && c != '=' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// parseListed reads the body of the reply.
func parseListed(body []byte) (jobs []ListedJob, cursor string, _ error) {
	const inJob, inTags = "  ", "    "
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSuffix(line, "\n")
		first, begins := strings.CutPrefix(line, "- ")
		if begins {
			jobs = append(jobs, ListedJob{})
			line = inJob + first
		}
		part, err := ParseDocument([]byte(strings.TrimSpace(line)))
		switch {
		case err != nil:
			return nil, "", err
		case len(part) == 0 || part[0].Key == "jobs":
			continue
		case part[0].Key == "cursor" && !strings.HasPrefix(line, inJob):
			cursor = part[0].Value
			continue
		case len(jobs) == 0:
			return nil, "", fmt.Errorf("%w: %.60q in a list of jobs", errStranger, line)
		}
		k, f := &jobs[len(jobs)-1], part[0]
		switch {
		case strings.HasPrefix(line, inTags):
			k.Tags = append(k.Tags, f)
		case f.Key == "tags":
		case f.Key == "been":
			if err = json.Unmarshal([]byte(f.Value), &k.Been); err != nil {
				return nil, "", fmt.Errorf("%w: %w", errStranger, err)
			}
		case f.Key == "body":
			k.Body = []byte(f.Value)
		case f.Key == "body-base64":
			if k.Body, err = base64.StdEncoding.DecodeString(f.Value); err != nil {
				return nil, "", fmt.Errorf("%w: %w", errStranger, err)
			}
		default:
			k.Document = append(k.Document, f)
		}
	}
	return jobs, cursor, nil
}
