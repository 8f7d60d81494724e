// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A number is a float64 that is saved as a string if it is infinite, for which JSON has no number.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
		return json.Marshal(fmt.Sprint(float64(v)))
	}
	return json.Marshal(float64(v))
}

func (v *number) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return json.Unmarshal(b, (*float64)(v))
	}
	if s != "+Inf" && s != "-Inf" {
		return fmt.Errorf("%.20q is no number", s)
	}
	f, err := strconv.ParseFloat(s, 64)
	*v = number(f)
	return err
}
