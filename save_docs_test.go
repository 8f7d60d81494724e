// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The JSON of docs/reference/files.md is that of kernels and plans, as they are saved, and has every name.
func TestSaveDocs(t *testing.T) {
	page := string(testkit.Must(os.ReadFile("docs/reference/files.md")))
	for _, name := range SavedNames() {
		if !strings.Contains(page, `"`+name+`"`) && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("no word of %q", name)
		}
	}
	examples := 0
	for _, block := range strings.Split(page, "```json\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		d := json.NewDecoder(strings.NewReader(block))
		for {
			var example json.RawMessage
			if err := d.Decode(&example); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v: %s", err, block)
			}
			examples++
			if bytes.HasPrefix(example, []byte(`{"kernel"`)) {
				p, err := planOf(string(example))
				if err != nil {
					t.Errorf("%v: %s", err, example)
				} else {
					sameJSON(t, testkit.Must(PlanJSON(p)), example)
				}
				continue
			}
			k, err := UnmarshalKernel(example)
			if err != nil {
				t.Errorf("%v: %s", err, example)
				continue
			}
			sameJSON(t, testkit.Must(MarshalKernel(k)), example)
		}
	}
	if examples < 40 {
		t.Errorf("only %d examples were found", examples)
	}
}

// sameJSON compares JSON without its spaces and the order of members.
func sameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	if g, w := fmt.Sprint(jsonOf(t, got)), fmt.Sprint(jsonOf(t, want)); g != w {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
