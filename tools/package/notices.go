package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// copyright and licences are where the stage has, for a target, the notices of what is linked in, and the list of it.
func copyright(t target) string { return "copyright-" + t.String() }

func licences(t target) string { return "licences-" + t.String() }

// head begins the notices, and the list.
const head = `Copyright: the authors of beanfield. They have not chosen a licence yet: ask them before
you pass it on.

The program contains the work of others. Their notices follow.
`

// notices writes, for a target, the copyright notices of what is linked into the program, because their licences ask
// for that, and a list: module, version, licence. Debian wants no copies of licences that every Debian system has, so
// it gets a file of its own.
func (r *release) notices(t target) error {
	env, err := output(r.top, "go", "env", "GOVERSION", "GOROOT") // what go list calls the root is not that of all
	if err != nil {
		return err
	}
	std := "std " + strings.ReplaceAll(env, "\n", "|")
	list := exec.Command("go", "list", "-deps", "-f", "{{if .Standard}}"+std+"|{{.Dir}}"+
		"{{else if not .Module.Main}}{{.Module.Path}} {{.Module.Version}}|{{.Module.Dir}}|{{.Dir}}{{end}}", "./cmd/beanfield")
	list.Dir, list.Env = r.top, r.environment(t)
	linked, err := list.Output()
	if err != nil {
		return fmt.Errorf("what is linked in for %s: %w", t, err)
	}
	n := notices{list: fmt.Appendf(nil, "beanfield %s: no licence has been chosen yet\n", r.version)}
	n.all, n.debian = []byte(head), []byte(head)
	modules := places(string(linked))
	for _, title := range slices.Sorted(maps.Keys(modules)) {
		if err := n.add(title, modules[title]); err != nil {
			return err
		}
	}
	if t == r.packaged() {
		err = errors.Join(r.write("copyright", n.all), r.write("copyright.debian", n.debian))
	}
	return errors.Join(err, r.write(copyright(t), n.all), r.write(licences(t), n.list))
}

// places are, for each module, the directories of the packages that are linked in, and those above them: a package may
// have a licence of its own. A line has the module, its directory and that of the package. What is said of BoringSSL is
// left out, because none of it is in a program of these settings.
func places(linked string) map[string][]string {
	modules := map[string][]string{}
	for line := range strings.FieldsFuncSeq(linked, func(r rune) bool { return r == '\n' }) {
		parts := strings.SplitN(line, "|", 3)
		title, root, dir := parts[0], parts[1], parts[2]
		for dir != root && !slices.Contains(modules[title], dir) {
			if !strings.HasSuffix(dir, "crypto/internal/boring") {
				modules[title] = append(modules[title], dir)
			}
			dir = filepath.Dir(dir)
		}
		if !slices.Contains(modules[title], root) {
			modules[title] = append(modules[title], root)
		}
	}
	for _, dirs := range modules {
		slices.Sort(dirs) // the module's own is the first
	}
	return modules
}

var (
	noticeName = regexp.MustCompile(`(?i)^(\w+_)?(licen[cs]e|copying|notice|patents)(\.(txt|md|libyaml))?$`)
	apache     = regexp.MustCompile(`(?s)\s*Apache License\s+Version 2.0, January 2004.*END OF TERMS AND CONDITIONS`)
)

const debiansApache = `
Licensed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.
`

// notices are those of some modules, and the list of these.
type notices struct{ all, debian, list []byte }

// add adds those in the directories of a module, of which the first is its root.
func (n *notices) add(title string, dirs []string) error {
	var text []byte
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !noticeName.MatchString(e.Name()) {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			text = append(text, b...)
			name := strings.TrimPrefix(filepath.Join(dir, e.Name()), dirs[0]+"/")
			const form = "\n---- %s, %s\n\n%s\n"
			n.all = fmt.Appendf(n.all, form, title, name, bytes.TrimSpace(b))
			n.debian = fmt.Appendf(n.debian, form, title, name,
				bytes.TrimSpace(apache.ReplaceAll(b, []byte(debiansApache))))
		}
	}
	names := licencesIn(text)
	if len(names) == 0 {
		return fmt.Errorf("%s has no licence that is known here, in %s: read it, and add it to tools/package/notices.go",
			title, dirs[0])
	}
	n.list = fmt.Appendf(n.list, "%s: %s\n", title, strings.Join(names, " AND "))
	return nil
}

// known are licences by their names in SPDX, and by words that only they have.
var known = []struct {
	name  string
	words *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License,?\s+Version 2\.0`)},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge, to any person`)},
	{"MPL-2.0", regexp.MustCompile(`Mozilla Public License,?\s+[Vv]ersion 2\.0`)},
}

// thirdClause makes three clauses of two.
var thirdClause = regexp.MustCompile(`[Nn]either\s+the\s+name`)

// licencesIn finds those that a text has.
func licencesIn(text []byte) (names []string) {
	for _, l := range known {
		switch {
		case !l.words.Match(text):
		case l.name == "BSD-2-Clause" && thirdClause.Match(text):
			names = append(names, "BSD-3-Clause")
		default:
			names = append(names, l.name)
		}
	}
	return names
}
