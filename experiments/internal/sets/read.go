// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sets

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Adult returns 48842 people of a census, 123 numbers that are 0 or 1 each, and whether they earn
// more than 50,000 dollars, from a9a.libsvm.gz, which is to train on, and a9a.t.libsvm.gz.
func Adult(folder string) (*Set, error) {
	const d = 123
	s := &Set{Name: "adult", Classes: 2}
	var data []float64
	for i, name := range []string{"a9a.libsvm.gz", "a9a.t.libsvm.gz"} {
		err := open(folder, name, func(r io.Reader) error {
			lines := bufio.NewScanner(r)
			for lines.Scan() {
				row, class, err := sparse(lines.Text(), d)
				if err != nil {
					return fmt.Errorf("row %d: %w", len(s.Class)+1, err)
				}
				data, s.Class = append(data, row...), append(s.Class, class)
			}
			return lines.Err()
		})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.Train = len(s.Class)
		}
	}
	if s.Train == 0 || s.Train == len(s.Class) {
		return nil, errors.New("a9a: no rows")
	}
	s.X = mat.NewDense(len(s.Class), d, data)
	return s, nil
}

// sparse parses a line of LIBSVM's format: the class, −1 or 1, and index:value for some coordinates,
// which are numbered from 1.
func sparse(line string, d int) (row []float64, class int, err error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil, 0, errors.New("is empty")
	}
	switch fields[0] {
	case "-1":
	case "+1", "1":
		class = 1
	default:
		return nil, 0, fmt.Errorf("class %q", fields[0])
	}
	row = make([]float64, d)
	for _, f := range fields[1:] {
		index, value, ok := strings.Cut(f, ":")
		j, err := strconv.Atoi(index)
		if !ok || err != nil || j < 1 || j > d {
			return nil, 0, fmt.Errorf("field %q", f)
		}
		if row[j-1], err = strconv.ParseFloat(value, 64); err != nil {
			return nil, 0, err
		}
	}
	return row, class, nil
}

// CalHousing returns 20640 districts of California, 8 numbers each (longitude, latitude, median age
// of houses, rooms, bedrooms, people, households, median income), and the median value of a house
// in dollars, from cal_housing.csv.gz.
func CalHousing(folder string) (*Set, error) {
	return regression(folder, "cal_housing", 9)
}

// CPUAct returns 8192 states of a computer, 21 counts of its work each, and the percentage of time
// that its processors ran in user mode, from cpu_act.csv.gz.
func CPUAct(folder string) (*Set, error) {
	return regression(folder, "cpu_act", 22)
}

// Satellite returns 6435 places of a picture, 36 numbers each (nine pixels in four bands), and their soil, 0 to 5 in the order of
// its first rows, from satellite.csv.gz.
func Satellite(folder string) (*Set, error) {
	s := &Set{Name: "satellite"}
	numbers := make(map[string]int)
	var data []float64
	err := open(folder, "satellite.csv.gz", func(r io.Reader) error {
		c := csv.NewReader(r)
		c.FieldsPerRecord = 37
		records, err := c.ReadAll()
		if err != nil {
			return err
		}
		for i, record := range records[min(1, len(records)):] { // without the header
			for _, field := range record[:36] {
				v, err := strconv.ParseFloat(field, 64)
				if err != nil {
					return fmt.Errorf("row %d: %w", i+1, err)
				}
				data = append(data, v)
			}
			if _, ok := numbers[record[36]]; !ok {
				numbers[record[36]] = len(numbers)
			}
			s.Class = append(s.Class, numbers[record[36]])
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case s.Class == nil:
		return nil, errors.New("satellite.csv.gz: no rows")
	}
	s.X, s.Classes = mat.NewDense(len(s.Class), 36, data), len(numbers)
	return s, nil
}

// regression reads numbers of which the last in a row is the target.
func regression(folder, name string, fields int) (*Set, error) {
	s := &Set{Name: name}
	file := name + ".csv.gz"
	err := open(folder, file, func(r io.Reader) error {
		c := csv.NewReader(r)
		c.FieldsPerRecord = fields
		records, err := c.ReadAll()
		if err != nil {
			return err
		}
		if len(records) > 0 {
			if _, err := strconv.ParseFloat(records[0][0], 64); err != nil {
				records = records[1:] // a header
			}
		}
		if len(records) == 0 {
			return errors.New("no rows")
		}
		s.X, s.Target = mat.NewDense(len(records), fields-1, nil), mat.NewDense(len(records), 1, nil)
		for i, record := range records {
			for j, field := range record {
				v, err := strconv.ParseFloat(field, 64)
				if err != nil {
					return fmt.Errorf("row %d: %w", i+1, err)
				}
				if j < fields-1 {
					s.X.Set(i, j, v)
				} else {
					s.Target.Set(i, 0, v)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// An Image of CIFAR-10 is its planes of red, green and blue, 32×32 bytes each, row by row.
type Image [3][32][32]byte

// CIFAR10 returns 2000 images and their classes, 0 to 9, from cifar10_train4000_a.bin.gz, in the
// binary version of CIFAR-10: a byte for the class, then the planes.
func CIFAR10(folder string) (images []Image, class []int, err error) {
	err = open(folder, "cifar10_train4000_a.bin.gz", func(r io.Reader) error {
		var record [1 + 3*32*32]byte
		for {
			if _, err := io.ReadFull(r, record[:]); err == io.EOF && len(images) > 0 {
				return nil
			} else if err != nil {
				return fmt.Errorf("image %d: %w", len(images), err)
			}
			if record[0] > 9 {
				return fmt.Errorf("image %d: class %d", len(images), record[0])
			}
			var m Image
			for i, v := range record[1:] {
				m[i/1024][i/32%32][i%32] = v
			}
			images, class = append(images, m), append(class, int(record[0]))
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return images, class, nil
}

// open calls read for the text of a gzipped file. Errors name the file.
func open(folder, name string, read func(io.Reader) error) error {
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := read(z); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
