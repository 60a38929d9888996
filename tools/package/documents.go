package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"time"
)

// maintainer is who answers for the packages.
const maintainer = "beanfield maintainers <maintainers@beanfield.example>"

// documents writes what the program says about itself, and what has to come with it.
func (r *release) documents() error {
	page, err := r.ask("help", "man")
	if err != nil {
		return err
	}
	if err := r.write("beanfield.1", []byte(page)); err != nil {
		return err
	}
	small, err := squeeze([]byte(page))
	if err != nil {
		return err
	}
	if err := r.write("beanfield.1.gz", small); err != nil {
		return err
	}
	for shell, name := range map[string]string{"bash": "beanfield.bash", "zsh": "_beanfield",
		"fish": "beanfield.fish"} {
		script, err := r.ask("completion", shell)
		if err != nil {
			return err
		}
		if err := r.write(name, []byte(script)); err != nil {
			return err
		}
	}
	for _, t := range r.targets {
		if err := r.notices(t); err != nil {
			return err
		}
	}
	return r.write("changelog.yaml", fmt.Appendf(nil, `- semver: "%s-1"
  date: %s
  packager: %s
  deb: {urgency: medium, distributions: [unstable]}
  changes:
    - note: "Release of this version."
`, r.version, time.Unix(r.time, 0).UTC().Format(time.RFC3339), maintainer))
}

// squeeze is gzip without a name and a time.
func squeeze(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
