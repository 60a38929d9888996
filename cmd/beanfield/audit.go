package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"beanfield/cmd/beanfield/config"
	"beanfield/conn/admin"
	"beanfield/conn/admin/console"
	"beanfield/conn/audit"
)

// onStderr is the word of audit.file for standard error.
const onStderr = "stderr"

// stays is a file that Close leaves open.
type stays struct{ io.Writer }

func (stays) Close() error { return nil }

// openAudit opens what audit.file names; nil if it names nothing.
func openAudit(c *config.Config) (io.WriteCloser, error) {
	switch c.Audit.File {
	case "":
		return nil, nil
	case onStderr:
		return stays{os.Stderr}, nil
	}
	f, err := os.OpenFile(c.Audit.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, fmt.Errorf("audit.file: %w", err)
	}
	return f, nil
}

// startAudit begins the audit log, if there is to be one.
func (f *fronts) startAudit(c *config.Config) error {
	file, err := openAudit(c)
	if file != nil {
		f.audit = audit.New(file, f.log)
	}
	return err
}

// reopenAudit goes on in the file that has the name now: the old one may have been moved away.
func (f *fronts) reopenAudit() {
	if f.audit == nil {
		return
	}
	file, err := openAudit(f.config.Load())
	if err != nil {
		f.log.Error("the audit log goes on in the old file", "error", err)
		return
	}
	f.audit.Reopen(file)
}

// tellDeed tells the audit log what somebody has done in the console.
func (f *fronts) tellDeed(r *http.Request, d console.Deed) {
	if f.audit == nil {
		return
	}
	var detail []string
	if d.Done > 0 {
		detail = append(detail, fmt.Sprintf("jobs: %d", d.Done))
	}
	if d.To != "" {
		detail = append(detail, "to: "+d.To)
	}
	if d.Changes != "" {
		detail = append(detail, d.Changes)
	}
	client := admin.ClientOf(r)
	f.audit.Tell(audit.Event{
		Who: client.Subject.Who(), From: client.From, FrontEnd: "console", What: d.What, Tube: d.Tube, ID: d.ID,
		Detail: strings.Join(detail, ", "), Refused: d.Refused,
	})
}
