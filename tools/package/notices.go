package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notices writes the copyright notices of what is linked into the program: their licences
// ask for that. Debian wants no copies of licences that every Debian system has, so it gets
// a file of its own.
func (r *release) notices() error {
	list, err := output(r.top, "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}|{{.Dir}}{{end}}{{end}}", "./cmd/beanfield")
	if err != nil {
		return err
	}
	env, err := output(r.top, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	root, goVersion, _ := strings.Cut(env, "\n")
	modules := strings.Split(list, "\n")
	slices.Sort(modules)
	modules = append([]string{"the Go standard library, " + goVersion + "|" + root}, slices.Compact(modules)...)
	const head = `Copyright: the authors of beanfield. They have not chosen a licence yet: ask them before
you pass it on.

The program contains the work of others. Their notices follow.
`
	all, debian := bytes.NewBufferString(head), bytes.NewBufferString(head)
	for _, m := range modules {
		title, dir, _ := strings.Cut(m, "|")
		if m == "" {
			continue // packages of the standard library
		}
		if err := notice(all, debian, title, dir); err != nil {
			return err
		}
	}
	if err := r.write("copyright", all.Bytes()); err != nil {
		return err
	}
	return r.write("copyright.debian", debian.Bytes())
}

var (
	noticeName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)
	apache     = regexp.MustCompile(`(?s)\s*Apache License\s+Version 2.0, January 2004.*END OF TERMS AND CONDITIONS`)
)

const debiansApache = `
Licensed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.
`

// notice adds the notices in the directory of a module.
func notice(all, debian *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !noticeName.MatchString(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		const form = "\n---- %s, %s\n\n%s\n"
		fmt.Fprintf(all, form, title, e.Name(), bytes.TrimSpace(b))
		fmt.Fprintf(debian, form, title, e.Name(), bytes.TrimSpace(apache.ReplaceAll(b, []byte(debiansApache))))
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", title, dir)
	}
	return nil
}
