// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package numbers

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// mostDigits is the largest scale of decimals, far above that of any program.
const mostDigits = 1000

// Decimal returns a function for the text of a value of a column of decimals, with all digits of its scale, as programs
// write it to CSV files. It returns nil for a column of another type.
func Decimal(of parquet.Type) func(parquet.Value) (string, error) {
	logical := of.LogicalType()
	if logical == nil {
		return nil
	}
	d, ok := logical.Value.(*format.DecimalType)
	if !ok || d.Scale < 0 || d.Scale > mostDigits {
		return nil
	}
	scale := int(d.Scale)
	switch of.Kind() {
	case parquet.Int32:
		return func(v parquet.Value) (string, error) { return pointed(strconv.Itoa(int(v.Int32())), scale), nil }
	case parquet.Int64:
		return func(v parquet.Value) (string, error) { return pointed(strconv.FormatInt(v.Int64(), 10), scale), nil }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(v parquet.Value) (string, error) {
			b := v.ByteArray() // big-endian, in two's complement
			if len(b) == 0 {
				return "", errors.New("damaged Parquet file: a decimal without bytes")
			}
			n := new(big.Int).SetBytes(b)
			if b[0] >= 0x80 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
			return pointed(n.String(), scale), nil
		}
	}
	return nil
}

// pointed returns a whole number with a point before its last digits.
func pointed(text string, digits int) string {
	if digits == 0 {
		return text
	}
	text, negative := strings.CutPrefix(text, "-")
	text = strings.Repeat("0", max(digits+1-len(text), 0)) + text
	whole := len(text) - digits
	text = text[:whole] + "." + text[whole:]
	if negative {
		return "-" + text
	}
	return text
}
