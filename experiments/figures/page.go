// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strings"
)

// pageOf returns docs/pictures/README.md: the pictures with their captions and commands, then those of other programs.
func pageOf(pictures []picture, others []foreign) []byte {
	var b strings.Builder
	fmt.Fprint(&b, `# Pictures

Every picture in the documentation, with the command that makes it in a clone.
DIR is a folder with data sets that are not embedded. Without `+"`-data DIR`"+` their panels are left out, and `+"`-quick`"+`
measures less.
`)
	entry := func(name, title, caption, command string) {
		fmt.Fprintf(&b, "\n## %s\n\n![%s](%s.png)\n\n%s\n\n%s\n", title, name, name, strings.TrimSpace(caption), command)
	}
	for _, p := range pictures {
		data := ""
		if p.data {
			data = " -data DIR"
		}
		entry(p.name, p.title, p.caption, fmt.Sprintf("```sh\ngo -C experiments run ./figures -picture %s%s\n```", p.name, data))
	}
	for _, f := range others {
		entry(f.name, f.title, f.caption, strings.TrimSpace(f.command))
	}
	return []byte(b.String())
}
