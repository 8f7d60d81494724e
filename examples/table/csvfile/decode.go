// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package csvfile

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// windows1252 are the characters of the bytes 0x80 to 0x9f. The five bytes that are unused stand for themselves.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// decoded returns a reader that converts r from an encoding to UTF-8.
func decoded(r io.Reader, encoding string) (io.Reader, error) {
	latin1 := false
	switch strings.ToLower(encoding) {
	case "", "utf-8", "utf8":
		return r, nil
	case "latin1", "latin-1", "iso-8859-1":
		latin1 = true
	case "windows-1252", "cp1252":
	default:
		return nil, fmt.Errorf("-encoding %s: must be utf-8, latin1 or windows-1252", encoding)
	}
	return &decoder{from: r, latin1: latin1}, nil
}

// A decoder converts Latin-1 or Windows-1252 to UTF-8.
type decoder struct {
	from   io.Reader
	latin1 bool
	bytes  [1 << 12]byte
	text   []byte
	read   int   // of text
	err    error // after it
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (n int, err error) {
	for d.read == len(d.text) {
		if d.err != nil {
			return 0, d.err
		}
		n, d.err = d.from.Read(d.bytes[:])
		d.text, d.read = d.text[:0], 0
		for _, b := range d.bytes[:n] {
			c := rune(b)
			if !d.latin1 && 0x80 <= b && b < 0xa0 {
				c = windows1252[b-0x80]
			}
			d.text = utf8.AppendRune(d.text, c)
		}
	}
	n = copy(p, d.text[d.read:])
	d.read += n
	return n, nil
}
