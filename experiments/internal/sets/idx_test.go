// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sets

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes a file, and compresses it if its name ends on .gz.
func write(t *testing.T, folder, name string, data ...byte) {
	t.Helper()
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(data)
		z.Close()
		data = b.Bytes()
	}
	if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Images are read as they are and compressed; damaged files are refused by their names.
func TestMNIST(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "train-images-idx3-ubyte", 0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 255, 51, 102)
	write(t, folder, "train-labels-idx1-ubyte.gz", 0, 0, 8, 1, 0, 0, 0, 2, 3, 1)
	write(t, folder, "t10k-images-idx3-ubyte.gz", 0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 255, 0)
	write(t, folder, "t10k-labels-idx1-ubyte", 0, 0, 8, 1, 0, 0, 0, 1, 2)
	s, err := MNIST(folder)
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 3 || s.Dim() != 2 || s.Train != 2 || s.Classes != 4 || s.Class[2] != 2 || s.X.At(0, 1) != 1 || s.X.At(1, 0) != 0.2 || s.X.At(2, 0) != 1 {
		t.Errorf("%+v", s)
	}
	for want, data := range map[string][]byte{
		"begins with": {0, 0, 9, 1, 0, 0, 0, 1, 2},
		"has 2 bytes": {0, 0, 8, 1, 0, 0, 0, 1, 2, 3},
		"has 0 bytes": {0, 0, 8, 1, 0, 0, 0, 1},
		"sizes":       {0, 0, 8, 1, 0, 0, 0, 0},
		"EOF":         {0, 0, 8},
		"2 labels":    {0, 0, 8, 1, 0, 0, 0, 2, 1, 1},
	} {
		write(t, folder, "t10k-labels-idx1-ubyte", data...)
		if _, err := MNIST(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := MNIST(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
}
