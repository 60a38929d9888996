package transfer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// file is one of a snapshot. The list of all is the beginning of the stream.
type file struct {
	Name   string `json:"name"`
	Length int64  `json:"length"`
}

// listed finds what is in a directory. There may be only plain files.
func listed(dir string) (files []file, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > mostFiles {
		return nil, fmt.Errorf("%w: more than %d files", ErrList, mostFiles)
	}
	for _, e := range entries {
		if !fits(e.Name()) || !e.Type().IsRegular() {
			return nil, fmt.Errorf("%w: %q is no plain file, or has a name that not all systems know", ErrList,
				e.Name())
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		files = append(files, file{e.Name(), info.Size()})
	}
	return files, nil
}

// fits tells whether a name is one of a file in a directory, on any system.
func fits(name string) bool {
	return fs.ValidPath(name) && name != "." && len(name) <= 255 && !strings.ContainsAny(name, "/\\:\x00")
}

// understood takes a list from another node, and refuses names that could lead anywhere else (SP3).
func understood(list []byte, bytes int64) (files []file, err error) {
	if err := json.Unmarshal(list, &files); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrList, err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		if !fits(f.Name) || seen[f.Name] {
			return nil, fmt.Errorf("%w: the name %q", ErrList, f.Name)
		}
		if f.Length < 0 || f.Length > bytes {
			return nil, fmt.Errorf("%w: the length of %q", ErrList, f.Name)
		}
		seen[f.Name], bytes = true, bytes-f.Length
	}
	if bytes != 0 || len(files) > mostFiles {
		return nil, fmt.Errorf("%w: %d files, with %d bytes too few", ErrList, len(files), bytes)
	}
	return files, nil
}
