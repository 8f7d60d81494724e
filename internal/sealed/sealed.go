// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package sealed writes and reads the files of maps, samplers, models and sums:
//
//	featuremap <kind>, version 1
//	json <bytes>
//	file <bytes>
//	data <numbers> <numbers> …
//	<a JSON document of so many bytes, the last of them a newline>
//	<another file, of so many bytes>
//	<arrays of so many float64, little-endian>
//	<SHA-256 of all bytes before it>
//
// The first lines and the document are text, lines end in a newline, and the rest is binary. A file that contains no
// other file has no line file, and one without arrays no line data. Every file has exactly one form: numbers are
// decimal, without a sign or leading zeros. docs/reference/files.md describes the format for readers in other
// languages.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"strconv"
	"strings"
)

// Version is the version that Writer writes, and the only one that Reader accepts.
const Version = 1

// Errors of Reader.
var (
	ErrChecksum = errors.New("the data was changed: its checksum is another")
	ErrTrailing = errors.New("there is more data after the checksum")
	ErrLarge    = errors.New("the data is larger than allowed")
)

// maxLine is the largest length of a line of the preamble, and mostArrays the largest number of arrays.
const (
	maxLine    = 1 << 16
	mostArrays = 1 << 12
)

// A Writer writes a file.
type Writer struct {
	w    io.Writer
	sum  hash.Hash
	buf  []byte
	n    int64
	left int64 // numbers that must follow
	err  error
}

// NewWriter begins a file of a kind with a JSON document and another file, nil for no file. Arrays of the given sizes
// must follow.
func NewWriter(w io.Writer, kind string, document, file []byte, sizes []int) *Writer {
	f := &Writer{w: w, sum: sha256.New()}
	var b bytes.Buffer
	fmt.Fprintf(&b, "featuremap %s, version %d\njson %d\n", kind, Version, len(document)+1)
	if len(file) > 0 {
		fmt.Fprintf(&b, "file %d\n", len(file))
	}
	if len(sizes) > 0 {
		b.WriteString("data")
		for _, n := range sizes {
			fmt.Fprintf(&b, " %d", n)
			f.left += int64(n)
		}
		b.WriteByte('\n')
	}
	b.Write(document)
	b.WriteByte('\n')
	if len(sizes) > mostArrays {
		f.err = fmt.Errorf("%d arrays: must be at most %d", len(sizes), mostArrays)
	}
	f.bytes(b.Bytes())
	f.bytes(file)
	return f
}

func (f *Writer) bytes(b []byte) {
	if f.err != nil {
		return
	}
	f.sum.Write(b)
	n, err := f.w.Write(b)
	f.n, f.err = f.n+int64(n), err
}

// Floats writes numbers: an array, or a part of one.
func (f *Writer) Floats(v []float64) {
	const most = 1 << 12
	f.left -= int64(len(v))
	for len(v) > 0 && f.err == nil {
		f.buf = f.buf[:0]
		for _, v := range v[:min(len(v), most)] {
			f.buf = binary.LittleEndian.AppendUint64(f.buf, math.Float64bits(v))
		}
		f.bytes(f.buf)
		v = v[min(len(v), most):]
	}
}

// Close ends the file. It returns the number of bytes written, and the first error.
func (f *Writer) Close() (n int64, err error) {
	if f.left != 0 && f.err == nil {
		f.err = fmt.Errorf("%d numbers of the arrays were not written", f.left)
	}
	f.bytes(f.sum.Sum(nil))
	return f.n, f.err
}

// Reader reads a file. Its results are not known to be intact until Close returns nil.
type Reader struct {
	Document []byte
	File     []byte // another file, or nil
	Sizes    []int  // of the arrays

	r     io.Reader
	sum   hash.Hash
	limit int64
	n     int64
	left  int64 // numbers to come
	buf   [1 << 12]byte
	err   error

	floats [1 << 9]float64 // in buf
}

// NewReader reads a file of a kind up to its arrays. It reads at most limit bytes of the file, and takes memory in
// proportion to what it has read. With an error it returns a Reader that can only tell how many bytes it has read.
func NewReader(r io.Reader, kind string, limit int64) (*Reader, error) {
	f := &Reader{r: r, sum: sha256.New(), limit: limit}
	f.err = f.begin(kind)
	return f, f.err
}

// begin reads everything before the arrays.
func (f *Reader) begin(kind string) error {
	first, want := f.line(), fmt.Sprintf("featuremap %s, version ", kind)
	version, ok := strings.CutPrefix(first, want)
	switch {
	case f.err != nil:
		return f.err
	case !ok:
		return fmt.Errorf("the data is no featuremap %s: it begins with %.40q", kind, first)
	case version != strconv.Itoa(Version):
		return fmt.Errorf("the data is a featuremap %s of version %.20q: this release reads version %d", kind, version, Version)
	}
	size := f.size("json", f.line())
	line, file := f.next(), 0
	if strings.HasPrefix(line, "file ") {
		file = f.size("file", line)
		line = f.next()
	}
	if strings.HasPrefix(line, "data ") {
		f.Sizes = f.numbers("data", line)
		line = f.next()
	}
	left := f.limit/8 - int64(size/8) - int64(file/8) // the largest possible number of numbers
	for _, n := range f.Sizes {
		f.left += int64(n)
		left -= int64(n)
		if left < 0 {
			break
		}
	}
	if left < 0 && f.err == nil {
		f.err = ErrLarge
	}
	if f.err == nil && (len(line) != 1 || size < 2) {
		f.err = fmt.Errorf("%.40q is no line of file or data, and no document", line)
	}
	f.Document = f.section([]byte(line), size)
	if f.err == nil && f.Document[size-1] != '\n' {
		f.err = errors.New("the document does not end in a newline")
	}
	if file > 0 {
		f.File = f.section(nil, file)
	}
	return f.err
}

// next reads a line of the preamble. If the next byte does not begin one it reads only this byte.
func (f *Reader) next() string {
	if f.bytes(f.buf[:1]); f.err != nil {
		return ""
	}
	first := string(f.buf[:1])
	if first == "f" || first == "d" {
		return first + f.line()
	}
	return first
}

// section reads size bytes, of which first has the first ones.
func (f *Reader) section(first []byte, size int) []byte {
	if f.err != nil {
		return nil
	}
	b := append(make([]byte, 0, min(int64(size), f.n+int64(len(f.buf)))), first...)
	for len(b) < size && f.err == nil {
		part := f.buf[:min(len(f.buf), size-len(b))]
		f.bytes(part)
		b = append(b, part...)
	}
	return b
}

// size reads a line with a name and one number.
func (f *Reader) size(name, line string) int {
	n := f.numbers(name, line)
	if f.err == nil && len(n) != 1 {
		f.err = fmt.Errorf("the line of %s must have one number", name)
	}
	if f.err != nil {
		return 0
	}
	return n[0]
}

// Read returns the number of bytes read so far.
func (f *Reader) Read() int64 { return f.n }

// bytes fills b.
func (f *Reader) bytes(b []byte) {
	if f.err != nil {
		return
	}
	if f.n+int64(len(b)) > f.limit {
		f.err = ErrLarge
		return
	}
	n, err := io.ReadFull(f.r, b)
	f.n += int64(n)
	f.sum.Write(b[:n])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("the data ends after %d bytes: %w", f.n, io.ErrUnexpectedEOF)
	}
	f.err = err
}

// line reads a line, without its newline.
func (f *Reader) line() string {
	var line []byte
	for len(line) < maxLine {
		f.bytes(f.buf[:1])
		if f.err != nil || f.buf[0] == '\n' {
			return string(line)
		}
		line = append(line, f.buf[0])
	}
	f.err = fmt.Errorf("a line is longer than %d bytes", maxLine)
	return ""
}

// numbers returns the numbers of a line with the given name.
func (f *Reader) numbers(name, line string) (numbers []int) {
	fields := strings.Split(line, " ")
	if f.err == nil && (fields[0] != name || len(fields) < 2 || len(fields) > mostArrays+1) {
		f.err = fmt.Errorf("%.40q is no line of %s", line, name)
	}
	if f.err != nil {
		return nil
	}
	for _, field := range fields[1:] {
		n, err := strconv.ParseInt(field, 10, 62)
		if err != nil || n < 0 || strconv.FormatInt(n, 10) != field || int64(int(n)) != n {
			f.err = fmt.Errorf("%.40q is no number of the line of %s", field, name)
			return nil
		}
		numbers = append(numbers, int(n))
	}
	return numbers
}

// FloatsTo fills dst with the next numbers of the arrays. After an error, which Close returns, it leaves the rest of
// dst unchanged.
func (f *Reader) FloatsTo(dst []float64) {
	f.take(len(dst))
	for len(dst) > 0 && f.err == nil {
		dst = dst[copy(dst, f.some(len(dst))):]
	}
}

// Floats reads the next n numbers of the arrays. After an error, which Close returns, it returns no numbers.
func (f *Reader) Floats(n int) []float64 {
	if f.take(n); f.err != nil {
		return nil
	}
	v := make([]float64, 0, min(int64(n), f.n/8+int64(len(f.buf)/8)))
	for len(v) < n {
		if v = append(v, f.some(n-len(v))...); f.err != nil {
			return nil
		}
	}
	return v
}

// take counts n numbers of the arrays as read.
func (f *Reader) take(n int) {
	if f.left -= int64(n); f.left < 0 && f.err == nil {
		f.err = errors.New("the arrays have fewer numbers than that")
	}
}

// some reads the next numbers, up to n and as many as fit in a buffer. They are valid until its next call.
func (f *Reader) some(n int) []float64 {
	b := f.buf[:min(len(f.buf), 8*n)]
	if f.bytes(b); f.err != nil {
		return nil
	}
	v := f.floats[:len(b)/8]
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}

// Arrays reads all remaining arrays.
func (f *Reader) Arrays() (all [][]float64) {
	for _, n := range f.Sizes {
		all = append(all, f.Floats(n))
	}
	return all
}

// Err returns the first error so far.
func (f *Reader) Err() error { return f.err }

// Close reads the checksum and the end of the file. It returns the number of bytes read, and an error unless everything
// is as it was written.
func (f *Reader) Close() (n int64, err error) {
	if f.left != 0 && f.err == nil {
		f.err = fmt.Errorf("%d numbers of the arrays were not read", f.left)
	}
	want := f.sum.Sum(nil)
	var got [sha256.Size]byte
	f.limit = math.MaxInt64
	if f.bytes(got[:]); f.err == nil && !bytes.Equal(got[:], want) {
		f.err = ErrChecksum
	}
	if f.err != nil {
		return f.n, f.err
	}
	switch n, err := io.ReadFull(f.r, f.buf[:1]); {
	case n > 0:
		f.err = ErrTrailing
	case err != io.EOF:
		f.err = err
	}
	return f.n, f.err
}
