// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A block is some lines of the input, at least one, and then their output.
type block struct {
	first int // the number of its first line
	lines []byte

	text []byte
	rows int
}

// predict writes predictions for the rows of r to w.
func predict(w io.Writer, r io.Reader, m *table.Model, f csvfile.Format, o pipeline.Options) error {
	p, err := pipeline.NewPredictor(m, o)
	if err != nil {
		return err
	}
	text, err := f.Text(bufio.NewReaderSize(r, pipeline.BlockBytes))
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(text, pipeline.BlockBytes)
	own := &worker{Predictor: *p, records: records{Format: f}}
	line, named := 0, !f.Headless
	if p.Encoder == nil {
		line, named, err = header(in, f)
	} else {
		in, line, err = own.header(in, p.Encoder)
	}
	if err != nil {
		return err
	}
	for _, class := range p.Classes {
		own.classes = append(own.classes, field(class, f.Comma))
	}
	b := bufio.NewWriterSize(w, pipeline.BlockBytes)
	if named {
		b.WriteString(strings.Join(p.Names(), string(f.Comma)) + "\n")
	}
	err = pipeline.Stream(o.Progress,
		func(do func(*block) bool) error { return eachBlock(in, line, p.Encoder != nil, do) },
		func() func(*block) error {
			own := *own
			return own.run
		},
		func(k *block) (int, error) {
			_, err := b.Write(k.text)
			return k.rows, err
		})
	if err != nil {
		return err
	}
	return b.Flush()
}

// header reads the first line if it is a line of names, and returns the number of the next line.
func header(in *bufio.Reader, f csvfile.Format) (line int, named bool, err error) {
	start, err := in.Peek(pipeline.BlockBytes)
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	end := bytes.IndexByte(start, '\n')
	if end < 0 {
		end = len(start)
	}
	first, _, _ := strings.Cut(string(start[:end]), string(f.Comma))
	if _, err := strconv.ParseFloat(strings.TrimSpace(first), 64); err == nil || len(start) == 0 || f.Headless {
		return 1, false, nil
	}
	_, err = in.Discard(min(end+1, len(start)))
	return 2, true, err
}

// eachBlock calls do with blocks of whole lines, until it returns false; of records, lines end outside of quotes. line is
// the number of the first line.
func eachBlock(in *bufio.Reader, line int, quoted bool, do func(*block) bool) error {
	for {
		lines := make([]byte, pipeline.BlockBytes, pipeline.BlockBytes+1<<12)
		n, err := io.ReadFull(in, lines)
		lines = lines[:n]
		if n == 0 {
			return ended(err)
		}
		if err == nil { // up to the end of the line
			if lines, err = rest(in, lines, quoted); lines == nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
		k := &block{first: line, lines: lines}
		line += bytes.Count(lines, []byte("\n"))
		if !do(k) {
			return nil
		}
		if err != nil {
			return ended(err)
		}
	}
}

// ended returns an error of reading, and nil for io.EOF.
func ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// A worker predicts blocks.
type worker struct {
	pipeline.Predictor
	records
	classes      []string // as fields; nil: numbers are predicted
	numbers, out []float64
}

// run predicts a block.
func (p *worker) run(k *block) error {
	parse := p.parse
	if p.Encoder != nil {
		parse = p.parseRecords
	}
	if err := parse(k); err != nil || k.rows == 0 {
		return err
	}
	p.out = p.Predict(p.out[:0], p.numbers)
	width, bits := len(p.out)/k.rows, 64
	if p.Float32 {
		bits = 32
	}
	k.text = make([]byte, 0, 12*len(p.out))
	for i, v := range p.out {
		if p.classes != nil && i%width == 0 {
			k.text = append(k.text, p.classes[int(v)]...)
		} else {
			k.text = strconv.AppendFloat(k.text, v, 'g', -1, bits)
		}
		if i%width < width-1 {
			k.text = utf8.AppendRune(k.text, p.Comma)
		} else {
			k.text = append(k.text, '\n')
		}
	}
	k.lines = nil
	return nil
}

// parse sets the numbers of the rows of a block. It skips empty lines.
func (p *worker) parse(k *block) error {
	p.numbers = p.numbers[:0]
	comma := utf8.AppendRune(nil, p.Comma)
	line := k.first
	for text := range bytes.Lines(k.lines) {
		if len(bytes.TrimSpace(text)) > 0 {
			if err := p.parseLine(bytes.TrimRight(text, "\r\n"), comma); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			k.rows++
		}
		line++
	}
	return nil
}

func (p *worker) parseLine(text, comma []byte) error {
	columns := 0
	for more := true; more; columns++ {
		var field []byte
		field, text, more = bytes.Cut(text, comma)
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || bytes.IndexByte(field, '_') >= 0 { // 1_11 is a code
			return fmt.Errorf("column %d: %.40q is no finite number", columns+1, field)
		}
		p.numbers = append(p.numbers, v)
	}
	if columns != p.In {
		return fmt.Errorf("%d columns: the model takes %d", columns, p.In)
	}
	return nil
}
