// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package program contains what the experiments share: a main function that checks flags and shows progress,
// tables, and words for the features of a map.
package program

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-0f95ebc1/featuremap"
)

// progressOn returns a function that writes progress messages to f, after the first two seconds. On
// a terminal each line overwrites the one before.
func progressOn(f *os.File) func(doing string) {
	end := "\n"
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		end = "\r"
	}
	return progress(f, end, time.Now().Add(2*time.Second))
}

func progress(w io.Writer, end string, from time.Time) func(doing string) {
	return func(doing string) {
		if !time.Now().Before(from) {
			fmt.Fprintf(w, "%-78s%s", doing, end)
		}
	}
}

// Features describes the features of a map, without its kernel and dimensions.
func Features(m featuremap.FeatureMap) string {
	_, out := m.Dims()
	_, features, _ := strings.Cut(fmt.Sprint(m), fmt.Sprintf("→ R^%d", out))
	parts := strings.Split(strings.TrimPrefix(features, ", "), "\n\t")
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
