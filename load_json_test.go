// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// An integer may be written as any JSON number that is one, wherever one is read: 3, 3.0, 3e0, 30e-1.
func TestReadIntegers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int // −1: refused
	}{
		{"3", 3}, {"3.0", 3}, {"3e0", 3}, {"3E+0", 3}, {"3.000e0", 3}, {"0.3e1", 3}, {"300e-2", 3}, {"0.03E2", 3}, {"1e3", 1000},
		{"12.50e1", 125}, {"0", 0}, {"-0", 0}, {"0.0", 0}, {"-0.0e5", 0}, {"0e99999999999999999999", 0}, {"0e-99999999999999999999", 0},
		{"1000000000000000000000e-20", 10},
		{"3.5", -1}, {"3e-1", -1}, {"3.0000000000000000001", -1}, {"1e-400", -1}, {"1e400", -1}, {"1e99999999999999999999", -1},
		{"1e-99999999999999999999", -1}, {"99999999999999999999", -1}, {"9.9e30", -1}, {`"3"`, -1}, {"true", -1}, {"null", -1}, {"[3]", -1}, {"{}", -1},
	} {
		k, err := UnmarshalKernel([]byte(`{"Dot": {"HermiteDual": {"N": ` + c.text + `}}}`))
		if c.want >= 0 {
			if want := fmt.Sprint(Dot(series.HermiteDual{N: c.want})); err != nil || fmt.Sprint(k) != want {
				t.Errorf("%s is read as %v: %v, want %s", c.text, k, err, want)
			}
		} else if err == nil || !strings.Contains(err.Error(), "must be an integer") || !strings.Contains(err.Error(), `(in "Dot.HermiteDual.N")`) {
			t.Errorf("%s is read as %v: %v", c.text, k, err)
		}
	}
	const plan = `{"kernel": {"Gaussian": {"LengthScale": 1}}, "in": %s, "out": %s, "maps": [{"terms": [%s], "map": "Fourier", "columns": %s, "squaredError": 1, "reach": 2}], "rmse": 1}`
	want, err := planOf(fmt.Sprintf(plan, "2", "8", "0", "8"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := planOf(fmt.Sprintf(plan, "2.0", "8e0", "0.0", "0.8e1"))
	if err != nil || !bytes.Equal(testkit.Must(PlanJSON(got)), testkit.Must(PlanJSON(want))) {
		t.Errorf("%v: %v, want %v", err, got, want)
	}
	// A map, with its sampler and shapes of a skeleton.
	m := testkit.Must(NewCompositional(imageSkeleton(), 20, NewSampler(1)))
	document, arrays, err := Unsealed(encodedMap(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for old, with := range map[string]string{`"splits": 0`: `"splits": 0.0`, `"shape": [2, 2, 1]`: `"shape": [2.0, 2e0, 0.1e1]`, `"draws": `: `"draws": 0.0e3, "draws": `} {
		changed := bytes.Replace(document, []byte(old), []byte(with), 1)
		_, err := Decode(bytes.NewReader(Sealed(changed, arrays)), nil)
		if twice := strings.Count(with, "draws") == 2; bytes.Equal(changed, document) || (err != nil) != twice {
			t.Errorf("%s: %v", with, err)
		}
	}
}

func imageSkeleton() *Skeleton {
	sk := NewSkeleton(4)
	sk.Image(2, 2, 1, Gaussian{LengthScale: 1}).Conv(series.ReLUDual{}, 2, 1).Dense(series.ReLUDual{})
	return sk
}

// No document has two members of one name, at any depth, or null where a number, a name or an object is.
func TestReadMembersOnce(t *testing.T) {
	document, arrays, err := Unsealed(encodedMap(t, testkit.Must(testkit.New(Sum(Gaussian{LengthScale: 2}, Scale(2, Linear{})), 2, 20, NewSampler(1)))))
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for at := range document {
		// The value of each member is put there a second time, by a member of the same name before it.
		end := bytes.Index(document[at:], []byte(`": `))
		if document[at] != '"' || end < 1 || bytes.ContainsAny(document[at+1:at+end], "\",:\n") {
			continue
		}
		names++
		name := string(document[at+1 : at+end])
		for _, first := range []string{"null", "1", "{}"} {
			changed := string(document[:at]) + `"` + name + `": ` + first + `, ` + string(document[at:])
			if _, err := Decode(strings.NewReader(string(Sealed([]byte(changed), arrays))), nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q is there twice", name)) {
				t.Errorf("%q twice: %v", name, err)
			}
		}
	}
	if names < 20 {
		t.Errorf("%d names of members were found: want all", names)
	}
	nulls := 0
	v := jsonOf(t, document)
	eachMember(v, func(o map[string]any, name string) {
		was := o[name]
		o[name] = nil
		if _, err := Decode(bytes.NewReader(Sealed(testkit.Must(json.Marshal(v)), arrays)), nil); err == nil {
			t.Errorf("%q = null is read", name)
		}
		o[name] = was
		nulls++
	})
	if nulls != names {
		t.Errorf("%d values were set to null, of %d", nulls, names)
	}
}

// eachMember calls a function for each member of each object in v.
func eachMember(v any, f func(o map[string]any, name string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			f(v, name)
			eachMember(of, f)
		}
	case []any:
		for _, of := range v {
			eachMember(of, f)
		}
	}
}

// What is no JSON is refused, however deep.
func TestReadJSONRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "{", "[", `{"Sum"`, `{"Sum":`, `{"Sum": [`, `{"Sum": [}`, `{"Sum": [1,]}`, `{"Sum": [],}`, `{,}`, `{"Linear" {}}`, `{"Linear": {}`, `{"Linear": {}}}`,
		`{"Linear": {}} null`, `{'Linear': {}}`, `{Linear: {}}`, `{"Linear": {"a": 01}}`, `{"Gaussian": {"LengthScale": NaN}}`, `{"Gaussian": {"LengthScale": +1}}`,
		`{1: 2}`, `{null: 2}`, `{"Sum": ["\x"]}`, "{\"Lin\near\": {}}", "\xef\xbb\xbf{\"Linear\": {}}",
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<20),
	} {
		if k, err := UnmarshalKernel([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "featuremap: saved data: ") || len(err.Error()) > 400 {
			t.Errorf("%.40q is read as %v: %.400v", text, k, err)
		}
	}
	deep := wrapped(4000, `{"Sum": [{"Linear": {}}, `, `{"Linear": {"x": 1}}`, `]}`)
	if _, err := UnmarshalKernel([]byte(deep)); err == nil || !strings.Contains(err.Error(), `Sum[1].Sum[1].Linear")`) || len(err.Error()) > 400 {
		t.Errorf("%v", err)
	}
}
