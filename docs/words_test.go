// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package docs

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	longest = 35 // words of a sentence on a page
	chains  = 3  // of "that of" and "those of" on a page, or in the comments of a file
)

// unwanted are turns of phrase with a plainer word, which follows. Texts without the letters are not searched, which takes long.
var unwanted = []struct {
	letters string
	phrase  *regexp.Regexp
	plain   string
}{
	{"beside", regexp.MustCompile(`(?i)\bbesides?\b`), "next to, compared with; also"},
	{"in place of", regexp.MustCompile(`(?i)\bin place of\b`), "instead of"},
	{"but for", regexp.MustCompile(`(?i)\bbut for\b`), "except for"},
	{"per cent", regexp.MustCompile(`(?i)\bper cent\b`), "percent, %"},
	{" dear", regexp.MustCompile(`(?i)\b(is|are) dear\b`), "expensive"},
	{"some ", regexp.MustCompile(`(?i)\bsome \d`), "about"},
	{" none", regexp.MustCompile(`(?i)\b(it|that|these|they|this|which) (is|are) none\b`), "is not one"},
}

var chain = regexp.MustCompile(`(?i)\b(that|those) of\b`)

// check reports what a text says in unwanted words.
func check(t *testing.T, name, text string) {
	t.Helper()
	lower := strings.ToLower(text)
	for _, u := range unwanted {
		if !strings.Contains(lower, u.letters) {
			continue
		}
		for _, at := range u.phrase.FindAllStringIndex(text, -1) {
			t.Errorf("%s: …%s…: %s", name, around(text, at), u.plain)
		}
	}
	if all := chain.FindAllStringIndex(text, -1); len(all) > chains {
		t.Errorf("%s: %d of “that of” and “those of”, the last in …%s…: repeat the noun", name, len(all), around(text, all[len(all)-1]))
	}
}

func around(text string, at []int) string {
	return strings.ReplaceAll(text[max(0, at[0]-30):min(len(text), at[1]+20)], "\n", " ")
}

// Pages are in plain words and short sentences.
func TestWords(t *testing.T) {
	for page, text := range pages(t) {
		check(t, page, strings.Join(prose(text), "\n"))
		for _, paragraph := range prose(text) {
			for _, sentence := range sentences(paragraph) {
				if n := len(strings.Fields(sentence)); n > longest {
					t.Errorf("%s: %d words: %s", page, n, sentence)
				}
			}
		}
	}
}

var (
	item   = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	target = regexp.MustCompile(`\]\([^()\s]+\)`)
	end    = regexp.MustCompile(`[.!?:][*_)”"]*\s+[*_(“"\[]*[\p{Lu}\d\x60]`)
)

// prose returns the paragraphs and list items of a page, without code, tables and headings.
func prose(page string) (paragraphs []string) {
	var lines []string
	flush := func() {
		if text := strings.Join(lines, " "); strings.TrimSpace(text) != "" {
			text = span.ReplaceAllString(text, "`code`")
			paragraphs = append(paragraphs, target.ReplaceAllString(text, "]"))
		}
		lines = nil
	}
	for _, line := range strings.Split(fence.ReplaceAllString(page, ""), "\n") {
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "|"):
			flush()
		case strings.HasPrefix(line, "    ") && len(lines) == 0: // what a program prints, and formulas
		case item.MatchString(line):
			flush()
			lines = append(lines, line)
		default:
			lines = append(lines, line)
		}
	}
	flush()
	return paragraphs
}

// sentences splits a paragraph where a period, a question mark or a colon is followed by a space and a capital.
func sentences(paragraph string) (all []string) {
	from := 0
	for _, at := range end.FindAllStringIndex(paragraph, -1) {
		all = append(all, paragraph[from:at[0]+1])
		from = at[0] + 1
	}
	return append(all, paragraph[from:])
}

// Comments are in plain words.
func TestCommentWords(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || path == filepath.Join("..", "docs", "words_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		check(t, path, comments(source))
		files++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Fatalf("only %d files", files)
	}
}

// comments returns the comments of a source, each line without its slashes.
func comments(source []byte) string {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(source)), source, nil, scanner.ScanComments)
	var all strings.Builder
	for {
		_, kind, text := s.Scan()
		if kind == token.EOF {
			return all.String()
		}
		if kind == token.COMMENT {
			all.WriteString(strings.TrimLeft(text, "/* \t") + " ")
		}
	}
}

// The linter finds what it looks for, and nothing else.
func TestWordsFinds(t *testing.T) {
	page := "# Beside\n\nOne. Two `beside`\nthree.\n\n- four\n- five\n  six\n\n| beside |\n|---|\n\n    beside\n\n```\nbeside\n```\n"
	got := prose(page)
	if len(got) != 3 || got[0] != "One. Two `code` three." || len(sentences(got[0])) != 2 || got[2] != "- five   six" {
		t.Errorf("%q", got)
	}
	if got := comments([]byte("package p // in place of\n\n/* but\nfor */\n\nconst c = \"// no\"\n")); got != "in place of but\nfor */ " {
		t.Errorf("%q", got)
	}
}
