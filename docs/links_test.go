// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package docs tests the pages of the repository: that their links lead somewhere. (.ci/docs runs
// their commands.)
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// pages returns the texts of all Markdown files of the repository, by their paths from this folder.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 10 {
		t.Fatalf("only %d pages", len(texts))
	}
	return texts
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	span    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	program = regexp.MustCompile(`go (?:-C ([\w/]+) )?run (\./[\w/]+)`)
)

// anchors returns the anchors of the headings of a page, as GitHub makes them: in lower case, without
// punctuation, with hyphens for spaces.
func anchors(text string) map[string]bool {
	all := make(map[string]bool)
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h[1])] = true
	}
	return all
}

func TestLinks(t *testing.T) {
	texts := pages(t)
	for page, text := range texts {
		prose := span.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
			} else if anchor != "" && !anchors(texts[target])[anchor] {
				t.Errorf("%s: %s: no such heading", page, m[1])
			}
		}
	}
}

// Programs that pages run from the root exist.
func TestPrograms(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range program.FindAllStringSubmatch(text, -1) {
			if files, _ := filepath.Glob(filepath.Join("..", m[1], m[2], "*.go")); len(files) == 0 {
				t.Errorf("%s: %s: no such program", page, m[0])
			}
		}
	}
}

func TestAnchors(t *testing.T) {
	got := anchors("# What it costs\n\n```\n# no heading\n```\n## `Encode`, *Decode*: files_2\n")
	if len(got) != 2 || !got["what-it-costs"] || !got["encode-decode-files_2"] {
		t.Errorf("anchors: %v", got)
	}
}
