// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

var bits = flag.Bool("bits", false, "only compare the golden files, and all of them")

// emulated tells, by -bits and -short, whether a part of the plans and derivatives is enough, since all would take minutes.
func emulated() bool { return *bits && testing.Short() }

// TestMain runs all tests, or with -bits those that compare golden files.
func TestMain(m *testing.M) {
	flag.Parse()
	if *bits {
		flag.Set("test.run", "^TestGolden")
	}
	code := m.Run()
	if *bits && code == 0 {
		files, err := os.ReadDir("testdata")
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".golden") && !golden.Compared(f.Name()) {
				err = fmt.Errorf("no test compares %s", f.Name())
			}
		}
		if err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}
