// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"time"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

type options struct {
	mean, sd, interval bool
	level              float64
	single             bool // in float32
	progress           io.Writer
}

// blockBytes is the size of a block of input that is predicted at once; a block has at least one line.
const blockBytes = 1 << 18

// A block is some lines of the input and, once done is closed, their output.
type block struct {
	first int // the number of its first line
	lines []byte

	done chan struct{}
	text []byte
	rows int
	err  error
}

// predict writes predictions for the rows of r to w. Blocks are predicted on all cores, twice as many at a time as
// there are cores, and written in order.
func predict(w io.Writer, r io.Reader, m *ridge.Model, o options) error {
	p, err := newPredictor(m, o)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, blockBytes)
	line, named, err := header(in)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, blockBytes)
	if named {
		b.WriteString(p.header())
	}
	workers := runtime.GOMAXPROCS(0)
	todo, order := make(chan *block, workers), make(chan *block, 2*workers)
	stop := make(chan struct{})
	for range workers {
		go func() {
			own := *p
			for k := range todo {
				own.run(k)
				close(k.done)
			}
		}()
	}
	var failed error // while reading
	go func() {
		defer close(todo)
		defer close(order)
		failed = eachBlock(in, line, func(k *block) bool {
			select {
			case order <- k:
				todo <- k
				return true
			case <-stop:
				return false
			}
		})
	}()
	meter, rows := meter{to: o.progress, begun: time.Now(), last: time.Now()}, 0
	err = func() error {
		defer close(stop)
		for k := range order {
			if <-k.done; k.err != nil {
				return k.err
			}
			rows += k.rows
			if _, err := b.Write(k.text); err != nil {
				return err
			}
			meter.report(rows, false)
		}
		return nil
	}()
	for k := range order { // after an error, so that the reader ends
		<-k.done
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	meter.report(rows, true)
	return b.Flush()
}

// header reads the first line if it is a line of names, and returns the number of the next line.
func header(in *bufio.Reader) (line int, named bool, err error) {
	start, err := in.Peek(blockBytes)
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	end := bytes.IndexByte(start, '\n')
	if end < 0 {
		end = len(start)
	}
	first, _, _ := bytes.Cut(start[:end], []byte(","))
	if _, err := strconv.ParseFloat(string(bytes.TrimSpace(first)), 64); err == nil || len(start) == 0 {
		return 1, false, nil
	}
	_, err = in.Discard(min(end+1, len(start)))
	return 2, true, err
}

// eachBlock calls do with blocks of whole lines, until it returns false. line is the number of the first line.
func eachBlock(in *bufio.Reader, line int, do func(*block) bool) error {
	for {
		lines := make([]byte, blockBytes, blockBytes+1<<12)
		n, err := io.ReadFull(in, lines)
		lines = lines[:n]
		if n == 0 {
			return ended(err)
		}
		if err == nil { // up to the end of the line
			rest, more := in.ReadBytes('\n')
			lines, err = append(lines, rest...), more
		}
		k := &block{first: line, lines: lines, done: make(chan struct{})}
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

// A predictor predicts blocks. Each worker has a copy.
type predictor struct {
	options
	m       *ridge.Model
	m32     *ridge.Model32
	in      int
	targets int

	x, y, sds, lo, hi mat.Dense
	numbers           []float64
	x32, y32          []float32
}

func newPredictor(m *ridge.Model, o options) (*predictor, error) {
	p := &predictor{options: o, m: m, targets: len(m.NoiseVariance())}
	p.in, _ = m.Map().Dims()
	if o.single {
		if o.sd || o.interval {
			return nil, errors.New("-float32 has the mean alone: leave it out, or sd and interval")
		}
		var err error
		if p.m32, err = m.Float32(); err != nil {
			return nil, err
		}
	}
	if o.interval && !(o.level > 0 && o.level < 1) {
		return nil, fmt.Errorf("-level = %v: must be between 0 and 1", o.level)
	}
	if _, err := m.Posterior(); err != nil && (o.sd || o.interval && m.IntervalRows() == 0) {
		return nil, err
	}
	return p, nil
}

// header returns the names of the columns.
func (p *predictor) header() string {
	var b bytes.Buffer
	for t := range p.targets {
		for _, name := range p.names() {
			if b.Len() > 0 {
				b.WriteByte(',')
			}
			b.WriteString(name)
			if p.targets > 1 {
				b.WriteString(strconv.Itoa(t))
			}
		}
	}
	b.WriteByte('\n')
	return b.String()
}

func (p *predictor) names() (names []string) {
	if p.mean {
		names = append(names, "mean")
	}
	if p.sd {
		names = append(names, "sd")
	}
	if p.interval {
		names = append(names, "lo", "hi")
	}
	return names
}

// run predicts a block.
func (p *predictor) run(k *block) {
	if k.err = p.parse(k); k.err != nil || k.rows == 0 {
		return
	}
	p.x = *mat.NewDense(k.rows, p.in, p.numbers)
	columns := p.predictions(k.rows)
	k.text = make([]byte, 0, 12*k.rows*p.targets*len(columns))
	for i := range k.rows {
		for t := range p.targets {
			for c, column := range columns {
				if t+c > 0 {
					k.text = append(k.text, ',')
				}
				bits := 64
				if p.single {
					bits = 32
				}
				k.text = strconv.AppendFloat(k.text, column.At(i, t), 'g', -1, bits)
			}
		}
		k.text = append(k.text, '\n')
	}
	k.lines = nil
}

// predictions returns the columns to write for the rows of x.
func (p *predictor) predictions(rows int) (columns []*mat.Dense) {
	if p.single {
		p.single32(rows)
	} else if p.mean {
		p.y.Reset()
		p.m.PredictTo(&p.y, &p.x)
	}
	if p.mean {
		columns = append(columns, &p.y)
	}
	if p.sd {
		p.sds.Reset()
		p.m.StdDevTo(&p.sds, &p.x)
		columns = append(columns, &p.sds)
	}
	if p.interval {
		p.lo.Reset()
		p.hi.Reset()
		p.m.IntervalTo(&p.lo, &p.hi, &p.x, p.level)
		columns = append(columns, &p.lo, &p.hi)
	}
	return columns
}

// single32 sets y to the predictions of a model in float32.
func (p *predictor) single32(rows int) {
	p.x32 = append(p.x32[:0], make([]float32, rows*p.in)...)
	for i, v := range p.numbers {
		p.x32[i] = float32(v)
	}
	p.y32 = append(p.y32[:0], make([]float32, rows*p.targets)...)
	p.m32.PredictTo(blas32.General{Rows: rows, Cols: p.targets, Stride: p.targets, Data: p.y32},
		blas32.General{Rows: rows, Cols: p.in, Stride: p.in, Data: p.x32})
	p.y.Reset()
	p.y.ReuseAs(rows, p.targets)
	for i, v := range p.y32 {
		p.y.Set(i/p.targets, i%p.targets, float64(v))
	}
}

// parse sets the numbers of the rows of a block. It skips empty lines.
func (p *predictor) parse(k *block) error {
	p.numbers = p.numbers[:0]
	line := k.first
	for text := range bytes.Lines(k.lines) {
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := p.parseLine(text); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			k.rows++
		}
		line++
	}
	return nil
}

func (p *predictor) parseLine(text []byte) error {
	columns := 0
	for more := true; more; columns++ {
		var field []byte
		field, text, more = bytes.Cut(text, []byte(","))
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("column %d: %.40q is no finite number", columns+1, field)
		}
		p.numbers = append(p.numbers, v)
	}
	if columns != p.in {
		return fmt.Errorf("%d columns: the model takes %d", columns, p.in)
	}
	return nil
}
