// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sealed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Write writes a file of a kind. floats writes its arrays. It returns the number of bytes that w took.
func Write(w io.Writer, kind string, document, file []byte, sizes []int, floats func(f *Writer)) (int64, error) {
	counted := &counter{w: w}
	buffered := bufio.NewWriterSize(counted, 1<<16)
	f := NewWriter(buffered, kind, document, file, sizes)
	floats(f)
	_, err := f.Close()
	if err == nil {
		err = buffered.Flush()
	}
	return counted.n, err
}

// A counter counts the bytes that w takes.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Unmarshal reads a document into the struct that v points to. It refuses a document that json.Marshal would not make
// from this struct: it must have no other fields, no field twice, and all fields except those tagged omitempty.
func Unmarshal(document []byte, v any) error {
	if err := json.Unmarshal(document, v); err != nil {
		return fmt.Errorf("the data has another document: %w", err)
	}
	form, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("the data has another document: %w", err)
	}
	if !bytes.Equal(form, bytes.TrimSuffix(document, []byte("\n"))) {
		return fmt.Errorf("the data has the document %.200s and not, as it is written, %.200s", document, form)
	}
	return nil
}
