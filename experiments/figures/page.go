// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strings"
)

// pageOf returns docs/pictures/README.md: the pictures with their captions and commands.
func pageOf(pictures []picture) []byte {
	var b strings.Builder
	fmt.Fprint(&b, `# Pictures

Every picture is drawn from measurements by the command below it, which runs the program that measures,
in a clone of this repository. DIR is a folder with data sets that are not embedded; without `+"`-data DIR`"+`
their panels are left out. `+"`-quick`"+` measures less, to try a command. The captions are in the program,
experiments/figures, which writes this page.
`)
	for _, p := range pictures {
		data := ""
		if p.data {
			data = " -data DIR"
		}
		fmt.Fprintf(&b, "\n## %s\n\n![%s](%s.png)\n\n%s\n\n```sh\ngo -C experiments run ./figures -picture %s%s\n```\n",
			p.title, p.title, p.name, strings.TrimSpace(p.caption), p.name, data)
	}
	return []byte(b.String())
}
