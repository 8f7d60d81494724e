// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// file returns the file of a map with a plan.
func fileOf(kernel string, in, out int64, maps string) []byte {
	splits := 0
	if strings.Contains(maps, "terms") {
		splits = 1
	}
	return Sealed(fmt.Appendf(nil, `{"plan": {"kernel": %s, "in": %d, "out": %d, "maps": [%s]}, "features": %d,
		"sampler": {"state": "00000000000000000000000000000001", "splits": %d}, "probe": {"sha256": "", "sums": []}}`, kernel, in, out, maps, out, splits), nil)
}

// wrapped returns JSON n times within others.
func wrapped(n int, before, inner, after string) string {
	return strings.Repeat(before, n) + inner + strings.Repeat(after, n)
}

// Files that describe what is huge, deep or without end are refused in no time, and in no memory.
func TestDecodeHostile(t *testing.T) {
	const g, fourier = `{"Gaussian": {"LengthScale": 1}}`, `{"map": "Fourier", "columns": %d}`
	compositional := func(calls string, draws int) []byte {
		return fileOf(`{"Skeleton": {"in": 1048576, "calls": [`+calls+`]}}`, 1<<20, 8, fmt.Sprintf(`{"map": "Compositional", "columns": 8, "draws": %d}`, draws))
	}
	maclaurin := func(series, more string) []byte {
		return fileOf(`{"Dot": `+series+`}`, 2, 8, `{"map": "Maclaurin", "columns": 8`+more+`}`)
	}
	// Images whose windows are images: 5 nodes, 405, 178 605, and 21 million.
	images := `{"Skeleton": {"in": 4, "calls": [{"call": "Image", "shape": [2, 2, 1], "base": {"Circle": {}}}, {"call": "Dense", "f": {"HermiteDual": {"N": 1}}}]}}`
	for _, n := range [][2]int{{10, 2}, {30, 10}, {40, 30}} {
		images = fmt.Sprintf(`{"Skeleton": {"in": %d, "calls": [{"call": "Patches", "shape": [%d, %d, 1, %d, 1], "base": %s}, {"call": "Dense", "f": {"HermiteDual": {"N": 1}}}]}}`,
			n[0]*n[0], n[0], n[0], n[1], images)
	}
	files := map[string][]byte{
		"in":                fileOf(g, 1<<40, 8, fmt.Sprintf(fourier, 8)),
		"out":               fileOf(g, 2, 1<<40, fmt.Sprintf(fourier, int64(1<<40))),
		"columns":           fileOf(g, 2, 8, fmt.Sprintf(fourier, int64(1<<50))),
		"work":              fileOf(g, 1000, 20_000, `{"map": "Fourier", "columns": 20000, "design": "Orthogonal"}`),
		"weights":           fileOf(g, 10_000, 10_000, fmt.Sprintf(fourier, 10_000)),
		"deep":              fileOf(wrapped(9000, `{"Scale": {"c": 1, "k": `, g, `}}`), 2, 8, fmt.Sprintf(fourier, 8)),
		"deep sums":         fileOf(wrapped(4000, `{"Sum": [{"Linear": {}}, `, g, `]}`), 2, 8, fmt.Sprintf(fourier, 8)),
		"deep JSON":         Sealed([]byte(wrapped(100_000, "[", "", "]")), nil),
		"deep maps":         Sealed([]byte(wrapped(3000, `{"dataDependent": {"base": `, "null", `}}`)), nil),
		"many":              Sealed([]byte("["+strings.Repeat("{},", 3_000_000)+"0]"), nil),
		"composed":          fileOf(wrapped(60, `{"Compose": {"f": {"Exp": {"Rate": 1, "Shift": -1}}, "k": `, g, `}}`), 2, 8, fmt.Sprintf(fourier, 8)),
		"many composed":     fileOf(`{"Sum": [`+strings.Repeat(`{"Compose": {"f": {"Geometric": {"Ratio": 0.9999}}, "k": `+g+`}},`, 3000)+g+`]}`, 2, 8, fmt.Sprintf(fourier, 8)),
		"series composed":   maclaurin(wrapped(60, `{"composed": [{"Exp": {"Rate": 1, "Shift": -1}}, `, `{"ReLUDual": {}}`, `]}`), ""),
		"product of series": maclaurin(wrapped(200, `{"product": [{"ReLUDual": {}}, `, `{"ReLUDual": {}}`, `]}`), ""),
		"deep series":       maclaurin(wrapped(3000, `{"sum": [{"ReLUDual": {}}, `, `{"ReLUDual": {}}`, `]}`), ""),
		"deep products":     maclaurin(wrapped(3000, `{"product": [{"Coefficients": [1, 1]}, `, `{"ReLUDual": {}}`, `]}`), ""),
		"dilated":           maclaurin(wrapped(3000, `{"dilated": {"c": 0.999, "f": `, `{"HermiteDual": {"N": 1000000}}`, `}}`), ""),
		"no columns":        fileOf(`{"ExpDot": {"LengthScale": 1}}`, 2, 8, `{"map": "Maclaurin", "columns": 0}`),
		"columns below 0":   fileOf(`{"ArcCosine": {"Order": 1}}`, 2, 8, `{"map": "Neurons", "form": "normal", "columns": -8}`),
		"Hermite":           maclaurin(`{"HermiteDual": {"N": 1048576}}`, `, "exactDegrees": 1000000`),
		"degree":            maclaurin(`{"binomial": {"degree": 1000000000, "gamma": 1e-9, "offset": 1}}`, `, "sumOfProducts": true`),
		"SumOfProducts":     maclaurin(`{"binomial": {"degree": 16000, "gamma": 1e-5, "offset": 1}}`, `, "sumOfProducts": true`),
		"exact degrees":     maclaurin(`{"Exp": {"Rate": 1}}`, `, "exactDegrees": 131072`),
		"law":               maclaurin(`{"Exp": {"Rate": 1}}`, `, "law": `+wrapped(3000, `{"TruncatedLaw": {"Degree": 3, "Law": `, "null", `}}`)),
		"degrees of a law":  maclaurin(`{"Exp": {"Rate": 1}}`, `, "law": {"TruncatedLaw": {"Degrees": [9000000000000000000]}}`),
		"slow law":          maclaurin(`{"Geometric": {"Ratio": 1}}`, `, "law": {"GeometricLaw": {"P": 1.0000001}}`),
		"draws":             compositional(`{"call": "Input", "base": {"Circle": {}}, "columns": [0]}`, 1<<30),
		"image":             compositional(`{"call": "Image", "shape": [1024, 1024, 1], "base": {"Circle": {}}}, {"call": "Dense", "f": {"HermiteDual": {"N": 1}}}`, 4),
		"convolution":       compositional(`{"call": "Image", "shape": [100, 100, 1], "base": {"Circle": {}}}, {"call": "Conv", "shape": [50, 1], "f": {"HermiteDual": {"N": 1}}}`, 4),
		"patches":           compositional(`{"call": "Patches", "shape": [1024, 1024, 1, 512, 1], "base": {"Gaussian": {"LengthScale": 1}}}, {"call": "Dense", "f": {"HermiteDual": {"N": 1}}}`, 4),
		"inputs":            compositional(strings.Repeat(`{"call": "Input", "base": {"Gaussian": {"LengthScale": 1}}},`, 1000)+`{"call": "Product", "children": [0]}`, 4),
		"products":          compositional(`{"call": "Input", "base": {"Circle": {}}, "columns": [0]}`+repeatedProducts(40), 4),
		"images":            fileOf(images, 1600, 8, `{"map": "Compositional", "columns": 8, "draws": 4}`),
		"complexity":        compositional(`{"call": "Input", "base": {"Circle": {}}, "columns": [0]}`+repeatedUnits(12), 4),
		"Periodic":          fileOf(`{"Periodic": {"Period": 1, "LengthScale": 1e-7}}`, 1000, 1000, fmt.Sprintf(fourier, 1000)),
		"Categories":        fileOf(`{"Categories": {"N": 2147483647}}`, 1, 2147483647, `{"terms": [0], "map": "exact", "columns": 2147483647}`),
		"monomials":         fileOf(`{"Polynomial": {"Degree": 8, "Gamma": 1, "Offset": 1}}`, 12, 125970, `{"terms": [0], "map": "exact", "columns": 125970}`),
		"terms":             fileOf(`{"Product": [`+strings.TrimSuffix(strings.Repeat(`{"Sum": [{"Linear": {}}, {"ArcCosine": {"Order": 1}}, `+g+`]},`, 12), ",")+`]}`, 2, 8, `{"terms": [0], "map": "Compositional", "columns": 8, "draws": 4}`),
		"SpectralMixture":   fileOf(`{"SpectralMixture": {"Weights": [1, 1], "Means": {"rows": 1, "cols": 1, "values": [1]}, "Scales": null}}`, 1, 8, fmt.Sprintf(fourier, 8)),
		"arrays":            []byte("featuremap map, version 1\njson 4\ndata" + strings.Repeat(" 4611686018427387903", 3) + "\nnull\n"),
		"JSON":              []byte("featuremap map, version 1\njson 4611686018427387903\nnull\n"),
		"a line":            append([]byte("featuremap map, version 1"), bytes.Repeat([]byte("1"), 1<<20)...),
		"arrays of nothing": []byte("featuremap map, version 1\njson 5\ndata" + strings.Repeat(" 0", 4097) + "\nnull\n"),
	}
	for name, b := range files {
		t.Run(name, func(t *testing.T) {
			m, err := decodeHostile(t, b)
			if err == nil {
				t.Errorf("is read as %v", m)
			}
			t.Logf("%.200v", err)
		})
	}
}

// repeatedProducts are products of the node before with itself.
func repeatedProducts(n int) (calls string) {
	for i := range n {
		calls += fmt.Sprintf(`, {"call": "Product", "children": [%d, %d]}`, i, i)
	}
	return calls
}

// repeatedUnits are units of a mean degree of 64, of the node before.
func repeatedUnits(n int) (calls string) {
	for i := range n {
		calls += fmt.Sprintf(`, {"call": "Unit", "f": {"Exp": {"Rate": 64, "Shift": -64}}, "children": [%d]}`, i)
	}
	return calls
}

// The limit is that of DecodeOptions: half of what a map takes is too little, and some times it is enough.
func TestDecodeLimits(t *testing.T) {
	b := encodedMap(t, testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 100, 1000, NewSampler(1), nil)))
	const bytesOf = 8 * 100 * 500
	for n, want := range map[int64]string{8 * bytesOf: "", 0: "", bytesOf / 2: "bytes of memory", 100: "larger than allowed"} {
		_, err := Decode(bytes.NewReader(b), &DecodeOptions{MaxBytes: n})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "see DecodeOptions")) {
			t.Errorf("%d bytes: %v, want %q", n, err, want)
		}
	}
}

// Other versions, other kinds and what follows are told.
func TestDecodeOtherFiles(t *testing.T) {
	b := encodedMap(t, savedMaps()["DataDependent Neighbors"])
	s := testkit.Must(NewSampler(1).MarshalBinary())
	for want, file := range map[string][]byte{
		"there is more data":                            append(bytes.Clone(b), 0),
		"begins with \"hello\"":                         []byte("hello\nworld\n"),
		"begins with \"featuremap sampler, version 1\"": s,
		`of version "2"`:                                bytes.Replace(b, []byte("version 1"), []byte("version 2"), 1),
		`of version "01"`:                               bytes.Replace(b, []byte("version 1"), []byte("version 01"), 1),
		"checksum":                                      bytes.Replace(b, []byte(`"points": 12`), []byte(`"points": 13`), 1),
		"ends after 0 bytes":                            nil,
		"ends after 100 bytes":                          b[:100],
		fmt.Sprintf("ends after %d bytes", len(b)-1):    b[:len(b)-1],
	} {
		if _, err := decodeHostile(t, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// What MarshalKernel writes UnmarshalKernel reads: it has no options, and its errors name none. Encode writes beyond the limits without
// options, and Decode reads with options.
func TestSaveWithinLimits(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	base := testkit.Must(NewFourier(g, 20, 100, NewSampler(1), nil))
	x := testkit.NormalPoints(1, 8, 20)
	maps := map[string]FeatureMap{
		"Fourier":       base,
		"sum":           testkit.Must(testkit.New(Sum(g, ArcCosine{Order: 1}), 20, 200, NewSampler(1))),
		"Compositional": testkit.Must(NewCompositional(imageSkeleton(), 200, NewSampler(1))),
		"DataDependent": testkit.Must(NewDataDependent(base, x, &DataDependentOptions{Alpha: 1, Neighbors: 2})),
	}
	kernel := FromMap(base)
	large := &DecodeOptions{MaxBytes: 1 << 30}
	for most, what := range map[int64]string{15_000: "bytes", 50_000: "bytes", 400: "larger"} {
		back := SetDefaultBytes(most)
		for name, m := range maps {
			var b bytes.Buffer
			if err := Encode(&b, m); err != nil {
				t.Fatalf("%s, %s: Encode: %v", what, name, err)
			}
			if _, err := Decode(bytes.NewReader(b.Bytes()), nil); err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "see DecodeOptions") {
				t.Errorf("%s, %s: Decode: %v", what, name, err)
			}
			if _, err := Decode(bytes.NewReader(b.Bytes()), large); err != nil {
				t.Errorf("%s, %s: Decode with options: %v", what, name, err)
			}
		}
		if what != "larger" { // JSON is no file
			if _, err := MarshalKernel(kernel); err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "Options") {
				t.Errorf("%s: MarshalKernel: %v", what, err)
			}
		}
		back()
	}
}
